# Tests under ThreadSanitizer: its options, and that it reports what it must and nothing else.

# Functions are suppressed by name, which takes a symbolizer.
execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-prog-name=llvm-symbolizer
                OUTPUT_VARIABLE symbolizer OUTPUT_STRIP_TRAILING_WHITESPACE)
# clang's OpenMP library is not compiled with it: Archer speaks for it, and what it does to memory is passed over. Tests ask
# for more memory than there is, and look at how that is refused.
set(tsan_options suppressions=${CMAKE_CURRENT_SOURCE_DIR}/tsan.supp ignore_noninstrumented_modules=1
  allocator_may_return_null=1 external_symbolizer_path=${symbolizer})
list(JOIN tsan_options ":" tsan_options)
# However ctest is started. (A program that stands before another is called an emulator.)
set_target_properties(portcost_tests portcost_tests_device_shapes PROPERTIES
  CROSSCOMPILING_EMULATOR "env;TSAN_OPTIONS=${tsan_options};OMP_TOOL=enabled")

add_executable(portcost_tsan_races tsan_races.cpp)
target_link_libraries(portcost_tsan_races PRIVATE portcost_flags Kokkos::kokkos OpenMP::OpenMP_CXX)
foreach(case IN ITEMS openmp_barrier team_barrier fences)
  add_test(NAME "ThreadSanitizer is silent: ${case}" COMMAND portcost_tsan_races ${case})
  set_tests_properties("ThreadSanitizer is silent: ${case}" PROPERTIES FAIL_REGULAR_EXPRESSION "ThreadSanitizer")
  list(APPEND tsan_tests "ThreadSanitizer is silent: ${case}")
endforeach()
foreach(case IN ITEMS openmp_no_barrier team_no_barrier no_fences)
  add_test(NAME "ThreadSanitizer reports: ${case}" COMMAND portcost_tsan_races ${case})
  set_tests_properties("ThreadSanitizer reports: ${case}" PROPERTIES
    PASS_REGULAR_EXPRESSION "WARNING: ThreadSanitizer: data race")
  list(APPEND tsan_tests "ThreadSanitizer reports: ${case}")
endforeach()
set_tests_properties(${tsan_tests} PROPERTIES TIMEOUT 300
  ENVIRONMENT "TSAN_OPTIONS=${tsan_options};OMP_TOOL=enabled;OMP_NUM_THREADS=2")
