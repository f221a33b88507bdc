// SPDX-License-Identifier: Apache-2.0
// Native GPU variants, and cuRAND's generator for kernels.
#include <curand_kernel.h>

#include <memory>

#include "src/memory/buffer.hpp"
#include "src/memory/cuda_check.hpp"
#include "variants/random/problem.hpp"

namespace portcost::random {

namespace {

constexpr Shape shape = shape_in(Place::device);
constexpr unsigned threads = shape.threads;

template <class Rule>
__global__ void __launch_bounds__(threads) one_number_kernel(Filling<Rule> s) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * threads + threadIdx.x;
  if (i < s.n) s.out[i] = Rule::number(i, s.seed);
}

// Stores a call's numbers at once; the last call only stores numbers within the array.
template <class Rule>
__device__ void store_call(const Filling<Rule>& s, std::uint64_t call) {
  using Pack = Group<Rule, 1>;
  const Pack made = group<Rule, 1>(call, s.seed);
  const std::uint64_t first = call * Pack::count;
  if (call < s.n / Pack::count) {
    reinterpret_cast<Pack*>(s.out)[call] = made;
  } else {
#pragma unroll
    for (int j = 0; j < Pack::count; ++j) {
      if (first + j < s.n) s.out[first + j] = made.at[j];
    }
  }
}

template <class Rule>
__global__ void __launch_bounds__(threads) one_call_kernel(Filling<Rule> s) {
  store_call(s, std::uint64_t{blockIdx.x} * threads + threadIdx.x);
}

template <class Rule>
__global__ void __launch_bounds__(threads, shape.teams) many_calls_kernel(Filling<Rule> s) {
  const std::uint64_t calls = ceil_div(s.n, std::uint64_t{Rule::of_call});
  for (std::uint64_t call = std::uint64_t{blockIdx.x} * threads + threadIdx.x; call < calls;
       call += std::uint64_t{gridDim.x} * threads) {
    store_call(s, call);
  }
}

constexpr auto one_number = []<class Rule>(const Filling<Rule>& s, const Stream& stream) {
  if (s.n == 0) return;
  const auto blocks = static_cast<unsigned>(ceil_div(s.n, std::uint64_t{threads}));
  one_number_kernel<<<blocks, threads, 0, stream.native()>>>(s);
  cuda_check(cudaGetLastError());
};
constexpr auto one_call = []<class Rule>(const Filling<Rule>& s, const Stream& stream) {
  if (s.n == 0) return;
  const auto blocks = static_cast<unsigned>(ceil_div(s.n, std::uint64_t{threads} * Rule::of_call));
  one_call_kernel<<<blocks, threads, 0, stream.native()>>>(s);
  cuda_check(cudaGetLastError());
};
constexpr auto many_calls = []<class Rule>(const Filling<Rule>& s, const Stream& stream) {
  if (s.n == 0) return;
  const std::uint64_t tiles = ceil_div(s.n, std::uint64_t{threads} * Rule::of_call);
  const auto blocks = static_cast<unsigned>(teams_of(Place::device, tiles, s.processors));
  many_calls_kernel<<<blocks, threads, 0, stream.native()>>>(s);
  cuda_check(cudaGetLastError());
};

// ---- cuRAND in kernels: XORWOW, one state per thread.

__global__ void __launch_bounds__(threads) set_up_kernel(curandState* states, std::uint64_t seed) {
  const unsigned id = blockIdx.x * threads + threadIdx.x;
  curand_init(seed, id, 0, states + id);
}

template <class Rule>
__device__ typename Rule::T draw(curandState& state) {
  constexpr bool wide = sizeof(typename Rule::T) == 8;
  if constexpr (Rule::kind == Kind::uniform) {
    if constexpr (wide) return curand_uniform_double(&state);
    if constexpr (!wide) return curand_uniform(&state);
  } else {
    if constexpr (wide) return curand_normal_double(&state);
    if constexpr (!wide) return curand_normal(&state);
  }
}

// A thread draws every gridDim * threads-th number.
template <class Rule>
__global__ void __launch_bounds__(threads) draw_kernel(Filling<Rule> s, curandState* states) {
  const unsigned id = blockIdx.x * threads + threadIdx.x;
  curandState state = states[id];
  for (std::uint64_t i = id; i < s.n; i += std::uint64_t{gridDim.x} * threads) {
    s.out[i] = draw<Rule>(state);
  }
  states[id] = state;
}

// `anew`: every run allocates and sets up the states, as a pool's constructor does.
template <class Rule, bool anew>
class States final : public Execution {
 public:
  States(const Filling<Rule>& s, const Stream& stream) : s_(s), stream_(stream) { set_up(); }
  void run(int) override {
    if (anew) set_up();
    *s_.own = true;
    draw_kernel<<<blocks_, threads, 0, stream_.native()>>>(s_, states_.data());
    cuda_check(cudaGetLastError());
  }
  bool queued_ahead() const override { return !anew; }  // freeing memory synchronizes

 private:
  void set_up() {
    states_ = Buffer<curandState>(std::size_t{blocks_} * threads, Place::device);
    set_up_kernel<<<blocks_, threads, 0, stream_.native()>>>(states_.data(), s_.seed);
    cuda_check(cudaGetLastError());
  }
  Filling<Rule> s_;
  const Stream& stream_;
  unsigned blocks_ = static_cast<unsigned>(s_.processors * shape.teams);
  Buffer<curandState> states_;
};

template <bool anew>
constexpr auto pool =
    []<class Rule>(const Filling<Rule>& s, const Stream& on) -> std::unique_ptr<Execution> {
  return std::make_unique<States<Rule, anew>>(s, on);
};

}  // namespace

Rungs cuda_rungs() {
  return {rung(works, "one_number", one_number), rung(works, "one_call", one_call),
          rung(works, "many_calls", many_calls), rung(works, "pool", pool<false>),
          rung(works, "pool_setup", pool<true>)};
}

}  // namespace portcost::random
