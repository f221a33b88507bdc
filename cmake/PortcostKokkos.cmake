# Kokkos first: what it was built for decides whether this project speaks CUDA, and for which architecture, so that
# there is no second option to disagree with. An installation is preferred; otherwise the pinned upstream release is
# fetched. Sets PORTCOST_CUDA.

set(PORTCOST_BACKEND "auto" CACHE STRING "Processor to measure: auto (what Kokkos has), openmp, or cuda")
set_property(CACHE PORTCOST_BACKEND PROPERTY STRINGS auto openmp cuda)
if(NOT PORTCOST_BACKEND MATCHES "^(auto|openmp|cuda)$")
  message(FATAL_ERROR "PORTCOST_BACKEND is '${PORTCOST_BACKEND}'; it must be auto, openmp or cuda.")
endif()

set(PORTCOST_KOKKOS_RELEASE 4.7.02)
set(PORTCOST_KOKKOS_SHA256 a81826ac0a167933d13506bc2a986fb5517038df9abb780fe9bb2c1d4e80803b)
set(PORTCOST_KOKKOS_KERNELS_SHA256 2d3b3e10ac112e382b88c50d66e4222ce543fca5d42be6d8376a684b82b8b238)

include(CheckLanguage)
find_program(PORTCOST_NVCC nvcc HINTS ENV CUDACXX /usr/local/cuda/bin)
mark_as_advanced(PORTCOST_NVCC)

macro(portcost_enable_cuda)
  if(NOT CMAKE_CUDA_COMPILER AND PORTCOST_NVCC)
    set(CMAKE_CUDA_COMPILER ${PORTCOST_NVCC})
  endif()
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES ${Kokkos_CUDA_ARCHITECTURES})
    if(NOT CMAKE_CUDA_ARCHITECTURES)
      set(CMAKE_CUDA_ARCHITECTURES native)
    endif()
  endif()
  enable_language(CUDA)
  find_package(CUDAToolkit REQUIRED)
endmacro()

function(portcost_explain_no_kokkos)
  message(FATAL_ERROR
    "No Kokkos >= 4.6, < 6 was found, and its release ${PORTCOST_KOKKOS_RELEASE} could not be fetched.\n"
    "Name an installation:  -DKokkos_ROOT=PREFIX -DKokkosKernels_ROOT=PREFIX\n"
    "or source trees:       -DFETCHCONTENT_SOURCE_DIR_KOKKOS=DIR -DFETCHCONTENT_SOURCE_DIR_KOKKOSKERNELS=DIR\n"
    "(releases: kokkos-${PORTCOST_KOKKOS_RELEASE}.tar.gz, kokkos-kernels-${PORTCOST_KOKKOS_RELEASE}.tar.gz)")
endfunction()

# One upstream release tarball by name and hash, or the tree FETCHCONTENT_SOURCE_DIR_<NAME> points to. The download is
# tried here so that being offline ends in our message, not in FetchContent's.
function(portcost_release name repository hash)
  string(TOUPPER ${name} upper)
  if(FETCHCONTENT_SOURCE_DIR_${upper})
    if(NOT EXISTS ${FETCHCONTENT_SOURCE_DIR_${upper}}/CMakeLists.txt)
      message(FATAL_ERROR "FETCHCONTENT_SOURCE_DIR_${upper} is '${FETCHCONTENT_SOURCE_DIR_${upper}}', "
                          "which holds no CMakeLists.txt: point it at the top of the ${repository} sources.")
    endif()
    FetchContent_Declare(${name} SYSTEM)
    return()
  endif()
  set(file ${repository}-${PORTCOST_KOKKOS_RELEASE}.tar.gz)
  set(archive ${PROJECT_BINARY_DIR}/_deps/${file})
  set(known "")
  if(EXISTS ${archive})
    file(SHA256 ${archive} known)
  endif()
  if(NOT known STREQUAL hash)
    message(STATUS "Fetching ${file}")
    file(DOWNLOAD https://github.com/kokkos/${repository}/releases/download/${PORTCOST_KOKKOS_RELEASE}/${file}
         ${archive}.part STATUS status TIMEOUT 300 INACTIVITY_TIMEOUT 30)
    list(GET status 0 code)
    if(code EQUAL 0)
      file(SHA256 ${archive}.part got)
      if(NOT got STREQUAL hash)
        message(FATAL_ERROR "${file} has SHA-256 ${got}, expected ${hash}: the download is broken or not the release.")
      endif()
      file(RENAME ${archive}.part ${archive})
    else()
      file(REMOVE ${archive}.part)
      portcost_explain_no_kokkos()
    endif()
  endif()
  FetchContent_Declare(${name} URL ${archive} URL_HASH SHA256=${hash} DOWNLOAD_EXTRACT_TIMESTAMP TRUE SYSTEM)
endfunction()

# Builds Kokkos and Kokkos Kernels inside this project.
macro(portcost_fetch_kokkos)
  include(FetchContent)
  portcost_release(kokkos kokkos ${PORTCOST_KOKKOS_SHA256})
  portcost_release(kokkoskernels kokkos-kernels ${PORTCOST_KOKKOS_KERNELS_SHA256})
  set(CMAKE_CXX_STANDARD 20)
  set(CMAKE_CXX_EXTENSIONS OFF)
  set(Kokkos_ENABLE_SERIAL ON CACHE BOOL "")
  if(PORTCOST_BACKEND STREQUAL "cuda")
    set(Kokkos_ENABLE_CUDA ON CACHE BOOL "")
    set(Kokkos_ENABLE_COMPILE_AS_CMAKE_LANGUAGE ON CACHE BOOL "")
    # In tree, Kokkos asks the compiler for the machine's architecture only if the language is there already.
    portcost_enable_cuda()
    if(CMAKE_VERSION VERSION_LESS 3.25.2)
      string(APPEND CMAKE_CUDA_FLAGS " -std=c++20")
    else()
      set(CMAKE_CUDA_STANDARD 20)
    endif()
  else()
    set(Kokkos_ENABLE_OPENMP ON CACHE BOOL "")
  endif()
  set(KokkosKernels_ENABLE_ALL_COMPONENTS OFF CACHE BOOL "")
  set(KokkosKernels_ENABLE_COMPONENT_BLAS ON CACHE BOOL "")
  set(KokkosKernels_ENABLE_COMPONENT_BATCHED ON CACHE BOOL "")
  FetchContent_MakeAvailable(kokkos kokkoskernels)
  # In tree, Kokkos leaves these empty in our scope.
  if(NOT Kokkos_COMPILE_LANGUAGE)
    if(Kokkos_ENABLE_CUDA)
      set(Kokkos_COMPILE_LANGUAGE CUDA)
    else()
      set(Kokkos_COMPILE_LANGUAGE CXX)
    endif()
  endif()
  file(STRINGS ${kokkos_SOURCE_DIR}/CMakeLists.txt portcost_version_lines REGEX "set\\(Kokkos_VERSION_(MAJOR|MINOR|PATCH) ")
  string(REGEX REPLACE "[^0-9;]" "" portcost_version_lines "${portcost_version_lines}")
  list(JOIN portcost_version_lines "." PORTCOST_KOKKOS_VERSION)
  set(PORTCOST_KOKKOS_KERNELS_VERSION ${PORTCOST_KOKKOS_VERSION})
  set(PORTCOST_KOKKOS_ORIGIN "built from source in this project")
endmacro()

macro(portcost_find_kokkos)
  # A config file of Kokkos refuses versions it calls incompatible, so the range is checked here, in words.
  find_package(Kokkos CONFIG QUIET)
  if(Kokkos_FOUND)
    if(Kokkos_VERSION VERSION_LESS 4.6 OR NOT Kokkos_VERSION VERSION_LESS 6)
      message(FATAL_ERROR "Kokkos ${Kokkos_VERSION} at ${Kokkos_DIR} is not supported: 4.6 <= version < 6 is needed. "
                          "Name another with -DKokkos_ROOT=PREFIX.")
    endif()
    find_package(KokkosKernels CONFIG QUIET)
    if(NOT KokkosKernels_FOUND)
      message(FATAL_ERROR "Kokkos ${Kokkos_VERSION} is installed at ${Kokkos_DIR}, but no Kokkos Kernels was found. "
                          "Name it with -DKokkosKernels_ROOT=PREFIX (its version must match).")
    endif()
    set(PORTCOST_KOKKOS_VERSION ${Kokkos_VERSION})
    set(PORTCOST_KOKKOS_KERNELS_VERSION ${KokkosKernels_VERSION})
    set(PORTCOST_KOKKOS_ORIGIN "installed at ${Kokkos_DIR}")
    set(Kokkos_ENABLE_CUDA OFF)
    set(Kokkos_ENABLE_OPENMP OFF)
    foreach(device IN LISTS Kokkos_DEVICES)
      set(Kokkos_ENABLE_${device} ON)
    endforeach()
  endif()
endmacro()

if(FETCHCONTENT_SOURCE_DIR_KOKKOS OR FETCHCONTENT_FULLY_DISCONNECTED)
  portcost_fetch_kokkos()  # asked for by name: a source tree goes before an installation
else()
  portcost_find_kokkos()
  if(NOT Kokkos_FOUND)
    portcost_fetch_kokkos()
  endif()
endif()

set(PORTCOST_CUDA ${Kokkos_ENABLE_CUDA})
if(PORTCOST_BACKEND STREQUAL "cuda" AND NOT Kokkos_ENABLE_CUDA)
  message(FATAL_ERROR "The CUDA build needs a Kokkos built with CUDA; ${PORTCOST_KOKKOS_VERSION} "
                      "(${PORTCOST_KOKKOS_ORIGIN}) has only: ${Kokkos_DEVICES}. Name another with "
                      "-DKokkos_ROOT=PREFIX, or take -DPORTCOST_BACKEND=openmp.")
elseif(PORTCOST_BACKEND STREQUAL "openmp")
  if(Kokkos_ENABLE_CUDA)
    message(FATAL_ERROR "The host-only build needs a Kokkos without CUDA; ${PORTCOST_KOKKOS_VERSION} "
                        "(${PORTCOST_KOKKOS_ORIGIN}) has CUDA. Name another with -DKokkos_ROOT=PREFIX, or take "
                        "-DPORTCOST_BACKEND=cuda.")
  endif()
  if(NOT Kokkos_ENABLE_OPENMP)
    message(FATAL_ERROR "Kokkos ${PORTCOST_KOKKOS_VERSION} (${PORTCOST_KOKKOS_ORIGIN}) has no OpenMP backend, so its "
                        "side of every pair would run on one thread. Name another with -DKokkos_ROOT=PREFIX.")
  endif()
endif()
if(PORTCOST_CUDA)
  if(NOT PORTCOST_NVCC AND NOT CMAKE_CUDA_COMPILER)
    message(FATAL_ERROR "Kokkos ${PORTCOST_KOKKOS_VERSION} (${PORTCOST_KOKKOS_ORIGIN}) was built with CUDA, but no nvcc "
                        "was found. Install the CUDA toolkit, put nvcc on PATH, or set -DCMAKE_CUDA_COMPILER.")
  endif()
  portcost_enable_cuda()
elseif(PORTCOST_NVCC)
  message(STATUS "A CUDA toolkit is here (${PORTCOST_NVCC}), but this Kokkos has no CUDA backend: building for the host "
                 "only. For the GPU, name a CUDA Kokkos with -DKokkos_ROOT=PREFIX and take --preset cuda.")
endif()
message(STATUS "Kokkos ${PORTCOST_KOKKOS_VERSION}, ${PORTCOST_KOKKOS_ORIGIN}; GPU: ${PORTCOST_CUDA}")
