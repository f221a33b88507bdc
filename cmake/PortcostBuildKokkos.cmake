# Building Kokkos and Kokkos Kernels inside this project, from source trees: named ones, the pinned upstream release, or the
# distribution's own sources.

set(PORTCOST_KOKKOS_RELEASE 4.7.02)
set(PORTCOST_KOKKOS_SHA256 a81826ac0a167933d13506bc2a986fb5517038df9abb780fe9bb2c1d4e80803b)
set(PORTCOST_KOKKOS_KERNELS_SHA256 2d3b3e10ac112e382b88c50d66e4222ce543fca5d42be6d8376a684b82b8b238)

# ---- the release -----------------------------------------------------------------------------------------------------

function(portcost_release_tree repository hash fetch out)
  set(name ${repository}-${PORTCOST_KOKKOS_RELEASE})
  portcost_source_tree(${name} https://github.com/kokkos/${repository}/releases/download/${PORTCOST_KOKKOS_RELEASE}/${name}.tar.gz
                       ${hash} ${fetch} tree)
  set(${out} "${tree}" PARENT_SCOPE)
  set(${out}_WHY_NOT "${tree_WHY_NOT}" PARENT_SCOPE)
endfunction()

# portcost_take_release(FETCH): sets the two trees to those of the release, if they can be had; else portcost_no_release.
macro(portcost_take_release fetch)
  portcost_release_tree(kokkos ${PORTCOST_KOKKOS_SHA256} ${fetch} portcost_tree)
  set(portcost_no_release ${portcost_tree_WHY_NOT})
  if(portcost_tree)
    portcost_release_tree(kokkos-kernels ${PORTCOST_KOKKOS_KERNELS_SHA256} ${fetch} portcost_kernels_tree)
    if(NOT portcost_kernels_tree)
      set(portcost_no_release ${portcost_kernels_tree_WHY_NOT})
      set(portcost_tree "")
    endif()
    set(PORTCOST_KOKKOS_ORIGIN "upstream release")
  endif()
endmacro()

# ---- the distribution's sources ---------------------------------------------------------------------------------------

# portcost_take_distribution(ARGUMENT...): sets the two trees to the distribution's, if they can be had; else
# portcost_no_distribution.
macro(portcost_take_distribution)
  set(portcost_reason ${CMAKE_BINARY_DIR}/portcost-reason.txt)
  file(REMOVE ${portcost_reason})
  execute_process(COMMAND ${PROJECT_SOURCE_DIR}/perf/setup/kokkos_source --reason ${portcost_reason} ${ARGN}
                  OUTPUT_VARIABLE portcost_folder OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE portcost_status)
  if(portcost_status EQUAL 0)
    set(portcost_tree ${portcost_folder}/kokkos)
    set(portcost_kernels_tree ${portcost_folder}/kokkos-kernels)
    file(STRINGS ${portcost_folder}/origin PORTCOST_KOKKOS_ORIGIN LIMIT_COUNT 1)
  elseif(EXISTS ${portcost_reason})
    file(STRINGS ${portcost_reason} portcost_no_distribution LIMIT_COUNT 1)
  else()
    set(portcost_no_distribution "perf/setup/kokkos_source ended with ${portcost_status}")
  endif()
endmacro()

# ---- choosing ---------------------------------------------------------------------------------------------------------

# Sets the two trees and PORTCOST_KOKKOS_ORIGIN, or ends the configuration. What the cache holds goes before what would have
# to be fetched.
macro(portcost_choose_tree)
  set(portcost_tree "")
  set(portcost_no_release "it was not asked for")
  set(portcost_no_distribution "it was not asked for")
  string(COMPARE NOTEQUAL "${PORTCOST_KOKKOS}" distribution portcost_wants_release)
  string(COMPARE NOTEQUAL "${PORTCOST_KOKKOS}" release portcost_wants_distribution)
  if(PORTCOST_BACKEND STREQUAL "cuda")
    if(PORTCOST_KOKKOS STREQUAL "distribution")
      portcost_stop("The distribution's Kokkos is older than ${PORTCOST_LEAST_CUDA_KOKKOS}, which a CUDA build needs: it "
                    "serves the host presets only.")
    endif()
    set(portcost_wants_distribution FALSE)
    string(CONCAT portcost_no_distribution "a CUDA build needs Kokkos >= ${PORTCOST_LEAST_CUDA_KOKKOS}, and they are older "
           "(they serve the host: --preset openmp)")
  endif()
  if(portcost_wants_release)
    portcost_take_release(FALSE)
  endif()
  if(NOT portcost_tree AND portcost_wants_distribution)
    portcost_take_distribution(--kept)
  endif()
  if(NOT portcost_tree AND NOT PORTCOST_FETCH)
    portcost_stop("${portcost_none_found}, and nothing is to be fetched. Needed: Kokkos's release ${PORTCOST_KOKKOS_RELEASE} "
                  "(3 MB from github.com) or, for host builds, the source package trilinos of the distribution (166 MB), "
                  "kept in $ENV{PORTCOST_CACHE}, or name an installation in Kokkos_ROOT (--kokkos).")
  endif()
  if(NOT portcost_tree AND portcost_wants_release)
    portcost_take_release(TRUE)
  endif()
  if(NOT portcost_tree AND portcost_wants_distribution)
    if(portcost_wants_release)
      message(NOTICE "portcost: ${portcost_none_found}; its release ${PORTCOST_KOKKOS_RELEASE} was not reached at github.com "
                     "(${portcost_no_release})")
    endif()
    portcost_take_distribution()
  endif()
  if(NOT portcost_tree)
    portcost_stop("${portcost_none_found}. Its release ${PORTCOST_KOKKOS_RELEASE} at github.com: ${portcost_no_release}. The "
                  "distribution's sources: ${portcost_no_distribution}. Name an installation in Kokkos_ROOT (--kokkos), or "
                  "source trees in FETCHCONTENT_SOURCE_DIR_KOKKOS and FETCHCONTENT_SOURCE_DIR_KOKKOSKERNELS, or put "
                  "kokkos-${PORTCOST_KOKKOS_RELEASE}.tar.gz and kokkos-kernels-${PORTCOST_KOKKOS_RELEASE}.tar.gz of the "
                  "release into $ENV{PORTCOST_CACHE}.")
  endif()
endmacro()

# The trees that the user names.
macro(portcost_take_named_trees)
  set(portcost_tree ${FETCHCONTENT_SOURCE_DIR_KOKKOS})
  set(portcost_kernels_tree ${FETCHCONTENT_SOURCE_DIR_KOKKOSKERNELS})
  set(PORTCOST_KOKKOS_ORIGIN "source tree")
  foreach(portcost_name IN ITEMS FETCHCONTENT_SOURCE_DIR_KOKKOS FETCHCONTENT_SOURCE_DIR_KOKKOSKERNELS)
    if(${portcost_name} AND NOT EXISTS ${${portcost_name}}/CMakeLists.txt)
      portcost_stop("${portcost_name} is '${${portcost_name}}', which holds no CMakeLists.txt: it takes the top of a source "
                    "tree.")
    endif()
  endforeach()
  if(NOT portcost_kernels_tree)
    message(NOTICE "portcost: FETCHCONTENT_SOURCE_DIR_KOKKOSKERNELS names no source tree: the peers from Kokkos Kernels are "
                   "left out")
  endif()
endmacro()

# ---- building ---------------------------------------------------------------------------------------------------------

macro(portcost_build_kokkos)
  if(FETCHCONTENT_SOURCE_DIR_KOKKOS)
    portcost_take_named_trees()
  else()
    portcost_choose_tree()
  endif()
  set(PORTCOST_KOKKOS_WHERE ${portcost_tree})
  set(CMAKE_CXX_STANDARD 20)
  set(CMAKE_CXX_EXTENSIONS OFF)
  set(Kokkos_ENABLE_SERIAL ON CACHE BOOL "")
  set(Kokkos_ENABLE_OPENMP ON CACHE BOOL "") # with CUDA for what a host does beside a device
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
  endif()
  # Of Kokkos Kernels nothing is compiled ahead (3.4 would take very long): what is used is compiled where it is used.
  set(KokkosKernels_ADD_DEFAULT_ETI OFF CACHE BOOL "")
  set(KokkosKernels_ENABLE_ALL_COMPONENTS OFF CACHE BOOL "")
  set(KokkosKernels_ENABLE_COMPONENT_BLAS ON CACHE BOOL "")
  set(KokkosKernels_ENABLE_COMPONENT_BATCHED ON CACHE BOOL "")
  # Their warnings are not ours to mend.
  set(portcost_cxx_flags "${CMAKE_CXX_FLAGS}")
  set(portcost_cuda_flags "${CMAKE_CUDA_FLAGS}")
  # (Kokkos 3.4 uses uint32_t without its header, which g++ brings no longer from version 13 on.)
  string(APPEND CMAKE_CXX_FLAGS " -w -include cstdint")
  string(APPEND CMAKE_CUDA_FLAGS " -w")
  if(PORTCOST_TSAN)
    string(APPEND CMAKE_CXX_FLAGS " -fsanitize=thread -include ${PROJECT_SOURCE_DIR}/tests/tsan_fences.hpp")
  endif()
  add_subdirectory(${portcost_tree} ${PROJECT_BINARY_DIR}/_deps/kokkos EXCLUDE_FROM_ALL SYSTEM)
  # In tree, Kokkos leaves this empty in our scope; Kokkos Kernels asks for it.
  if(NOT Kokkos_COMPILE_LANGUAGE)
    if(Kokkos_ENABLE_CUDA)
      set(Kokkos_COMPILE_LANGUAGE CUDA)
    else()
      set(Kokkos_COMPILE_LANGUAGE CXX)
    endif()
  endif()
  set(PORTCOST_KOKKOS_KERNELS FALSE)
  if(portcost_kernels_tree)
    add_subdirectory(${portcost_kernels_tree} ${PROJECT_BINARY_DIR}/_deps/kokkos-kernels EXCLUDE_FROM_ALL SYSTEM)
    set(PORTCOST_KOKKOS_KERNELS TRUE)
  endif()
  set(portcost_options "")
  foreach(portcost_option IN ITEMS DEBUG DEBUG_BOUNDS_CHECK)
    if(Kokkos_ENABLE_${portcost_option})
      list(APPEND portcost_options ${portcost_option})
    endif()
  endforeach()
  portcost_falsifying("${portcost_options}" "" PORTCOST_KOKKOS_FALSIFYING)
  set(CMAKE_CXX_FLAGS "${portcost_cxx_flags}")
  set(CMAKE_CUDA_FLAGS "${portcost_cuda_flags}")
  file(STRINGS ${portcost_tree}/CMakeLists.txt portcost_version_lines REGEX "set\\(Kokkos_VERSION_(MAJOR|MINOR|PATCH) ")
  string(REGEX REPLACE "[^0-9;]" "" portcost_version_lines "${portcost_version_lines}")
  list(JOIN portcost_version_lines "." PORTCOST_KOKKOS_VERSION)
  set(PORTCOST_KOKKOS_KERNELS_VERSION none)
  if(PORTCOST_KOKKOS_KERNELS)
    set(PORTCOST_KOKKOS_KERNELS_VERSION ${PORTCOST_KOKKOS_VERSION})
  endif()
endmacro()
