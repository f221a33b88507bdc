// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstring>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "src/support/error.hpp"
#include "variants/shared/data.hpp"
#include "variants/transfer_bandwidth/problem.hpp"

namespace portcost::transfer_bandwidth {

namespace {

constexpr std::array size_keys{
    SizeKey{"bytes", std::int64_t{1} << 28, 1, std::int64_t{1} << 40, "bytes of the array"}};
constexpr std::array types{ElementType::i32};

constexpr std::size_t word = sizeof(std::uint32_t);

// Each thread is the first to touch its pages.
void poison_on_host(std::byte* to, std::size_t bytes) {
  for_page_parts(bytes, [=](std::size_t begin, std::size_t end) {
    std::memset(to + begin, 0xFF, end - begin);
  });
}

// Sources and targets of one problem, made when they are first asked for.
class Data final : public InstanceOf<Transfer>, private Arrays {
 public:
  Data(const Problem& p, Stream& stream)
      : InstanceOf<Transfer>(stream), bytes_(count(p, "bytes")), seed_(p.seed) {}
  Transfer work(int) const override { return {bytes_, const_cast<Data*>(this)}; }
  bool repeatable() const override { return true; }

  // Poisons what has been written to. Waits, because copies that wait are not on the stream.
  void reset() override {
    answer_ = nullptr;
    if (written_.empty()) return;
    stream().synchronize();
    if (written_.contains(device_target())) device_target_.poison(stream());
    for (auto& [kind, memory] : targets_) {
      if (written_.contains(memory.data())) poison_on_host(memory.data(), memory.size());
    }
    stream().synchronize();
    written_.clear();
  }

  // The array as the last run has left it, in whole words; without a run, poison.
  Answer answer() override {
    const std::size_t words = ceil_div(bytes_, word);
    Array result{"out", ElementType::i32, {words}, {}};
    result.bytes = Buffer<std::byte>(words * word, stream().place());
    result.bytes.poison(stream());
    if (answer_ != nullptr) {
      copy_bytes(result.bytes.data(), stream().place(), answer_, answer_place_,
                 own_ ? bytes_ : words * word, stream());
    }
    stream().synchronize();
    Answer all;
    all.arrays.push_back(std::move(result));
    return all;
  }

 private:
  using Held = std::map<HostKind, HostMemory>;

  Ends ends_of(HostKind kind, Direction direction) override {
    require((direction == Direction::within_host) == (stream().place() == Place::host),
            "a transfer of another place than its instance's");
    if (direction == Direction::within_host) {
      return {target_on_host(kind).data(), source_on_host(kind).data()};
    }
    if (direction == Direction::to_device) {
      const HostMemory& host = source_on_host(kind);
      return {target_on_device(), host.data(), address_for_kernels(host), host.kind()};
    }
    const HostMemory& host = target_on_host(kind);
    return {host.data(), source_on_device(), address_for_kernels(host), host.kind()};
  }
  void answer_in(const std::byte* target) override {
    answer_in_own(target, target == device_target() ? Place::device : Place::host);
    own_ = false;
    written_.insert(target);
  }
  void answer_in_own(const std::byte* target, Place place) override {
    answer_ = target;
    own_ = true;
    answer_place_ = place;
  }
  std::string described(HostKind kind, Direction direction) const override {
    if (direction != Direction::within_host) {
      return described(direction == Direction::to_host ? targets_ : sources_, kind);
    }
    const std::string source = described(sources_, kind), target = described(targets_, kind);
    return source == target ? source : fmt::format("from {} to {}", source, target);
  }

  static std::string described(const Held& all, HostKind kind) {
    const auto found = all.find(kind);
    if (found == all.end()) return {};
    const HostMemory& memory = found->second;
    const bool by_threads =
        memory.kind() == HostKind::pageable || kind == HostKind::managed || memory.registered();
    std::string text =
        fmt::format("{} memory on {}, first touched by {}", name(memory.kind()),
                    numa_nodes(memory.span()), by_threads ? "OpenMP's threads" : "CUDA's runtime");
    if (memory.kind() != kind) text += fmt::format(", since {} was refused", name(kind));
    return text;
  }

  // Whole packs. What lies beyond the array stays as poison has left it.
  std::size_t padded() const { return ceil_div(bytes_, sizeof(Pack)) * sizeof(Pack); }
  // A kernel cannot have pageable memory; other variants need no such address.
  static std::byte* address_for_kernels(const HostMemory& memory) {
    return memory.kind() == HostKind::mapped ? memory.on_device() : nullptr;
  }
  // Of a kind, made and filled if there is none yet; kept only once it is.
  template <class Fill>
  const HostMemory& held(Held& all, HostKind kind, const Fill& fill) const {
    if (const auto there = all.find(kind); there != all.end()) return there->second;
    HostMemory made(padded(), kind);
    fill(made.data(), padded());
    return all.emplace(kind, std::move(made)).first->second;
  }
  const HostMemory& source_on_host(HostKind kind) {
    return held(sources_, kind, [this](std::byte* to, std::size_t bytes) {
      for_page_parts(bytes, [=, this](std::size_t begin, std::size_t end) {
        for (std::size_t at = begin; at < end; at += word) {
          const std::uint32_t value = word_of(seed_, at / word);
          std::memcpy(to + at, &value, word);
        }
      });
    });
  }
  const HostMemory& target_on_host(HostKind kind) { return held(targets_, kind, poison_on_host); }
  const std::byte* source_on_device() {
    if (device_source_.size() == 0) {
      device_source_ = filled(padded() / word, stream(),
                              [this](std::uint64_t at) { return word_of(seed_, at); });
    }
    return reinterpret_cast<const std::byte*>(device_source_.data());
  }
  const std::byte* device_target() const {
    return reinterpret_cast<const std::byte*>(device_target_.data());
  }
  std::byte* target_on_device() {
    if (device_target_.size() == 0) {
      device_target_ = Buffer<std::uint32_t>(padded() / word, Place::device);
      device_target_.poison(stream());
      stream().synchronize();
    }
    return reinterpret_cast<std::byte*>(device_target_.data());
  }

  std::size_t bytes_;
  std::uint64_t seed_;
  Held sources_, targets_;
  Buffer<std::uint32_t> device_source_, device_target_;
  std::set<const std::byte*> written_;  // targets, since the last reset
  const std::byte* answer_ = nullptr;
  Place answer_place_ = Place::host;
  bool own_ = false;  // a variant's, not this one's
};

constexpr std::string_view no_space = "Kokkos has no memory space that is write-combined";

std::vector<Absence> absent() {
  std::vector<std::string_view> of_both, of_cuda;
  for (const Route& route : routes) {
    (route.kind == HostKind::write_combined ? of_cuda : of_both).push_back(route.step);
  }
  std::vector<Absence> result = absent_without_cuda(of_both, of_cuda);
  for (const std::string_view step : of_cuda) result.push_back({step, Model::kokkos, no_space});
  return result;
}

}  // namespace

Algorithm algorithm() {
  return {
      .name = "transfer_bandwidth",
      .summary =
          "an array copied to the device or back, by kind of host memory; or within the host",
      .size_keys = size_keys,
      .types = types,
      .absent = absent(),
      // On a device: its source and target, a mirror and the next one, and two answers. On a host
      // the first two and the last. The host's memory of a device's instance is checked when it is
      // allocated.
      .footprint = [](const Problem& p) { return 6 * real(p, "bytes") + 64; },
      .cost = [](const Problem& p) -> Cost {
        return {{real(p, "bytes"), "transfer"}};
      },
      .measured = {.device = "2^28 4^6..4^15",
                   .device_full = "2^28 2^12..2^30",
                   .host = "2^26 4^6..4^14",
                   .host_full = "2^26 2^12..2^30"},
      .checked = "1|2|15|16|17|4095|4096|4097|81919|81920|1000003",
      .drawn = {{1, 300'000, {1,    2,    3,    4,     5,     7,     8,      15,     16,
                              17,   4095, 4096, 4097,  8191,  8192,  81'919, 81'920, 81'921,
                              4111, 4112, 4113, 65535, 65536, 65537, 131'073}}},
      .make = make_instance<Data>,
      .agreement = "equal",
      .judge = judge,
      .one_answer = false,
      .in_default_campaign = false,
  };
}

}  // namespace portcost::transfer_bandwidth
