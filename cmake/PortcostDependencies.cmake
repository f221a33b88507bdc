# Libraries other than Kokkos: from packages; Catch2, which Debian 12 and Ubuntu 22.04 have only as version 2, may also be
# fetched.
find_package(OpenMP REQUIRED COMPONENTS CXX)
find_package(Threads REQUIRED)

function(portcost_need package debian_name)
  find_package(${package} CONFIG QUIET)
  if(NOT ${package}_FOUND)
    message(FATAL_ERROR "${package} was not found: install ${debian_name} (Debian, Ubuntu), or name an installation "
                        "with -D${package}_ROOT=PREFIX.")
  endif()
endfunction()

portcost_need(fmt libfmt-dev)
portcost_need(nlohmann_json nlohmann-json3-dev)
if(PORTCOST_PERF)
  portcost_need(CLI11 libcli11-dev)
endif()

if(PORTCOST_TESTS)
  find_package(Catch2 3 CONFIG QUIET)
  if(NOT Catch2_FOUND)
    include(FetchContent)
    message(STATUS "Catch2 3 is not installed: fetching it. Offline, install catch2 >= 3 (Debian 12: from backports), set "
                   "-DCatch2_ROOT=PREFIX or -DFETCHCONTENT_SOURCE_DIR_CATCH2=DIR, or go without tests: -DPORTCOST_TESTS=OFF.")
    FetchContent_Declare(Catch2 SYSTEM
      URL https://github.com/catchorg/Catch2/archive/refs/tags/v3.7.1.tar.gz
      URL_HASH SHA256=c991b247a1a0d7bb9c39aa35faf0fe9e19764213f28ffba3109388e62ee0269c
      DOWNLOAD_EXTRACT_TIMESTAMP TRUE)
    FetchContent_MakeAvailable(Catch2)
    list(APPEND CMAKE_MODULE_PATH ${catch2_SOURCE_DIR}/extras)
  endif()
  include(Catch)
endif()
