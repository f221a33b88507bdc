# portcost_flags: what every target of ours is compiled with.
add_library(portcost_flags INTERFACE)
target_compile_features(portcost_flags INTERFACE cxx_std_20)
target_include_directories(portcost_flags INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_definitions(portcost_flags INTERFACE
  PORTCOST_HAS_CUDA=$<BOOL:${PORTCOST_CUDA}>
  # What variants/shared/kokkos_team.hpp assumes is compared with the real launch.
  $<$<OR:$<CONFIG:Debug>,$<BOOL:${PORTCOST_CHECK_TRICKS}>>:PORTCOST_CHECK_TRICKS>)

set(cxx $<COMPILE_LANGUAGE:CXX>)
set(nvcc $<COMPILE_LANG_AND_ID:CUDA,NVIDIA>)
# Without AVX-512, GCC warns of each function that takes or returns a vector of 64 bytes, because it is passed differently there
# (-Wpsabi). Here such functions are called only within one program, so the warning is off. -lineinfo gives the profiler source
# lines and has no effect on the code. nvcc hands `#pragma unroll` to the host's compiler, too, which does not know it. clang warns of
# optional braces.
target_compile_options(portcost_flags INTERFACE
  $<${cxx}:-Wall -Wextra -Wshadow -Wpedantic -Wno-psabi>
  $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wno-missing-braces>
  $<${nvcc}:-Xcompiler=-Wall,-Wextra,-Wno-unknown-pragmas -Wno-deprecated-gpu-targets -lineinfo>)
if(PORTCOST_CUDA AND CMAKE_VERSION VERSION_LESS 3.25.2)
  # This CMake knows no C++20 flag for nvcc and drops the standard without a word. For programs of Kokkos alone, too.
  add_compile_options($<${nvcc}:-std=c++20>)
endif()

# Both sides of a host pair get the same processor. Without it x86-64 has no fused multiply-add instruction and the rules,
# which spell std::fma, would call the mathematics library for each.
if(PORTCOST_NATIVE)
  target_compile_options(portcost_flags INTERFACE $<${cxx}:-march=native>)
endif()

if(PORTCOST_RESOURCE_USAGE) # the log of the build then has each kernel's registers and spills
  target_compile_options(portcost_flags INTERFACE $<${nvcc}:-Xptxas=-v>)
endif()

if(PORTCOST_WERROR)
  target_compile_options(portcost_flags INTERFACE $<${cxx}:-Werror> $<${nvcc}:-Werror=all-warnings>)
endif()

target_compile_options(portcost_flags INTERFACE ${PORTCOST_TSAN_FENCES})
if(PORTCOST_SANITIZE)
  target_compile_options(portcost_flags INTERFACE
    $<${cxx}:-fsanitize=${PORTCOST_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer>)
  if(PORTCOST_SANITIZE MATCHES "address,undefined")
    # These checks take a fifth of the time of compiling; AddressSanitizer finds most bad accesses.
    target_compile_options(portcost_flags INTERFACE $<${cxx}:-fno-sanitize=null,object-size,pointer-overflow>)
  endif()
  target_compile_definitions(portcost_flags INTERFACE _GLIBCXX_ASSERTIONS PORTCOST_SANITIZED PORTCOST_CHECK_TRICKS)
  target_link_options(portcost_flags INTERFACE -fsanitize=${PORTCOST_SANITIZE})
endif()
