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

# FFTW 3 of float and double with OpenMP's threads: portcost_fftw. (FFTW's own CMake files name one of the four libraries each, and
# distributions leave them out.)
function(portcost_find_fftw)
  find_path(PORTCOST_FFTW_INCLUDE fftw3.h)
  mark_as_advanced(PORTCOST_FFTW_INCLUDE)
  set(libraries "")
  foreach(name IN ITEMS fftw3_omp fftw3f_omp fftw3 fftw3f)
    find_library(PORTCOST_${name} ${name})
    mark_as_advanced(PORTCOST_${name})
    list(APPEND libraries ${PORTCOST_${name}})
  endforeach()
  find_package(OpenMP QUIET COMPONENTS CXX)
  if(NOT PORTCOST_FFTW_INCLUDE OR "${libraries}" MATCHES "NOTFOUND" OR NOT OpenMP_CXX_FOUND)
    return()
  endif()
  set(source "#include <fftw3.h>\nint main() { return fftw_init_threads() == 0 || fftwf_init_threads() == 0; }\n")
  add_library(portcost_fftw_files INTERFACE)
  target_include_directories(portcost_fftw_files SYSTEM INTERFACE ${PORTCOST_FFTW_INCLUDE})
  target_link_libraries(portcost_fftw_files INTERFACE ${libraries} OpenMP::OpenMP_CXX)
  try_compile(works SOURCE_FROM_CONTENT probe.cpp "${source}"
              CMAKE_FLAGS "-DINCLUDE_DIRECTORIES=${PORTCOST_FFTW_INCLUDE}"
              LINK_LIBRARIES ${libraries} OpenMP::OpenMP_CXX NO_CACHE)
  if(works)
    add_library(portcost_fftw ALIAS portcost_fftw_files)
  endif()
endfunction()
