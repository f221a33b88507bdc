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

include(PortcostOptional)

# Optional: records then hold the SHA-256 of files that are given as parameters, else their size alone.
portcost_find_openssl()
if(NOT TARGET portcost_openssl)
  message(STATUS "OpenSSL was not found: the SHA-256 of files given as parameters is left out of records. It comes with "
                 "libssl-dev (Debian, Ubuntu) or openssl-devel; OPENSSL_ROOT_DIR names an installation.")
endif()

# Optional: without it there are no programs of several processes.
option(PORTCOST_MPI "Work of several processes, where MPI is found" ON)
if(PORTCOST_MPI)
  portcost_find_mpi()
  if(NOT TARGET portcost_mpi)
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
    add_library(portcost_nccl_found INTERFACE IMPORTED GLOBAL)  # try_compile accepts only imported targets
    target_include_directories(portcost_nccl_found SYSTEM INTERFACE "${NCCL_INCLUDE_DIR}")
    target_link_libraries(portcost_nccl_found INTERFACE "${NCCL_LIBRARY}")
    portcost_optional(portcost_nccl "#include <nccl.h>\nint main() { int version; return ncclGetVersion(&version); }\n"
                      portcost_nccl_found CUDA::cudart_static)
  endif()
  if(TARGET portcost_nccl)
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
