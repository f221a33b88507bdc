# Builds with ThreadSanitizer (PORTCOST_SANITIZE=thread). It has to see every thread's accesses and how threads wait for each
# other, so Kokkos is compiled with it, too, and OpenMP is clang's: its library tells of barriers, tasks and locks by its
# tool Archer. Sets PORTCOST_TSAN, and PORTCOST_TSAN_FENCES, an option that must stand before every other that includes
# something.
set(PORTCOST_TSAN FALSE)
set(PORTCOST_TSAN_FENCES "")
if(PORTCOST_SANITIZE MATCHES thread)
  set(PORTCOST_TSAN TRUE)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    portcost_stop("ThreadSanitizer needs clang, whose OpenMP library tells it how threads wait for each other, and the "
                  "compiler is ${CMAKE_CXX_COMPILER_ID}: set CXX=clang++ and remove ${CMAKE_BINARY_DIR}/CMakeCache.txt.")
  endif()
  if(PORTCOST_KOKKOS STREQUAL "installation" OR (NOT PORTCOST_KOKKOS MATCHES "release|distribution"
     AND NOT FETCHCONTENT_SOURCE_DIR_KOKKOS AND NOT DEFINED ENV{FETCHCONTENT_SOURCE_DIR_KOKKOS}
     AND (Kokkos_ROOT OR DEFINED ENV{Kokkos_ROOT})))
    portcost_stop("ThreadSanitizer needs a Kokkos that is compiled with it, and an installation was named: take its "
                  "sources, -DPORTCOST_KOKKOS=release or distribution (--kokkos release or --kokkos distribution).")
  endif()
  set(PORTCOST_TSAN_FENCES "SHELL:-include ${PROJECT_SOURCE_DIR}/tests/tsan_fences.hpp")
endif()
