// SPDX-License-Identifier: Apache-2.0
#include "src/memory/host_memory.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <omp.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <vector>

#include "src/memory/cuda_check.hpp"
#include "src/memory/place.hpp"

namespace portcost {

namespace {

constexpr std::string_view remedy =
    "choose a smaller size, or raise the limit of locked memory (ulimit -l)";

constexpr std::size_t page = 4096, huge_page = std::size_t{2} << 20;

std::size_t whole_pages(std::size_t bytes) {
  require(bytes <= SIZE_MAX - huge_page, fmt::format("{} bytes are more than there are", bytes));
  return (bytes + page - 1) / page * page;
}

#if PORTCOST_HAS_CUDA
cudaError_t managed_on_host(void** memory, std::size_t bytes) {
  const cudaError_t status = cudaMallocManaged(memory, bytes);
  if (status != cudaSuccess) return status;
#if CUDART_VERSION >= 13000
  const cudaMemLocation host{cudaMemLocationTypeHost, 0};
#else
  const int host = cudaCpuDeviceId;
#endif
  // Advice alone: a system that does not take it still has the memory.
  if (cudaMemAdvise(*memory, bytes, cudaMemAdviseSetPreferredLocation, host) != cudaSuccess) {
    cudaGetLastError();
  }
  return cudaSuccess;
}

// Null, and the reason in `refusal`, when the runtime refuses.
void* of_runtime(std::size_t bytes, HostKind kind, std::string& refusal) {
  void* memory = nullptr;
  cudaError_t status = cudaSuccess;
  if (kind == HostKind::managed) {
    status = managed_on_host(&memory, bytes);
  } else {
    unsigned flags = cudaHostAllocDefault;
    if (kind == HostKind::mapped) flags = cudaHostAllocMapped;
    if (kind == HostKind::write_combined) flags = cudaHostAllocWriteCombined;
    status = cudaHostAlloc(&memory, bytes, flags);
  }
  if (status == cudaSuccess) return memory;
  cudaGetLastError();
  refusal = cudaGetErrorString(status);
  return nullptr;
}

// Of the system, in huge pages where it has them, and each thread the first to touch its part.
std::byte* touched_by_all(std::size_t bytes) {
  const std::size_t rounded = (bytes + huge_page - 1) / huge_page * huge_page;
  auto* const memory = static_cast<std::byte*>(std::aligned_alloc(huge_page, rounded));
  if (memory == nullptr) return nullptr;
  madvise(memory, rounded, MADV_HUGEPAGE);  // advice alone
  for_page_parts(rounded, [&](std::size_t begin, std::size_t end) {
    for (std::size_t at = begin; at < end; at += page) memory[at] = std::byte{0};
  });
  return memory;
}

// The system's memory, pinned; null, and the reason in `refusal`, when that is refused.
std::byte* touched_and_pinned(std::size_t bytes, std::string& refusal) {
  std::byte* const memory = touched_by_all(bytes);
  if (memory == nullptr) {
    refusal = "out of memory";
    return nullptr;
  }
  const cudaError_t status = cudaHostRegister(memory, bytes, cudaHostRegisterDefault);
  if (status == cudaSuccess) return memory;
  std::free(memory);
  cudaGetLastError();
  refusal = cudaGetErrorString(status);
  return nullptr;
}
#endif

}  // namespace

// False, and the reason in `refusal`, when memory of the wanted kind is refused.
bool HostMemory::take([[maybe_unused]] std::size_t rounded, std::string& refusal) {
#if PORTCOST_HAS_CUDA
  const bool much = wanted_ == HostKind::pinned && rounded >= registered_bytes;
  data_ = much ? touched_and_pinned(rounded, refusal)
               : static_cast<std::byte*>(of_runtime(rounded, wanted_, refusal));
  registered_ = much && data_ != nullptr;
#else
  refusal = "this build has no CUDA";
#endif
  return data_ != nullptr;
}

HostMemory::HostMemory(std::size_t bytes, HostKind wanted, Refused refused)
    : size_(bytes), kind_(wanted), wanted_(wanted) {
  if (bytes == 0) return;
  const std::size_t rounded = whole_pages(bytes);
  // A system that promises more memory than it has would stop the process when it is first touched.
  const double available = available_bytes(Place::host);  // 0 where the system does not say
  require(available == 0 || static_cast<double>(bytes) < 0.95 * available,
          fmt::format("no {} bytes of host memory ({:.0f} available): choose a smaller size", bytes,
                      available));
  if (wanted != HostKind::pageable) {
    std::string refusal;
    if (take(rounded, refusal)) return;
    const bool falls_back = wanted == HostKind::pinned || wanted == HostKind::write_combined ||
                            (wanted == HostKind::mapped && refused == Refused::pageable);
    require(falls_back, fmt::format("no {} bytes of {} host memory ({}): {}", bytes, name(wanted),
                                    refusal, remedy));
    kind_ = HostKind::pageable;
    fallback_ = fmt::format("no {} bytes of {} host memory ({}): pageable memory is used instead",
                            bytes, name(wanted), refusal);
  }
  data_ = static_cast<std::byte*>(std::aligned_alloc(page, rounded));
  require(
      data_ != nullptr,
      fmt::format("{}no {} bytes of host memory ({:.0f} available): choose a smaller size",
                  fallback_.empty() ? "" : fallback_ + "; ", bytes, available_bytes(Place::host)));
  if (!fallback_.empty()) fmt::print(stderr, "portcost: {}\n", fallback_);
}

HostMemory::~HostMemory() {
  if (kind_ == HostKind::pageable) {
    std::free(data_);
    return;
  }
#if PORTCOST_HAS_CUDA
  if (data_ == nullptr) return;
  if (registered_) {
    cudaHostUnregister(data_);
    std::free(data_);
  } else if (kind_ == HostKind::managed) {
    cudaFree(data_);
  } else {
    cudaFreeHost(data_);
  }
#endif
}

std::string HostMemory::out_of_reach() const {
  if (kind_ != HostKind::pageable) return {};
  const std::string why = fallback_.empty() ? "" : fmt::format(" ({}; {})", fallback_, remedy);
  return fmt::format(
      "a kernel cannot reach these {} bytes of pageable host memory: it needs mapped or managed "
      "memory{}",
      size_, why);
}

std::byte* HostMemory::on_device() const {
  require(kind_ != HostKind::pageable, out_of_reach());
#if PORTCOST_HAS_CUDA
  if (kind_ == HostKind::managed || data_ == nullptr) return data_;
  void* result = nullptr;
  cuda_check(cudaHostGetDevicePointer(&result, data_, 0));
  return static_cast<std::byte*>(result);
#else
  return data_;
#endif
}

std::pair<std::size_t, std::size_t> page_part(std::size_t bytes, int part, int parts) {
  const std::size_t pages = bytes / page + (bytes % page != 0);
  const auto at = [&](int i) {
    const auto p = static_cast<std::size_t>(i), n = static_cast<std::size_t>(parts);
    return std::min(bytes, (pages / n * p + pages % n * p / n) * page);
  };
  return {at(part), at(part + 1)};
}

void for_page_parts(std::size_t bytes, const std::function<void(std::size_t, std::size_t)>& f) {
#pragma omp parallel
  {
    const auto [begin, end] = page_part(bytes, omp_get_thread_num(), omp_get_num_threads());
    if (begin < end) f(begin, end);
  }
}

std::string numa_nodes(std::span<const std::byte> memory) {
  constexpr std::size_t most = 64;
  const std::size_t pages = std::max<std::size_t>(memory.size() / page, !memory.empty());
  const std::size_t looked = std::min(pages, most);
  std::vector<void*> at;
  for (std::size_t i = 0; i < looked; ++i) {
    const auto address =
        reinterpret_cast<std::uintptr_t>(memory.data() + pages * i / looked * page);
    at.push_back(reinterpret_cast<void*>(address / page * page));
  }
  std::vector<int> nodes(at.size(), -1);
  std::set<int> seen;
  // move_pages(2) without nodes to move to only tells.
  if (syscall(SYS_move_pages, 0, at.size(), at.data(), nullptr, nodes.data(), 0) == 0) {
    for (const int node : nodes) {
      if (node >= 0) seen.insert(node);
    }
  }
  if (seen.empty()) return "NUMA node unknown";
  return fmt::format("NUMA node{} {}", seen.size() > 1 ? "s" : "", fmt::join(seen, " and "));
}

}  // namespace portcost
