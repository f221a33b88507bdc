// SPDX-License-Identifier: Apache-2.0
// Native GPU variants: CUDA's atomic functions. There is no 64-bit atomicSub, atomicInc or
// atomicDec: the first adds the negative, the other two are loops around atomicCAS. So is an
// addition of 16 bytes.
#include <type_traits>

#include "src/memory/cuda_check.hpp"
#include "variants/atomics/problem.hpp"
#include "variants/shared/cuda_attributes.cuh"

namespace portcost::atomics {

namespace {

// The types CUDA's functions are overloaded for.
template <class Word>
using Native =
    std::conditional_t<is_complex<Word>, Complex,
                       std::conditional_t<sizeof(Word) == 8, unsigned long long, unsigned>>;

// A first look at a word, of which other threads may change a part meanwhile; words differ by bits.
template <class T>
__device__ T look(T* at) {
  return *static_cast<volatile T*>(at);
}
__device__ Complex look(Complex* at) { return {look(&at->re), look(&at->im)}; }
__device__ bool operator!=(Complex a, Complex b) {
  return __double_as_longlong(a.re) != __double_as_longlong(b.re) ||
         __double_as_longlong(a.im) != __double_as_longlong(b.im);
}

#if __CUDA_ARCH__ < 900
using ::atomicCAS;
__device__ Complex atomicCAS(Complex*, Complex, Complex) { return {}; }  // no_exchange refuses it
#endif

// Applies the operation to what it has seen until no other thread has changed the word in between.
template <Operation operation, class T>
__device__ T until_exchanged(T* at, T operand) {
  T old = look(at), seen;
  do {
    seen = old;
    old = atomicCAS(at, seen, apply<operation>(seen, operand));
  } while (old != seen);
  return old;
}

// Returns what the word was before.
template <Operation operation, class T>
__device__ T fetch(T* at, T operand) {
  [[maybe_unused]] constexpr bool short_word = sizeof(T) == 4;
  if constexpr (operation == Operation::add && !is_complex<T>) {
    return atomicAdd(at, operand);
  } else if constexpr (operation == Operation::sub) {
    return atomicAdd(at, T(0) - operand);
  } else if constexpr (operation == Operation::exchange) {
    return atomicExch(at, operand);
  } else if constexpr (operation == Operation::min) {
    return atomicMin(at, operand);
  } else if constexpr (operation == Operation::max) {
    return atomicMax(at, operand);
  } else if constexpr (operation == Operation::increment_wrap && short_word) {
    return atomicInc(at, operand);
  } else if constexpr (operation == Operation::decrement_wrap && short_word) {
    return atomicDec(at, operand);
  } else if constexpr (operation == Operation::bit_and) {
    return atomicAnd(at, operand);
  } else if constexpr (operation == Operation::bit_or) {
    return atomicOr(at, operand);
  } else if constexpr (operation == Operation::bit_xor) {
    return atomicXor(at, operand);
  } else {
    return until_exchanged<operation>(at, operand);
  }
}

template <Operation operation, class Word>
__device__ void run_item(const Work<Word>& s, std::uint64_t item, std::uint64_t word, Word* at) {
  Word sum{};
  const unsigned count = s.count(item);
#pragma unroll 4
  for (unsigned k = 0; k < count; ++k) {
    const Word value = operand<operation, Word>(item * item_operations + k, word);
    const Word returned =
        fetch<operation>(reinterpret_cast<Native<Word>*>(at), Native<Word>{value});
    sum += witness<operation>(returned);
  }
  s.sums[item] = sum;
}

template <Operation operation, class Word>
__global__ void __launch_bounds__(team_items) global_kernel(Work<Word> s) {
  const std::uint64_t item = std::uint64_t{blockIdx.x} * team_items + threadIdx.x;
  if (item >= s.items()) return;
  const std::uint64_t word = item % s.words;
  run_item<operation>(s, item, word, s.global + word);
}

template <Operation operation, class Word>
__global__ void __launch_bounds__(team_items) scratch_kernel(Work<Word> s) {
  __shared__ Word own[most_scratch_words];
  const unsigned words = s.scratch_words(), id = threadIdx.x;
  const std::uint64_t team = blockIdx.x, item = team * team_items + id;
  for (unsigned i = id; i < words; i += team_items) own[i] = s.initial[i];
  __syncthreads();
  if (item < s.items()) run_item<operation>(s, item, id % words, own + id % words);
  __syncthreads();
  for (unsigned i = id; i < words; i += team_items) s.scratch[team * words + i] = own[i];
}

template <class Word>
void run(Operation wanted, Memory memory, const Work<Word>& s, const Stream& stream) {
  const auto teams = static_cast<unsigned>(s.teams());
  with_operation<Word>(wanted, [&]<Operation operation>() {
    if (memory == Memory::global) {
      global_kernel<operation, Word><<<teams, team_items, 0, stream.native()>>>(s);
    } else {
      scratch_kernel<operation, Word><<<teams, team_items, 0, stream.native()>>>(s);
    }
  });
  cuda_check(cudaGetLastError());
}

std::string_view no_exchange(const Problem& p) {
  const bool lacks = p.size.at("width") == 128 && gpu_before_9();
  return lacks ? "16 bytes are exchanged by GPUs of compute capability 9.0 and later" : "";
}

}  // namespace

Rungs cuda_rungs() {
  const auto one = [](Operation operation, Memory memory, const auto& s, const Stream& on) {
    run(operation, memory, s, on);
  };
  return every_operation(one, no_exchange);
}

}  // namespace portcost::atomics
