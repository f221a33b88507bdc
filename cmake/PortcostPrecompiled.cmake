# Headers of libraries that many files include, compiled once for a target. No header of this project is among them: tests/plant_faults
# plants faults there, which an object that reads a precompiled copy would not see.
option(PORTCOST_PRECOMPILED "Precompile the headers of libraries" ON)

# portcost_precompile(TARGET HEADER...): for sources that a C++ compiler compiles; nvcc has no such headers.
function(portcost_precompile target)
  if(PORTCOST_PRECOMPILED)
    set(headers ${ARGN})
    list(TRANSFORM headers REPLACE "(.+)" "$<$<COMPILE_LANGUAGE:CXX>:<\\1$<ANGLE-R>>")
    target_precompile_headers(${target} PRIVATE ${headers})
  endif()
endfunction()
# portcost_precompile_kokkos(TARGET): for programs of Kokkos alone. They share the first target's header and are compiled with -O1.
function(portcost_precompile_kokkos target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  get_property(first GLOBAL PROPERTY PORTCOST_PRECOMPILED_KOKKOS)
  if(NOT PORTCOST_PRECOMPILED OR NOT Kokkos_COMPILE_LANGUAGE STREQUAL CXX)
    return()
  elseif(first)
    target_precompile_headers(${target} REUSE_FROM ${first})
  else()
    portcost_precompile(${target} Kokkos_Core.hpp)
    set_property(GLOBAL PROPERTY PORTCOST_PRECOMPILED_KOKKOS ${target})
  endif()
endfunction()
set(PORTCOST_STANDARD_HEADERS algorithm any array atomic chrono cmath cstdint cstring filesystem fstream functional limits map memory
    mutex optional random set span string string_view thread tuple type_traits utility variant vector fmt/format.h)
