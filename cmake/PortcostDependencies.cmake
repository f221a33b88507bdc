# Libraries other than Kokkos: from packages; Catch2, which Debian 12 and Ubuntu 22.04 have only as version 2, may also be
# fetched.
find_package(OpenMP REQUIRED COMPONENTS CXX)
find_package(Threads REQUIRED)

function(portcost_need package debian_name)
  find_package(${package} CONFIG QUIET)
  if(NOT ${package}_FOUND)
    portcost_stop("${package} was not found: install ${debian_name} (Debian, Ubuntu), or name an installation with "
                  "-D${package}_ROOT=PREFIX.")
  endif()
endfunction()

portcost_need(fmt libfmt-dev)
portcost_need(nlohmann_json nlohmann-json3-dev)
if(PORTCOST_PERF)
  portcost_need(CLI11 libcli11-dev)
endif()

# portcost_compiles(RESULT SOURCE LIBRARY...): whether a program compiles and links. It is asked at every configuration, because
# what was installed or removed since the last one counts.
function(portcost_compiles result source)
  try_compile(compiles SOURCE_FROM_CONTENT probe.cpp "${source}" LINK_LIBRARIES ${ARGN} NO_CACHE)
  set(${result} ${compiles} PARENT_SCOPE)
endfunction()

# What is optional is a target of this project's, portcost_openssl, portcost_mpi or portcost_nccl, where a program that uses the
# library was compiled and linked. A target of the library's says less: FindMPI makes MPI::MPI_CXX without any MPI.

# Optional: records then hold the SHA-256 of files that are given as parameters, else their size alone.
find_package(OpenSSL QUIET COMPONENTS Crypto)
if(OPENSSL_FOUND)
  portcost_compiles(portcost_openssl_works "#include <openssl/evp.h>\nint main() { return EVP_sha256() == nullptr; }\n" OpenSSL::Crypto)
endif()
if(portcost_openssl_works)
  add_library(portcost_openssl INTERFACE)
  target_link_libraries(portcost_openssl INTERFACE OpenSSL::Crypto)
else()
  message(STATUS "OpenSSL was not found: the SHA-256 of files given as parameters is left out of records. It comes with "
                 "libssl-dev (Debian, Ubuntu) or openssl-devel; OPENSSL_ROOT_DIR names an installation.")
endif()

# Optional: without it there are no programs of several processes.
option(PORTCOST_MPI "Work of several processes, where MPI is found" ON)
if(PORTCOST_MPI)
  set(MPI_CXX_SKIP_MPICXX ON)  # MPI 2's C++ interface
  find_package(MPI 3.0 QUIET COMPONENTS CXX)
  if(MPI_CXX_FOUND)
    portcost_compiles(portcost_mpi_works "#include <mpi.h>\nint main() { return MPI_Finalized(nullptr); }\n" MPI::MPI_CXX)
  endif()
  if(portcost_mpi_works)
    add_library(portcost_mpi INTERFACE)
    target_link_libraries(portcost_mpi INTERFACE MPI::MPI_CXX)
  else()
    message(STATUS "MPI was not found: work of several processes is left out. perf/prepare --mpi installs it (libopenmpi-dev "
                   "openmpi-bin in Debian and Ubuntu); MPI_HOME names an installation.")
  endif()
endif()

# Optional: without it halos of several processes do not travel by NCCL.
option(PORTCOST_NCCL "Halos by NCCL, where it is found and there are CUDA and MPI" ON)
if(PORTCOST_NCCL AND PORTCOST_CUDA AND TARGET portcost_mpi)
  set(NCCL_ROOT "$ENV{NCCL_ROOT}" CACHE PATH "Where NCCL is installed, if not where the system looks")
  find_path(NCCL_INCLUDE_DIR nccl.h HINTS "${NCCL_ROOT}" PATH_SUFFIXES include)
  # NVIDIA's Python package has the second name alone.
  find_library(NCCL_LIBRARY NAMES nccl libnccl.so.2 NAMES_PER_DIR HINTS "${NCCL_ROOT}" PATH_SUFFIXES lib lib64)
  if(NCCL_INCLUDE_DIR AND NCCL_LIBRARY)
    add_library(portcost_nccl_found INTERFACE)
    target_include_directories(portcost_nccl_found SYSTEM INTERFACE "${NCCL_INCLUDE_DIR}")
    target_link_libraries(portcost_nccl_found INTERFACE "${NCCL_LIBRARY}")
    portcost_compiles(portcost_nccl_works "#include <nccl.h>\nint main() { int version; return ncclGetVersion(&version); }\n"
                      portcost_nccl_found CUDA::cudart_static)
  endif()
  if(portcost_nccl_works)
    add_library(portcost_nccl INTERFACE)
    target_link_libraries(portcost_nccl INTERFACE portcost_nccl_found)
    target_compile_definitions(portcost_nccl INTERFACE PORTCOST_HAS_NCCL=1)
  else()
    message(STATUS "NCCL was not found: halos by NCCL are left out. It comes with libnccl-dev (NVIDIA's packages for Debian and "
                   "Ubuntu); -DNCCL_ROOT=PREFIX names an installation.")
  endif()
endif()

if(PORTCOST_TESTS)
  find_package(Catch2 3 CONFIG QUIET)
  if(NOT Catch2_FOUND)
    set(portcost_catch2 3.7.1)
    portcost_source_tree(Catch2-${portcost_catch2} https://github.com/catchorg/Catch2/archive/refs/tags/v${portcost_catch2}.tar.gz
                         c991b247a1a0d7bb9c39aa35faf0fe9e19764213f28ffba3109388e62ee0269c ${PORTCOST_FETCH} portcost_tree)
    if(NOT portcost_tree)
      portcost_stop("Catch2 3, which the tests need, is not installed and was not fetched (${portcost_tree_WHY_NOT}): install "
                    "catch2 >= 3 (Debian 12: from its backports), name an installation with -DCatch2_ROOT=PREFIX, or go "
                    "without tests: -DPORTCOST_TESTS=OFF.")
    endif()
    add_subdirectory(${portcost_tree} ${PROJECT_BINARY_DIR}/_deps/catch2 EXCLUDE_FROM_ALL SYSTEM)
    list(APPEND CMAKE_MODULE_PATH ${portcost_tree}/extras)
  endif()
  include(Catch)
endif()
