// SPDX-License-Identifier: Apache-2.0
#include "src/distributed/exchange_limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <string_view>

#include "src/distributed/mapped_parts.hpp"
#include "src/distributed/mpi_calls.hpp"
#include "src/distributed/transfer_plan.hpp"
#include "src/memory/buffer.hpp"
#include "src/memory/host_memory.hpp"
#include "src/statistics/statistics.hpp"
#include "src/support/clock.hpp"

namespace portcost::distributed {

namespace {

struct Length {
  std::string_view name;
  std::size_t bytes;
};
constexpr std::array lengths{Length{"8 B", 8},         Length{"256 B", 256},
                             Length{"4 KiB", 4 << 10}, Length{"64 KiB", 64 << 10},
                             Length{"1 MiB", 1 << 20}, Length{"16 MiB", 16 << 20}};
// Of paths from GPU to GPU also this: what is shorter does not fill the link.
constexpr Length longest_of_gpus{"256 MiB", 256 << 20};
constexpr int tag = 0;
constexpr double interval_s = 2e-3;  // exchanges that are timed together take about as long
constexpr int most_together = 1000, tries = 5;

// How the bytes of a message get from one rank's memory to another's.
class Way {
 public:
  explicit Way(const Communicator& ranks)
      : comm_(comm_of(ranks)),
        next_((ranks.rank() + 1) % ranks.size()),
        last_((ranks.rank() + ranks.size() - 1) % ranks.size()) {}
  virtual ~Way() = default;
  virtual void exchange(std::size_t bytes) = 0;

 protected:
  void send_and_receive(const void* out, void* in, std::size_t bytes) const {
    const int count = static_cast<int>(bytes);
    const WaitsForOthers now;
    mpi_check(MPI_Sendrecv(out, count, MPI_BYTE, next_, tag, in, count, MPI_BYTE, last_, tag, comm_,
                           MPI_STATUS_IGNORE));
  }

 private:
  MPI_Comm comm_;
  int next_, last_;
};

class FromMemory final : public Way {
 public:
  FromMemory(const Communicator& ranks, std::size_t most, const Stream& stream)
      : Way(ranks), out_(most, stream.place()), in_(most, stream.place()) {
    out_.poison(stream);
    in_.poison(stream);
    stream.synchronize();
  }
  void exchange(std::size_t bytes) override { send_and_receive(out_.data(), in_.data(), bytes); }

 private:
  Buffer<std::byte> out_, in_;
};

class Staged final : public Way {
 public:
  Staged(const Communicator& ranks, std::size_t most, const Stream& stream)
      : Way(ranks),
        stream_(stream),
        out_(most, Place::device),
        in_(most, Place::device),
        host_out_(most, HostKind::pinned),
        host_in_(most, HostKind::pinned) {
    out_.poison(stream);
    stream.synchronize();
  }
  void exchange(std::size_t bytes) override {
    copy_bytes(host_out_.data(), Place::host, out_.data(), Place::device, bytes, stream_);
    stream_.synchronize();
    send_and_receive(host_out_.data(), host_in_.data(), bytes);
    copy_bytes(in_.data(), Place::device, host_in_.data(), Place::host, bytes, stream_);
    stream_.synchronize();
  }

 private:
  const Stream& stream_;
  Buffer<std::byte> out_, in_;
  HostMemory host_out_, host_in_;
};

// From GPU to GPU: a row a rank, which becomes the next rank's.
class BetweenGpus : public Way {
 protected:
  BetweenGpus(const Communicator& ranks, std::size_t most, const Stream& stream)
      : Way(ranks),
        stream_(stream),
        processors_(ranks, Processor{Place::device, 1}),
        from_(processors_, shape_of(ranks, most), &stream),
        to_(processors_, from_.shape(), &stream) {
    from_.fill(1);
  }
  const Stream& stream() const { return stream_; }
  const Array<double>& from() const { return from_; }
  Array<double>& to() { return to_; }

 private:
  static Shape shape_of(const Communicator& ranks, std::size_t bytes) {
    const int n = ranks.size();
    const auto columns = static_cast<std::int64_t>(bytes / sizeof(double));
    return {Distribution({1, n, columns}, n, {{1, n, 1}})};
  }

  const Stream& stream_;
  Processors processors_;
  Array<double> from_, to_;
};

// By a path.
class Crossing final : public BetweenGpus {
 public:
  Crossing(const Communicator& ranks, std::size_t most, Path path, const Stream& stream)
      : BetweenGpus(ranks, most, stream), plan_(from(), to(), ring_of(ranks), path, {}) {}
  // Of the bytes that it was made for.
  void exchange(std::size_t) override {
    plan_.run(from(), to(), nullptr);
    stream().synchronize();
  }

 private:
  // What this rank sends and what it receives, by number of the sender on all ranks.
  std::vector<Transfer> ring_of(const Communicator& ranks) const {
    const Distribution& rows = from().shape().distribution;
    const int n = ranks.size();
    std::vector<Transfer> result;
    for (int sender = 0; sender < n; ++sender) {
      const int receiver = (sender + 1) % n;
      if (sender != ranks.rank() && receiver != ranks.rank()) continue;
      result.push_back({sender, receiver, rows.corners(sender), rows.corners(receiver)});
    }
    return result;
  }

  TransferPlan plan_;
};

// No path, but what the link itself takes: a copy engine reads the points in the sender's array and
// writes them where they belong, between two meetings of the GPUs.
class MappedCopies final : public BetweenGpus {
 public:
  MappedCopies(const Communicator& ranks, std::size_t most, const Stream& stream)
      : BetweenGpus(ranks, most, stream), all_(from()) {
    sender_ = (ranks.rank() + ranks.size() - 1) % ranks.size();
  }
  void exchange(std::size_t bytes) override {
    const Part &source = all_.part(sender_), &target = to().parts()[0];
    all_.meet(stream());
    copy_bytes(first_of(target), Place::device, first_of(source), Place::device, bytes, stream());
    all_.meet(stream());
    stream().synchronize();
  }

 private:
  static std::byte* first_of(const Part& part) {
    const std::int64_t at = part.layout.at(part.layout.corners.begin);
    return part.data + at * static_cast<std::int64_t>(sizeof(double));
  }

  MappedParts all_;
  int sender_;
};

// Seconds of the slowest rank for one exchange, behind a barrier: the shortest of some tries.
double shortest_s(Way& way, const Ranks& ranks, std::size_t bytes) {
  const auto timed = [&](int times) {
    ranks.barrier();
    const Clock clock;
    for (int i = 0; i < times; ++i) way.exchange(bytes);
    return ranks.slowest(clock.seconds()) / times;
  };
  timed(1);
  const double one = std::max(timed(1), 1e-9);
  const int times = std::clamp(static_cast<int>(interval_s / one), 1, most_together);
  double result = std::numeric_limits<double>::infinity();
  for (int i = 0; i < tries; ++i) result = std::min(result, timed(times));
  return result;
}

struct Named {
  std::string_view name;
  Path path;
};
constexpr std::array between_gpus{Named{"device exchange nccl", Path::nccl},
                                  Named{"device exchange peer copies", Path::peer_copies},
                                  Named{"device exchange direct loads", Path::direct_loads}};
constexpr std::string_view mapped_copies = "device exchange mapped copies";

// By what is known beforehand. Collective on a device.
std::vector<std::string> paths_of(Place place, const Communicator& ranks) {
  if (place == Place::host) return {"host exchange"};
  std::vector<std::string> result{"device exchange staged"};
  if (takes_device_pointers()) result.emplace_back("device exchange pointers");
  std::vector<int> all(static_cast<std::size_t>(ranks.size()));
  std::iota(all.begin(), all.end(), 0);
  const std::vector<int> nodes = ranks.nodes();
  const bool one_computer = std::ranges::count(nodes, nodes[0]) == ranks.size();
  for (const Named& one : between_gpus) {
    const bool can = one.path == Path::nccl ? why_no_nccl(ranks, all).empty() : one_computer;
    if (can) result.emplace_back(one.name);
  }
  if (one_computer) result.emplace_back(mapped_copies);
  return result;
}

std::unique_ptr<Way> way_of(const std::string& path, std::size_t bytes, const Stream& stream) {
  const Communicator& ranks = communicator_of(stream);
  if (path == "device exchange staged") return std::make_unique<Staged>(ranks, bytes, stream);
  if (path == mapped_copies) return std::make_unique<MappedCopies>(ranks, bytes, stream);
  for (const Named& one : between_gpus) {
    if (path == one.name) return std::make_unique<Crossing>(ranks, bytes, one.path, stream);
  }
  return std::make_unique<FromMemory>(ranks, bytes, stream);
}

// Seconds, or bytes a second.
Limit measured(std::string_view name, const std::string& path, std::size_t bytes, bool latency,
               const Stream& stream) {
  const auto way = way_of(path, bytes, stream);
  std::vector<double> logs;
  for (int i = 0; i < fewest_units; ++i) {
    const double seconds = shortest_s(*way, stream.ranks(), bytes);
    logs.push_back(std::log(latency ? seconds : static_cast<double>(bytes) / seconds));
  }
  const Estimate found = estimate(std::vector<std::vector<double>>{std::move(logs)});
  return {std::string(name), found.value, latency ? "s" : "B/s", found.interval};
}

bool is_from_gpu_to_gpu(const std::string& path) {
  const auto is = [&](const Named& one) { return path == one.name; };
  return path == "device exchange pointers" || path == mapped_copies ||
         std::ranges::any_of(between_gpus, is);
}

std::vector<Length> lengths_of(const std::string& path) {
  std::vector<Length> result(lengths.begin(), lengths.end());
  if (is_from_gpu_to_gpu(path)) result.push_back(longest_of_gpus);
  return result;
}

Limit fastest_of_device(std::string_view name, const Stream& stream) {
  const Communicator& ranks = communicator_of(stream);
  Limit fastest;
  for (const std::string& path : paths_of(Place::device, ranks)) {
    can_be_measured(ranks, path, [&] {
      Limit one = measured(name, path, lengths_of(path).back().bytes, false, stream);
      if (one.value > fastest.value) fastest = std::move(one);
    });
  }
  require(fastest.value > 0, "no path of an exchange between GPUs can be measured");
  return fastest;
}

}  // namespace

bool can_be_measured(const Ranks& ranks, std::string_view path, const std::function<void()>& f) {
  std::string why;
  try {
    f();
    return true;
  } catch (const SharedUsageError& error) {
    why = error.what();
  } catch (const SharedFailure& failure) {
    why = failure.what();
  }
  if (ranks.is_first()) fmt::print(stderr, "portcost: {} is left out: {}\n", path, why);
  return false;
}

std::vector<std::string> exchange_limit_names(Place place, const Ranks& ranks) {
  std::vector<std::string> names;
  if (ranks.size() < 2) return names;
  const Stream stream(place, ranks);
  for (const std::string& path : paths_of(place, communicator_of(stream))) {
    const std::size_t bytes = lengths.front().bytes;
    if (!can_be_measured(ranks, path, [&] { way_of(path, bytes, stream)->exchange(bytes); })) {
      continue;
    }
    names.push_back(path + " latency");
    for (const Length& length : lengths_of(path)) {
      names.push_back(fmt::format("{} {}", path, length.name));
    }
  }
  names.push_back(fmt::format("{} exchange", portcost::name(place)));
  return names;
}

bool is_exchange_limit(std::string_view name) {
  return name.starts_with("host exchange") || name.starts_with("device exchange");
}

Limit measure_exchange(std::string_view name, const Stream& stream) {
  if (name == "device exchange") return fastest_of_device(name, stream);
  for (const std::string& path : paths_of(stream.place(), communicator_of(stream))) {
    if (!name.starts_with(path)) continue;
    const std::string_view what = name.substr(std::min(name.size(), path.size() + 1));
    const bool latency = what == "latency";
    const std::string_view wanted = latency        ? lengths.front().name
                                    : what.empty() ? lengths_of(path).back().name
                                                   : what;
    for (const Length& length : lengths_of(path)) {
      if (length.name == wanted) return measured(name, path, length.bytes, latency, stream);
    }
  }
  throw Failure("no limit of an exchange is called '" + std::string(name) + "'");
}

}  // namespace portcost::distributed
