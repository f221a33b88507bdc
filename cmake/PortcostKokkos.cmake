# Kokkos first: what it was built for decides whether this project speaks CUDA, and for which architecture, so that there
# is no second option to disagree with. In this order: source trees that the user names, an installation, the pinned
# upstream release, the distribution's own sources (host builds only). Sets PORTCOST_CUDA, PORTCOST_KOKKOS_KERNELS,
# PORTCOST_KOKKOS_VERSION and PORTCOST_KOKKOS_ORIGIN.

set(PORTCOST_BACKEND "auto" CACHE STRING "Processor to measure: auto (what Kokkos has), openmp, or cuda")
set_property(CACHE PORTCOST_BACKEND PROPERTY STRINGS auto openmp cuda)
if(NOT PORTCOST_BACKEND MATCHES "^(auto|openmp|cuda)$")
  message(FATAL_ERROR "PORTCOST_BACKEND is '${PORTCOST_BACKEND}'; it must be auto, openmp or cuda.")
endif()
set(PORTCOST_KOKKOS "auto" CACHE STRING
    "Where Kokkos comes from: auto (the first that is there), installation, release or distribution")
set_property(CACHE PORTCOST_KOKKOS PROPERTY STRINGS auto installation release distribution)
if(NOT PORTCOST_KOKKOS MATCHES "^(auto|installation|release|distribution)$")
  message(FATAL_ERROR "PORTCOST_KOKKOS is '${PORTCOST_KOKKOS}'; it must be auto, installation, release or distribution.")
endif()

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

include(PortcostFindKokkos)
include(PortcostBuildKokkos)

foreach(name IN ITEMS FETCHCONTENT_SOURCE_DIR_KOKKOS FETCHCONTENT_SOURCE_DIR_KOKKOSKERNELS)
  if(NOT ${name} AND DEFINED ENV{${name}})
    set(${name} $ENV{${name}})
  endif()
endforeach()

set(portcost_none_found "No installed Kokkos was found")
if(FETCHCONTENT_SOURCE_DIR_KOKKOS)
  portcost_build_kokkos()  # asked for by name: a source tree goes before an installation
else()
  if(PORTCOST_TSAN)
    set(portcost_none_found "Kokkos must be compiled with ThreadSanitizer, so no installed one was looked for")
  elseif(PORTCOST_KOKKOS MATCHES "auto|installation")
    portcost_find_kokkos()
    if(PORTCOST_PASSED_OVER)
      list(JOIN PORTCOST_PASSED_OVER ", " portcost_none_found)
      set(portcost_none_found "No installed Kokkos fits (passed over: ${portcost_none_found})")
    endif()
  endif()
  if(PORTCOST_KOKKOS STREQUAL "installation" AND NOT Kokkos_FOUND)
    portcost_stop("${portcost_none_found}, and nothing else was asked for: name one in Kokkos_ROOT (--kokkos).")
  endif()
  if(NOT Kokkos_FOUND)
    portcost_build_kokkos()
  endif()
endif()

# The backend of source trees was chosen above, that of an installation was checked before it was taken.
set(PORTCOST_CUDA ${Kokkos_ENABLE_CUDA})
if(PORTCOST_CUDA)
  if(NOT PORTCOST_NVCC AND NOT CMAKE_CUDA_COMPILER)
    portcost_stop("Kokkos ${PORTCOST_KOKKOS_VERSION} (${PORTCOST_KOKKOS_ORIGIN}) was built with CUDA, but no nvcc was found. "
                  "Install the CUDA toolkit, put nvcc on PATH, or set -DCMAKE_CUDA_COMPILER.")
  endif()
  if(PORTCOST_KOKKOS_VERSION VERSION_LESS PORTCOST_LEAST_CUDA_KOKKOS)
    portcost_stop("Kokkos ${PORTCOST_KOKKOS_VERSION} (${PORTCOST_KOKKOS_ORIGIN}) is too old for a CUDA build, which needs "
                  "${PORTCOST_LEAST_CUDA_KOKKOS}: name another in Kokkos_ROOT (--kokkos).")
  endif()
  portcost_enable_cuda()
elseif(PORTCOST_NVCC)
  message(STATUS "A CUDA toolkit is here (${PORTCOST_NVCC}), but this Kokkos has no CUDA backend: building for the host "
                 "only. For the GPU, name a CUDA Kokkos with -DKokkos_ROOT=PREFIX and take --preset cuda.")
endif()
message(NOTICE "portcost: Kokkos ${PORTCOST_KOKKOS_VERSION}, ${PORTCOST_KOKKOS_ORIGIN} (${PORTCOST_KOKKOS_WHERE})")
if(PORTCOST_KOKKOS_FALSIFYING)
  message(NOTICE "portcost: THIS KOKKOS WAS BUILT ${PORTCOST_KOKKOS_FALSIFYING}: answers can be checked, and times are refused")
endif()
