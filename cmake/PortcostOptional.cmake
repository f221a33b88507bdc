# Libraries that this project does without. Each is a target of this project's, portcost_openssl or portcost_mpi, where a program
# that uses the library was compiled and linked. The library's own target says less: FindMPI makes MPI::MPI_CXX without any MPI.

# portcost_compiles(RESULT SOURCE LIBRARY...): whether a program compiles and links. It is asked at every configuration, because
# what was installed or removed since the last one counts.
function(portcost_compiles result source)
  try_compile(compiles SOURCE_FROM_CONTENT probe.cpp "${source}" LINK_LIBRARIES ${ARGN} NO_CACHE)
  set(${result} ${compiles} PARENT_SCOPE)
endfunction()

function(portcost_find_openssl)
  find_package(OpenSSL QUIET COMPONENTS Crypto)
  if(OPENSSL_FOUND)
    portcost_compiles(works "#include <openssl/evp.h>\nint main() { return EVP_sha256() == nullptr; }\n" OpenSSL::Crypto)
    if(works)
      add_library(portcost_openssl INTERFACE)
      target_link_libraries(portcost_openssl INTERFACE OpenSSL::Crypto)
    endif()
  endif()
endfunction()

# A macro, because MPIEXEC_EXECUTABLE and the like are wanted where it is called.
macro(portcost_find_mpi)
  set(MPI_CXX_SKIP_MPICXX ON)  # MPI 2's C++ interface
  find_package(MPI 3.0 QUIET COMPONENTS CXX)
  if(MPI_CXX_FOUND)
    portcost_compiles(portcost_mpi_works "#include <mpi.h>\nint main() { return MPI_Finalized(nullptr); }\n" MPI::MPI_CXX)
    if(portcost_mpi_works)
      add_library(portcost_mpi INTERFACE)
      target_link_libraries(portcost_mpi INTERFACE MPI::MPI_CXX)
    endif()
  endif()
endmacro()
