# Steps by the book that are measured with a single trick of shared/kokkos_tricks.hpp, too: those that cost more than 1.05 of
# their tuned form.
set(tricks_of_heat2d "team_size: naive full_halo inner_halo sliding_strip"
                     "index64: naive full_halo inner_halo sliding_strip"
                     "straight_ranges: naive full_halo inner_halo sliding_strip"
                     "raw_scratch: full_halo inner_halo sliding_strip")
set(tricks_of_jacobi "straight_ranges: naive many_steps")
set(tricks_of_sum "team_size: interleaved strided sequential first_add warp_finish"
                  "index64: interleaved strided sequential first_add warp_finish"
                  "straight_ranges: interleaved strided sequential first_add warp_finish"
                  "raw_scratch: interleaved strided sequential first_add warp_finish")
set(tricks_of_scan "straight_ranges: reduce_then_scan look_back" "volatile_load: look_back")
set(tricks_of_block_vote "straight_ranges: barrier_vote warp_vote packed_vote")
set(tricks_of_atomics "volatile_load: inc_wrap_global inc_wrap_scratch dec_wrap_global dec_wrap_scratch cas_global cas_scratch")
set(tricks_of_message_passing "team_fence: team_fence" "straight_ranges: team_fence device_ticket")
set(tricks_of_floyd_warshall "straight_ranges: naive_2d block_2d block_3d staged deep_k register_tile dataflow")
set(tricks_of_gauss "straight_ranges: naive block_r1 panel")
set(tricks_of_gauss_batched "straight_ranges: staged team_each lane_grid")
set(tricks_of_transpose "straight_ranges: coalesced_tile padded_tile diagonal whole_sectors in_place copy"
                        "raw_scratch: coalesced_tile padded_tile diagonal whole_sectors in_place")
set(tricks_of_strides "straight_ranges: padded_rows")

# portcost_trick_source(FOLDER TRICK OUT): writes the source of an entry above, and sets OUT to its path.
function(portcost_trick_source folder entry out)
  get_filename_component(algorithm ${folder} NAME)
  string(REGEX MATCH "^([a-z0-9_]+): (.*)$" found "${entry}")
  set(trick ${CMAKE_MATCH_1})
  string(REGEX REPLACE "([a-z0-9_]+)" "\"\\1\"," steps "${CMAKE_MATCH_2}")
  # What book.cpp includes must not see what its name Kokkos means here.
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${folder}/kokkos/book.cpp)
  file(STRINGS ${folder}/kokkos/book.cpp includes REGEX "^#include")
  list(FILTER includes EXCLUDE REGEX "/kokkos/book[.]hpp")
  list(JOIN includes "\n" includes)
  set(source ${PROJECT_BINARY_DIR}/generated/${algorithm}/kokkos/trick_${trick}.cpp)
  configure_file(${CMAKE_CURRENT_FUNCTION_LIST_DIR}/shared/kokkos_trick.cpp.in ${source} @ONLY)
  set(${out} ${source} PARENT_SCOPE)
endfunction()
