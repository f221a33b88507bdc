// SPDX-License-Identifier: Apache-2.0
#include "src/distributed/exchange_limits.hpp"

#include <fmt/format.h>

#include <cmath>

#include "src/distributed/mapped_parts.hpp"
#include "src/distributed/transfer_plan.hpp"
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

// Brings so many bytes from each rank's memory to the next one's.
using Exchange = std::function<void(std::size_t bytes)>;

int next_of(const Communicator& ranks) { return (ranks.rank() + 1) % ranks.size(); }
int last_of(const Communicator& ranks) { return (ranks.rank() + ranks.size() - 1) % ranks.size(); }

void send_and_receive(const Communicator& ranks, const void* out, void* in, std::size_t bytes) {
  const int count = static_cast<int>(bytes);
  const WaitsForOthers now;
  mpi_check(MPI_Sendrecv(out, count, MPI_BYTE, next_of(ranks), tag, in, count, MPI_BYTE,
                         last_of(ranks), tag, comm_of(ranks), MPI_STATUS_IGNORE));
}

Exchange from_memory(const Communicator& ranks, std::size_t most, const Stream& stream) {
  const auto out = std::make_shared<Buffer<std::byte>>(most, stream.place());
  const auto in = std::make_shared<Buffer<std::byte>>(most, stream.place());
  out->poison(stream);
  in->poison(stream);
  stream.synchronize();
  return
      [=, &ranks](std::size_t bytes) { send_and_receive(ranks, out->data(), in->data(), bytes); };
}

Exchange staged(const Communicator& ranks, std::size_t most, const Stream& stream) {
  struct Memory {
    explicit Memory(std::size_t bytes) : size(bytes) {}
    std::size_t size;
    Buffer<std::byte> out{size, Place::device}, in{size, Place::device};
    HostMemory host_out{size, HostKind::pinned}, host_in{size, HostKind::pinned};
  };
  const auto m = std::make_shared<Memory>(most);
  m->out.poison(stream);
  stream.synchronize();
  return [m, &ranks, &stream](std::size_t bytes) {
    copy_bytes(m->host_out.data(), Place::host, m->out.data(), Place::device, bytes, stream);
    stream.synchronize();
    send_and_receive(ranks, m->host_out.data(), m->host_in.data(), bytes);
    copy_bytes(m->in.data(), Place::device, m->host_in.data(), Place::host, bytes, stream);
    stream.synchronize();
  };
}

// From GPU to GPU: a row a rank, which becomes the next rank's.
struct Rows {
  Rows(const Communicator& ranks, std::size_t bytes, const Stream& stream)
      : processors(ranks, Processor{Place::device, 1}),
        from(processors, shape_of(ranks, bytes), &stream),
        to(processors, from.shape(), &stream) {
    from.fill(1);
  }
  static Shape shape_of(const Communicator& ranks, std::size_t bytes) {
    const int n = ranks.size();
    const auto columns = static_cast<std::int64_t>(bytes / sizeof(double));
    return {Distribution({1, n, columns}, n, {{1, n, 1}})};
  }
  // What this rank sends and what it receives, by number of the sender on all ranks.
  std::vector<Transfer> ring() const {
    const Distribution& rows = from.shape().distribution;
    const int n = rows.parts(), rank = processors.ranks().rank();
    std::vector<Transfer> result;
    for (int sender = 0; sender < n; ++sender) {
      const int receiver = (sender + 1) % n;
      if (sender != rank && receiver != rank) continue;
      result.push_back({sender, receiver, rows.corners(sender), rows.corners(receiver)});
    }
    return result;
  }

  Processors processors;
  Array<double> from, to;
};

struct PlannedRows : Rows {
  PlannedRows(const Communicator& ranks, std::size_t bytes, Path path, const Stream& stream)
      : Rows(ranks, bytes, stream), plan(from, to, ring(), path, {}) {}
  TransferPlan plan;
};

// By a path, of the bytes that it was made for.
template <Path path>
Exchange crossing(const Communicator& ranks, std::size_t most, const Stream& stream) {
  const auto rows = std::make_shared<PlannedRows>(ranks, most, path, stream);
  return [rows, &stream](std::size_t) {
    rows->plan.run(rows->from, rows->to, nullptr);
    stream.synchronize();
  };
}

std::byte* first_of(const Part& part) {
  return rows_of(part, part.layout.corners.begin, sizeof(double)).data;
}

struct MappedRows : Rows {
  using Rows::Rows;
  MappedParts all{from};
};

// No path, but what the link itself takes: a copy engine reads the points in the sender's array and
// writes them where they belong, between two meetings of the GPUs.
Exchange by_copy_engine(const Communicator& ranks, std::size_t most, const Stream& stream) {
  const auto rows = std::make_shared<MappedRows>(ranks, most, stream);
  return [rows, &ranks, &stream](std::size_t bytes) {
    const Part &source = rows->all.part(last_of(ranks)), &target = rows->to.parts()[0];
    rows->all.meet(stream);
    copy_bytes(first_of(target), Place::device, first_of(source), Place::device, bytes, stream);
    rows->all.meet(stream);
    stream.synchronize();
  };
}

// Seconds of the slowest rank for one exchange, behind a barrier: the shortest of some tries.
double shortest_s(const Exchange& exchange, const Ranks& ranks, std::size_t bytes) {
  const auto timed = [&](int times) {
    ranks.barrier();
    const Clock clock;
    for (int i = 0; i < times; ++i) exchange(bytes);
    return ranks.slowest(clock.seconds()) / times;
  };
  timed(1);
  const double one = std::max(timed(1), 1e-9);
  const int times = std::clamp(static_cast<int>(interval_s / one), 1, most_together);
  double result = std::numeric_limits<double>::infinity();
  for (int i = 0; i < tries; ++i) result = std::min(result, timed(times));
  return result;
}

// How points travel, by the name of its limits; `path` says where it can be.
struct Route {
  std::string_view name;
  Path path;
  Exchange (*make)(const Communicator& ranks, std::size_t most, const Stream& stream);
};
constexpr Route of_host{"host exchange", Path::host_memory, from_memory};
constexpr std::array of_device{
    Route{"device exchange staged", Path::host_memory, staged},
    Route{"device exchange pointers", Path::device_pointers, from_memory},
    Route{"device exchange nccl", Path::nccl, crossing<Path::nccl>},
    Route{"device exchange peer copies", Path::peer_copies, crossing<Path::peer_copies>},
    Route{"device exchange direct loads", Path::direct_loads, crossing<Path::direct_loads>},
    Route{"device exchange direct stores", Path::direct_stores, crossing<Path::direct_stores>},
    Route{"device exchange mapped copies", Path::direct_loads, by_copy_engine}};

// By what is known beforehand. Collective on a device.
std::vector<Route> routes_of(Place place, const Communicator& ranks) {
  if (place == Place::host) return {of_host};
  const std::vector<int> nodes = ranks.nodes();
  const bool one_computer = std::ranges::count(nodes, nodes[0]) == ranks.size();
  const bool has_nccl = why_no_nccl(ranks, all_of(ranks)).empty();
  std::vector<Route> result;
  for (const Route& one : of_device) {
    const bool can = one.path == Path::host_memory       ? true
                     : one.path == Path::device_pointers ? takes_device_pointers()
                     : one.path == Path::nccl            ? has_nccl
                                                         : one_computer;
    if (can) result.push_back(one);
  }
  return result;
}

// Seconds, or bytes a second.
Limit measured(std::string_view name, const Route& route, std::size_t bytes, bool latency,
               const Stream& stream) {
  const Exchange exchange = route.make(communicator_of(stream), bytes, stream);
  std::vector<double> logs;
  for (int i = 0; i < fewest_units; ++i) {
    const double seconds = shortest_s(exchange, stream.ranks(), bytes);
    logs.push_back(std::log(latency ? seconds : static_cast<double>(bytes) / seconds));
  }
  const Estimate found = estimate(std::vector<std::vector<double>>{std::move(logs)});
  return {std::string(name), found.value, latency ? "s" : "B/s", found.interval};
}

std::vector<Length> lengths_of(const Route& route) {
  std::vector<Length> result(lengths.begin(), lengths.end());
  if (needs_gpus(route.path)) result.push_back(longest_of_gpus);
  return result;
}

Limit fastest_of_device(std::string_view name, const Stream& stream) {
  const Communicator& ranks = communicator_of(stream);
  Limit fastest;
  for (const Route& route : routes_of(Place::device, ranks)) {
    can_be_measured(ranks, route.name, [&] {
      Limit one = measured(name, route, lengths_of(route).back().bytes, false, stream);
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
  const Communicator& all = communicator_of(stream);
  for (const Route& route : routes_of(place, all)) {
    const std::size_t bytes = lengths.front().bytes;
    const auto once = [&] { route.make(all, bytes, stream)(bytes); };
    if (!can_be_measured(ranks, route.name, once)) continue;
    names.push_back(fmt::format("{} latency", route.name));
    for (const Length& length : lengths_of(route)) {
      names.push_back(fmt::format("{} {}", route.name, length.name));
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
  for (const Route& route : routes_of(stream.place(), communicator_of(stream))) {
    if (!name.starts_with(route.name)) continue;
    const std::string_view what = name.substr(std::min(name.size(), route.name.size() + 1));
    const bool latency = what == "latency";
    const std::string_view wanted = latency        ? lengths.front().name
                                    : what.empty() ? lengths_of(route).back().name
                                                   : what;
    for (const Length& length : lengths_of(route)) {
      if (length.name == wanted) return measured(name, route, length.bytes, latency, stream);
    }
  }
  throw Failure("no limit of an exchange is called '" + std::string(name) + "'");
}

}  // namespace portcost::distributed
