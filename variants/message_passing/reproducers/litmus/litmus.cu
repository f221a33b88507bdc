// SPDX-License-Identifier: Apache-2.0
// Message passing as a litmus test: blocks write messages and then flags, with fences of each scope
// or none. A reader on the host, in the same GPU or in a second GPU counts words that are older
// than the flag it read before. litmus [ROUNDS] prints a JSON line per reader and fence, and fails
// if the system's fence leaves a stale word.
#include <cuda_runtime.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "litmus: %s: %s\n", what, cudaGetErrorString(error));
  std::exit(3);
}
#define CHECK(call) check(call, #call)

enum class Scope { none, block, device, system };
constexpr const char* scope_names[] = {"none", "block", "device", "system"};

constexpr unsigned writers = 32, words = 1024, threads = 256;
constexpr std::size_t message_words = std::size_t{writers} * words;
constexpr unsigned apart = 64;  // words between flags: each has a line of its own

template <Scope scope>
__device__ void fence() {
  if constexpr (scope == Scope::block) __threadfence_block();
  if constexpr (scope == Scope::device) __threadfence();
  if constexpr (scope == Scope::system) __threadfence_system();
}

// In each round a block writes the round's number to all words of its message, then to its flag.
template <Scope scope>
__global__ void write(volatile std::uint32_t* messages, volatile std::uint32_t* flags,
                      std::uint32_t rounds) {
  for (std::uint32_t round = 1; round <= rounds; ++round) {
    for (unsigned i = threadIdx.x; i < words; i += threads) {
      messages[blockIdx.x * words + i] = round;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
      fence<scope>();
      flags[blockIdx.x * apart] = round;
    }
    __syncthreads();
  }
}

struct Counts {
  unsigned long long reads, stale;
};

// A block reads the message of one writer each time that the writer's flag has changed.
__global__ void read(const volatile std::uint32_t* messages, const volatile std::uint32_t* flags,
                     std::uint32_t rounds, Counts* counts) {
  __shared__ std::uint32_t round;
  std::uint32_t before = 0;
  while (before != rounds) {
    if (threadIdx.x == 0) {
      while ((round = flags[blockIdx.x * apart]) == before) {
      }
      __threadfence_system();
    }
    __syncthreads();
    unsigned stale = 0;
    for (unsigned i = threadIdx.x; i < words; i += threads) {
      stale += messages[blockIdx.x * words + i] < round;
    }
    before = round;
    atomicAdd(&counts->reads, threadIdx.x == 0 ? 1ULL : 0ULL);
    atomicAdd(&counts->stale, stale);
    __syncthreads();
  }
}

// The same by a thread of the host, which takes the writers in turn.
Counts read_on_host(std::uint32_t* messages, std::uint32_t* flags, std::uint32_t rounds) {
  Counts counts{};
  std::uint32_t before[writers] = {};
  for (unsigned finished = 0; finished < writers;) {
    for (unsigned writer = 0; writer < writers; ++writer) {
      const std::uint32_t round =
          std::atomic_ref(flags[writer * apart]).load(std::memory_order_acquire);
      if (round == before[writer]) continue;
      for (unsigned i = 0; i < words; ++i) {
        counts.stale +=
            std::atomic_ref(messages[writer * words + i]).load(std::memory_order_relaxed) < round;
      }
      ++counts.reads;
      before[writer] = round;
      finished += round == rounds;
    }
  }
  return counts;
}

enum class Reader { host, same_gpu, second_gpu };
constexpr const char* reader_names[] = {"host", "same GPU", "second GPU"};

template <Scope scope>
Counts run(Reader reader, std::uint32_t rounds) {
  const int reading_gpu = reader == Reader::second_gpu ? 1 : 0;
  constexpr std::size_t bytes = (message_words + writers * apart) * sizeof(std::uint32_t);
  std::uint32_t* messages;
  Counts* counts;
  cudaStream_t writing, reading;
  // While a reader spins, CUDA can load no kernel and make no stream.
  cudaFuncAttributes loaded;
  CHECK(cudaSetDevice(0));
  CHECK(cudaFuncGetAttributes(&loaded, write<scope>));
  CHECK(cudaStreamCreateWithFlags(&writing, cudaStreamNonBlocking));
  CHECK(cudaSetDevice(reading_gpu));
  CHECK(cudaFuncGetAttributes(&loaded, read));
  CHECK(cudaMallocManaged(&counts, sizeof *counts));
  CHECK(cudaMemset(counts, 0, sizeof *counts));
  CHECK(cudaStreamCreateWithFlags(&reading, cudaStreamNonBlocking));
  if (reader == Reader::host) {
    CHECK(cudaMallocHost(&messages, bytes));
    std::memset(messages, 0, bytes);
  } else {
    CHECK(cudaMalloc(&messages, bytes));
    CHECK(cudaMemset(messages, 0, bytes));
  }
  CHECK(cudaDeviceSynchronize());
  std::uint32_t* const flags = messages + message_words;
  if (reader != Reader::host) {
    read<<<writers, threads, 0, reading>>>(messages, flags, rounds, counts);
    CHECK(cudaGetLastError());
  }
  CHECK(cudaSetDevice(0));
  write<scope><<<writers, threads, 0, writing>>>(messages, flags, rounds);
  CHECK(cudaGetLastError());
  const Counts on_host = reader == Reader::host ? read_on_host(messages, flags, rounds) : Counts{};
  CHECK(cudaStreamSynchronize(writing));
  CHECK(cudaSetDevice(reading_gpu));
  CHECK(cudaStreamSynchronize(reading));
  const Counts result = reader == Reader::host ? on_host : *counts;
  CHECK(reader == Reader::host ? cudaFreeHost(messages) : cudaFree(messages));
  CHECK(cudaFree(counts));
  CHECK(cudaStreamDestroy(reading));
  CHECK(cudaStreamDestroy(writing));
  return result;
}

template <Scope scope>
bool report(Reader reader, std::uint32_t rounds) {
  const Counts counts = run<scope>(reader, rounds);
  std::printf(
      "{\"reader\": \"%s\", \"fence\": \"%s\", \"rounds\": %u, \"messages\": %llu, "
      "\"stale words\": %llu}\n",
      reader_names[static_cast<int>(reader)], scope_names[static_cast<int>(scope)], rounds,
      counts.reads, counts.stale);
  return scope != Scope::system || counts.stale == 0;
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 100'000;
  if (argc > 2 || rounds < 1) {
    std::fprintf(stderr, "usage: litmus [ROUNDS], a number from 1 on\n");
    return 2;
  }
  int gpus = 0, peers = 0;
  CHECK(cudaGetDeviceCount(&gpus));
  if (gpus > 1) CHECK(cudaDeviceCanAccessPeer(&peers, 0, 1));
  if (peers != 0) CHECK(cudaDeviceEnablePeerAccess(1, 0));
  bool all_right = true;
  for (const Reader reader : {Reader::host, Reader::same_gpu, Reader::second_gpu}) {
    if (reader == Reader::second_gpu && peers == 0) break;
    report<Scope::none>(reader, static_cast<std::uint32_t>(rounds));
    report<Scope::block>(reader, static_cast<std::uint32_t>(rounds));
    report<Scope::device>(reader, static_cast<std::uint32_t>(rounds));
    all_right = report<Scope::system>(reader, static_cast<std::uint32_t>(rounds)) && all_right;
  }
  return all_right ? 0 : 1;
}
