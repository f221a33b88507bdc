// SPDX-License-Identifier: Apache-2.0
// Native GPU variants: the runtime's copies one by one and of a section; packed rows that a kernel
// unpacks; and kernels that read the section or the arrays over the link.
#include <cstring>

#include "src/memory/cuda_check.hpp"
#include "variants/transfer_batching/problem.hpp"

namespace portcost::transfer_batching {

namespace {

void to_device(void* to, const void* from, std::size_t bytes, const Stream& on) {
  cuda_check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, on.native()));
}

template <From from>
constexpr auto one_by_one = []<class T>(const Batch<T>& s, const Stream& on) {
  for (std::int64_t i = 0; i < s.count; ++i) {
    to_device(s.target + s.at(i), row_of<from>(s, i), s.row_bytes(), on);
  }
};

constexpr auto plane_by_plane = []<class T>(const Batch<T>& s, const Stream& on) {
  for (std::int64_t i = 0; i < s.count; i += s.rows) {
    cuda_check(cudaMemcpy2DAsync(s.target + s.at(i), s.pitch_bytes(), s.section + s.at(i),
                                 s.pitch_bytes(), s.row_bytes(), static_cast<std::size_t>(s.rows),
                                 cudaMemcpyHostToDevice, on.native()));
  }
};

constexpr auto whole_box = []<class T>(const Batch<T>& s, const Stream& on) {
  const auto rows = static_cast<std::size_t>(s.rows);
  const auto box = [&](const T* first) {
    return make_cudaPitchedPtr(const_cast<T*>(first), s.pitch_bytes(), s.row_bytes(), rows + 1);
  };
  cudaMemcpy3DParms copy{};
  copy.srcPtr = box(s.section);
  copy.dstPtr = box(s.target);
  copy.extent = make_cudaExtent(s.row_bytes(), rows, static_cast<std::size_t>(s.count) / rows);
  copy.kind = cudaMemcpyHostToDevice;
  cuda_check(cudaMemcpy3DAsync(&copy, on.native()));
};

template <class Moved>
__global__ __launch_bounds__(kernel_threads) void move_kernel(Moved rows) {
  const std::int64_t i = std::int64_t{blockIdx.x} * kernel_threads + threadIdx.x;
  if (i < rows.elements()) rows.move(i);
}

template <class Moved>
void launch(const Moved& rows, const Stream& on) {
  const std::int64_t blocks = ceil_div(rows.elements(), std::int64_t{kernel_threads});
  move_kernel<<<static_cast<unsigned>(blocks), kernel_threads, 0, on.native()>>>(rows);
  cuda_check(cudaGetLastError());
}

template <From from, class T>
void packed(const Batch<T>& s, const Stream& on) {
  on.synchronize();  // the packed rows of the run before may still be on their way
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < s.count; ++i) {
    std::memcpy(s.packed + i * s.n, row_of<from>(s, i), s.row_bytes());
  }
  to_device(s.packed_on_device, s.packed, static_cast<std::size_t>(s.count) * s.row_bytes(), on);
  launch(unpacked(s), on);
}
template <From from>
constexpr auto packing =
    []<class T>(const Batch<T>& s, const Stream& on) { return waiting(s, on, packed<from, T>); };

// The list of where they lie is copied in every run, as the batched copy is given one.
constexpr auto arrays_by_kernel = []<class T>(const Batch<T>& s, const Stream& on) {
  const Arrays<T> arrays = arrays_over_link(s);
  to_device(s.sources_on_device, s.sources_in_kernels,
            static_cast<std::size_t>(s.count) * sizeof(Source<T>), on);
  launch(arrays, on);
};

#if CUDART_VERSION >= 12080
constexpr auto batched = []<class T>(const Batch<T>& s, const Stream& on) {
  cudaMemcpyAttributes attributes{};
  attributes.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  std::size_t first = 0;  // the attributes are those of all copies from this one on
  const auto count = static_cast<std::size_t>(s.count);
#if CUDART_VERSION >= 13000
  cuda_check(cudaMemcpyBatchAsync(s.targets, s.sources, s.sizes, count, &attributes, &first, 1,
                                  on.native()));
#else
  std::size_t failed = 0;
  cuda_check(cudaMemcpyBatchAsync(s.targets, s.sources, const_cast<std::size_t*>(s.sizes), count,
                                  &attributes, &first, 1, &failed, on.native()));
#endif
};
#endif

}  // namespace

Rungs cuda_rungs() {
#if CUDART_VERSION >= 12080
  Rung all_in_one_call = rung(works, "arrays_batched", batched);
#else
  Rung all_in_one_call = absent_rung("arrays_batched", "cudaMemcpyBatchAsync came with CUDA 12.8");
#endif
  Rungs result{rung(works, "arrays_one_by_one", one_by_one<From::arrays>),
               rung(works, "section_row_by_row", one_by_one<From::section>),
               rung(works, "section_2d", plane_by_plane),
               rung(works, "section_3d", whole_box),
               rung(works, "arrays_packed", packing<From::arrays>),
               rung(works, "section_packed", packing<From::section>),
               rung(works, "section_over_link",
                    [](const auto& s, const Stream& on) { launch(over_link(s), on); }),
               rung(works, "arrays_over_link", arrays_by_kernel),
               all_in_one_call};
  return of_planes(std::move(result));
}

}  // namespace portcost::transfer_batching
