// SPDX-License-Identifier: Apache-2.0
// Native GPU variants: CUDA's three fences. A fence of one thread covers the writes of others that
// a barrier has made visible to it.
#include "src/memory/cuda_check.hpp"
#include "variants/message_passing/host_bodies.hpp"

namespace portcost::message_passing {

namespace {

constexpr unsigned all_lanes = ~0u;

// The sum over a warp, in all its lanes.
__device__ std::uint32_t add_warp(std::uint32_t value) {
#pragma unroll
  for (unsigned offset = lanes / 2; offset > 0; offset /= 2) {
    value += __shfl_xor_sync(all_lanes, value, offset);
  }
  return value;
}

// The sum of the words of a group's messages that thread `id` of `count` reads.
__device__ std::uint32_t read_words(const Round& s, std::uint32_t group, unsigned id,
                                    unsigned count) {
  const std::uint32_t* const from = s.messages + s.first_of_group(group);
  std::uint32_t sum = 0;
#pragma unroll 4
  for (unsigned i = id; i < s.group_words(); i += count) sum += from[i];
  return sum;
}

__device__ void write_words(const Round& s, std::uint64_t first, unsigned id, unsigned count) {
#pragma unroll 4
  for (unsigned i = id; i < s.words; i += count) s.messages[first + i] = s.word(first + i);
}

// A block is a group, its warps are the members.
__global__ void __launch_bounds__(threads) team_fence_kernel(Round s) {
  __shared__ unsigned arrived;
  const unsigned lane = threadIdx.x % lanes, group = blockIdx.x;
  if (threadIdx.x == 0) arrived = 0;
  __syncthreads();
  for (unsigned member = threadIdx.x / lanes; member < s.members; member += warps) {
    write_words(s, s.first_of_group(group) + std::uint64_t{member} * s.words, lane, lanes);
    __syncwarp();
    unsigned ticket = 0;
    if (lane == 0) {
      __threadfence_block();  // the message is there before the ticket says so
      ticket = atomicAdd(&arrived, 1u);
      if (ticket == s.members - 1) __threadfence_block();  // and is read after it has said so
    }
    ticket = __shfl_sync(all_lanes, ticket, 0);
    if (ticket == s.members - 1) {
      const std::uint32_t sum = add_warp(read_words(s, group, lane, lanes));
      if (lane == 0) s.sums[group] = sum;
    }
  }
}

struct DeviceFence {
  static __device__ void fence() { __threadfence(); }
};
struct SystemFence {
  static __device__ void fence() { __threadfence_system(); }
};

// A block is a member; the last block of a group reads the messages of all.
template <class Scope>
__global__ void __launch_bounds__(threads) ticket_kernel(Round s) {
  __shared__ bool last;
  __shared__ std::uint32_t box[warps];
  const unsigned group = blockIdx.x / s.members;
  write_words(s, std::uint64_t{blockIdx.x} * s.words, threadIdx.x, threads);
  __syncthreads();
  if (threadIdx.x == 0) {
    Scope::fence();  // the message is there before the ticket says so
    last = atomicAdd(s.arrived + group, 1u) == s.members - 1;
    if (last) Scope::fence();  // and is read after the ticket has said so
  }
  __syncthreads();
  if (!last) return;
  const std::uint32_t part = add_warp(read_words(s, group, threadIdx.x, threads));
  if (threadIdx.x % lanes == 0) box[threadIdx.x / lanes] = part;
  __syncthreads();
  if (threadIdx.x != 0) return;
  std::uint32_t sum = 0;
#pragma unroll
  for (const std::uint32_t of_warp : box) sum += of_warp;
  s.sums[group] = sum;
  s.arrived[group] = 0;
}

// A block is a member.
__global__ void __launch_bounds__(threads) host_reader_kernel(Round s) {
  write_words(s, std::uint64_t{blockIdx.x} * s.words, threadIdx.x, threads);
  __syncthreads();
  if (threadIdx.x != 0) return;
  __threadfence_system();  // the message is there before the flag says so
  *static_cast<volatile std::uint32_t*>(s.arrived + blockIdx.x) = 1;
}

template <class Scope>
void launch_tickets(const Round& s, const Stream& stream) {
  ticket_kernel<Scope><<<s.groups * s.members, threads, 0, stream.native()>>>(s);
  cuda_check(cudaGetLastError());
}

void team_fence(const Round& s, const Stream& stream) {
  team_fence_kernel<<<s.groups, threads, 0, stream.native()>>>(s);
  cuda_check(cudaGetLastError());
}
void host_reader(const Round& s, const Stream& stream) {
  host_reader_kernel<<<s.groups * s.members, threads, 0, stream.native()>>>(s);
  cuda_check(cudaGetLastError());
}
void device_ticket(const Round& s, const Stream& stream) { launch_tickets<DeviceFence>(s, stream); }
void system_ticket(const Round& s, const Stream& stream) { launch_tickets<SystemFence>(s, stream); }

}  // namespace

Rungs cuda_rungs() {
  return {rung(works, "team_fence", team_fence), rung(works, "device_ticket", device_ticket),
          rung(works, "system_ticket", system_ticket), host_reader_step(host_reader)};
}

}  // namespace portcost::message_passing
