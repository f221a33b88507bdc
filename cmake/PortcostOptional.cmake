# Libraries that this project does without. Each is a target of this project's, portcost_openssl, portcost_mpi or portcost_nccl,
# where a program that uses the library was compiled and linked. The library's own target says less: FindMPI makes MPI::MPI_CXX
# without any MPI.

# portcost_optional(TARGET SOURCE LIBRARY...): makes TARGET of these libraries if a program compiles and links with them. It is asked
# at every configuration, because what was installed or removed since the last one counts.
function(portcost_optional target source)
  try_compile(works SOURCE_FROM_CONTENT probe.cpp "${source}" LINK_LIBRARIES ${ARGN} NO_CACHE)
  if(works)
    add_library(${target} INTERFACE)
    target_link_libraries(${target} INTERFACE ${ARGN})
  endif()
endfunction()

function(portcost_find_openssl)
  find_package(OpenSSL QUIET COMPONENTS Crypto)
  if(OPENSSL_FOUND)
    portcost_optional(portcost_openssl "#include <openssl/evp.h>\nint main() { return EVP_sha256() == nullptr; }\n" OpenSSL::Crypto)
  endif()
endfunction()

# A macro, because MPIEXEC_EXECUTABLE and the like are wanted where it is called.
macro(portcost_find_mpi)
  set(MPI_CXX_SKIP_MPICXX ON)  # MPI 2's C++ interface
  find_package(MPI 3.0 QUIET COMPONENTS CXX)
  if(MPI_CXX_FOUND)
    portcost_optional(portcost_mpi "#include <mpi.h>\nint main() { return MPI_Finalized(nullptr); }\n" MPI::MPI_CXX)
  endif()
endmacro()
