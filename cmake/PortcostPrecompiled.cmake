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
set(PORTCOST_STANDARD_HEADERS algorithm any array atomic chrono cmath cstdint cstring filesystem fstream functional limits map memory
    mutex optional random set span string string_view thread tuple type_traits utility variant vector fmt/format.h)
