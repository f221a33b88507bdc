// SPDX-License-Identifier: Apache-2.0
// For CUDA kernels on tiles of a matrix (matrix_tiles.hpp), whose threads keep their elements in
// registers and data that others need in shared memory: slices of two other tiles.
//
// In a kernel's `Work`, row(i) is the start of row i, and offset(i) the number of elements before
// it.
#pragma once

#include <cuda_pipeline.h>

#include "src/memory/cuda_check.hpp"
#include "variants/shared/matrix_tiles.hpp"

namespace portcost {

inline dim3 grid_of(int columns, int rows) {
  return {static_cast<unsigned>(columns), static_cast<unsigned>(rows)};
}

// A thread's loads of each slice: part of a row of the left tile, and part of a row of the right
// tile.
template <class Shape, class T>
class Loads {
 public:
  // Starts at column `first` of the left tiles, which is a row of the right tiles.
  template <class Work>
  __device__ Loads(const Work& s, Tile at, int first)
      : left_from_(s.row(at.row * tile + line()) + first + column()),
        right_from_(s.row(first + below()) + at.col * tile + across()),
        right_step_(s.offset(slice)) {}

  // Loads the next slice into registers, and stores it to shared memory.
  __device__ void fetch() {
    copy_pack<pack>(left_, left_from_);
    copy_pack<pack>(right_, right_from_);
    advance();
  }
  __device__ void publish(T* left, T* right) const {
#pragma unroll
    for (int e = 0; e < pack; ++e) target(left, e) = left_[e];
    copy_pack<pack>(target(right), right_);
  }
  // Does both by asynchronous copies, which bypass the registers; the left tile's elements go one
  // by one, because they go to different rows.
  __device__ void copy(T* left, T* right) {
#pragma unroll
    for (int e = 0; e < pack; ++e) {
      __pipeline_memcpy_async(&target(left, e), left_from_ + e, sizeof(T));
    }
    __pipeline_memcpy_async(target(right), right_from_, pack * sizeof(T));
    __pipeline_commit();
    advance();
  }

 private:
  static constexpr int tile = Shape::tile, slice = Shape::slice, pack = Shape::pack;

  __device__ static int line() { return threadIdx.x / (slice / pack); }
  __device__ static int column() { return threadIdx.x % (slice / pack) * pack; }
  __device__ static int below() { return threadIdx.x / (tile / pack); }
  __device__ static int across() { return threadIdx.x % (tile / pack) * pack; }
  __device__ static T& target(T* left, int e) {
    return left[(column() + e) * Shape::left_pitch + line()];
  }
  __device__ static T* target(T* right) { return right + below() * tile + across(); }
  __device__ void advance() {
    left_from_ += slice;
    right_from_ += right_step_;
  }

  const T *left_from_, *right_from_;
  std::uint64_t right_step_;
  alignas(pack_bytes<T>) T left_[pack], right_[pack];
};

}  // namespace portcost
