# The commit is written into a header at every build, so a record never names a stale one; the header changes only when
# the commit does, so that a second build compiles nothing.
add_custom_target(portcost_version
  COMMAND ${CMAKE_COMMAND}
    -DSOURCE=${PROJECT_SOURCE_DIR} -DHEADER=${PROJECT_BINARY_DIR}/generated/portcost_commit.hpp
    -DCOMMIT=${PORTCOST_COMMIT} -P ${PROJECT_SOURCE_DIR}/cmake/write_commit.cmake
  BYPRODUCTS ${PROJECT_BINARY_DIR}/generated/portcost_commit.hpp
  COMMENT "Reading the commit" VERBATIM)
