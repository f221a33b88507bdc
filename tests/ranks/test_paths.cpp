// SPDX-License-Identifier: Apache-2.0
// Ways from rank to rank: which are refused, that each brings the right points, and that where one
// GPU is late nobody reads or overwrites too early.
#include "src/distributed/mapped_parts.hpp"
#include "tests/ranks/path_checks.hpp"

namespace portcost::test::paths {

TEST_CASE("paths: arrays of hosts refuse those of GPUs", "[paths]") {
  const Processors processors(all_ranks(), Processor{});
  const Array<double> array(processors, rows_of_all(1));
  for (const Path path : gpu_paths) {
    const std::string text = message_of<SharedUsageError>([&] { HaloExchange(array, path); });
    INFO(text);
    CHECK(mentions(text, fmt::format("{}: that path is from GPU to GPU", name(path))));
    CHECK(mentions(text, "automatic or host_memory"));
    CHECK(text == message_of<SharedUsageError>([&] { Redistribution(array, array, path); }));
  }
  CHECK(HaloExchange(array).path() == Path::host_memory);
  for (const Path path : {Path::host_memory, Path::one_sided}) {
    CHECK(HaloExchange(array, path).path() == path);
  }
  CHECK_FALSE(HaloExchange(array).is_only_enqueued());
}

TEST_CASE("paths: ranks of other computers, and ranks that share a GPU, are found", "[paths]") {
  const std::vector<int> nodes{0, 0, 2, 2, 0};
  CHECK(first_elsewhere(nodes, 0, std::vector{1, 4}) == -1);
  CHECK(first_elsewhere(nodes, 1, std::vector{0, 3, 2}) == 3);
  CHECK(first_elsewhere(nodes, 3, std::vector{2}) == -1);
  CHECK(first_elsewhere(nodes, 3, std::vector<int>{}) == -1);
  const std::vector<int> one_computer(static_cast<std::size_t>(all_ranks().size()), 0);
  CHECK_ON_ALL(all_ranks().nodes() == one_computer);

  const std::vector<std::string> gpus{"a", "b", "c", "b", "a"};
  const auto pair = [&](const std::vector<int>& members) {
    const SharedGpu found = shared_gpu(gpus, members);
    return std::pair(found.first, found.second);
  };
  CHECK(pair({0, 1, 2}) == std::pair(-1, -1));
  CHECK(pair({0, 1, 2, 3, 4}) == std::pair(1, 3));
  CHECK(pair({0, 2, 4}) == std::pair(0, 4));
  CHECK(pair({3}) == std::pair(-1, -1));
}

TEST_CASE("ranks: steps of hosts take no path of GPUs, and say so", "[paths][ranks]") {
  for (const auto& [algorithm, size] : {std::pair("jacobi", "rows=80,columns=9,iterations=3"),
                                        std::pair("heat2d", "nx=9,ny=80,steps=3")}) {
    const Algorithm& row = *find_algorithm(algorithm);
    for (const std::string_view path : path_names) {
      Problem problem = problem_of(row, size, fmt::format("halos={}", path), row.types[0]);
      problem.ranks = all_ranks().size();
      const bool free = path == "automatic" || path == "host_memory" || path == "one_sided";
      for (const Variant& variant : row.over_ranks) {
        if (variant.place != Place::host) continue;
        INFO(variant_name(row, variant) << " halos=" << path);
        CHECK((variant.unfit(problem) == hosts_refuse) == !free);
        CHECK(variant.unfit(problem).empty() == free);
      }
    }
    for (const std::string path : {"host_memory", "one_sided"}) {
      check_all_steps(row, 3, size, "halos=" + path);
    }
  }
  check_throws<UsageError>(
      "halos", [] { problem_of(*find_algorithm("jacobi"), "", "halos=nvlink", ElementType::f64); });
}

// ---- On GPUs.

constexpr auto fixed = BoundaryType::ghosted, periodic = BoundaryType::periodic;

void check_there_and_back(Array<double>& from, Array<double>& to, Redistribution& one,
                          Redistribution& back) {
  for (int round = 0; round < 3; ++round) {
    fill_for_exchange(from, round);
    to.fill(untouched);
    one.run(from, to);
    from.fill(untouched);
    back.run(to, from);
    CHECK_ON_ALL(all_right(to, false, round));
    CHECK_ON_ALL(all_right(from, false, round));
  }
}

// The paths between the ranks that have GPUs, or, where there are none, between hosts.
std::vector<Path> paths_to_test(const std::vector<int>& members) {
  return members.empty() ? std::vector{Path::one_sided} : paths_between(members);
}

TEST_CASE("paths: each fills halos", "[paths]") {
  for (const Setting& setting : settings()) {
    const Processors processors(all_ranks(), setting.mine);
    const std::vector<int> members = ranks_with_devices(processors, processors);
    const int parts = processors.count();
    const std::int64_t long_axis = 5 * parts + 3;
    for (const Path path : paths_to_test(members)) {
      INFO(setting.name << ", " << name(path));
      const Distribution::Settings weighted{{1, 0, 1}, Sharing::even, processors.weights()};
      const Distribution rows({1, 20 * parts, 64}, parts, weighted);
      const Distribution flat({1, long_axis, long_axis}, parts);
      const Distribution solid({long_axis, 11, long_axis}, parts);
      for (const bool own_too : {true, false}) {
        const auto star = StencilType::star, box = StencilType::box;
        check_exchanges<double>(processors, {rows, {{0, 1, 0}, star, {}}, 16}, path, own_too);
        check_exchanges<float>(processors, {rows, {{0, 3, 2}, box, {fixed, periodic, periodic}}},
                               path, own_too);
        check_exchanges<double>(processors, {flat, {{0, 2, 3}, box, {fixed, periodic, fixed}}, 4},
                                path, own_too);
        check_exchanges<float>(processors, {solid, {{1, 2, 1}, star, {periodic, fixed, periodic}}},
                               path, own_too);
      }
    }
  }
}

TEST_CASE("paths: a redistribution works by each", "[paths]") {
  const int ranks = all_ranks().size();
  const Place place = device_stream() == nullptr ? Place::host : Place::device;
  const Processors here(all_ranks(), Processor{place, 1});
  const Processors there(all_ranks(), Processor{place, 1.0 + all_ranks().rank()});
  const Index global{2, 4 * ranks + 1, 8 * ranks + 5};
  const Shape rows{Distribution(global, ranks, {{1, ranks, 1}}), {{0, 1, 1}}, 8};
  const Shape columns{Distribution(global, ranks, {{1, 1, ranks}, Sharing::even, there.weights()}),
                      {{1, 0, 2}}};
  for (const Path path : paths_to_test(ranks_with_devices(here, there))) {
    for (const bool own_too : {true, false}) {
      INFO(name(path) << (own_too ? ", own part too" : ""));
      Array<double> from(here, rows, device_stream()), to(there, columns, device_stream());
      Redistribution one(from, to, path, {}, {own_too, 60}),
          back(to, from, path, {}, {own_too, 60});
      check_there_and_back(from, to, one, back);
    }
  }
}

TEST_CASE("paths: one stretch of an array is sent and received as it lies", "[paths][gpu]") {
  SKIP_WITHOUT_GPU();
  const int ranks = all_ranks().size();
  const Processors processors(all_ranks(), Processor{Place::device, 1});
  for (const std::int64_t planes : {1, 3}) {
    // So many rows that the last of shares rounded up is not empty, for any number of processes.
    const Index global{planes, (ranks + 4) * ranks + 1, 6 * ranks};
    // Whole blocks of rows: to other processes with other bounds, each end dense or with a halo.
    const auto rows_at = [&](Sharing sharing, std::int64_t halo) {
      const Distribution::Settings settings{{1, ranks, 1}, sharing, {}};
      return Shape{Distribution(global, ranks, settings), {{0, halo, halo}}};
    };
    for (const Path path : paths_between()) {
      for (const std::int64_t halo : {0, 1, 2}) {
        INFO(name(path) << ", " << planes << " planes, halo " << halo);
        Array<double> from(processors, rows_at(Sharing::even, halo % 2), device_stream());
        Array<double> to(processors, rows_at(Sharing::ceil, halo / 2), device_stream());
        Redistribution one(from, to, path, {}, {true, 60}), back(to, from, path, {}, {true, 60});
        check_there_and_back(from, to, one, back);
      }
    }
  }
}

TEST_CASE("paths: new arrays, at addresses of old ones too, are found", "[paths][gpu]") {
  SKIP_WITHOUT_GPU();
  const Processors processors(all_ranks(), Processor{Place::device, 1});
  const Shape shape = rows_of_all(1, periodic);
  const Array<double> like(processors, shape, device_stream());
  for (const Path path : paths_between()) {
    INFO(name(path));
    HaloExchange exchange(like, path, {true, 60});
    for (int round = 0; round < 20; ++round) {  // more than are kept
      // On some ranks the old address is taken by something else.
      const Buffer<std::byte> other(round % 2 == all_ranks().rank() % 2 ? 4096 : 0, Place::device);
      Array<double> array(processors, shape, device_stream());
      fill_for_exchange(array, round);
      exchange.run(array);
      CHECK_ON_ALL(all_right(array, true, round));
    }
  }
}

TEST_CASE("paths: a neighbour that does not come is an error, not a hang", "[paths][gpu]") {
  SKIP_WITHOUT_GPU();
  if (all_ranks().size() < 2) SKIP("one rank has no neighbour");
  const Processors processors(all_ranks(), Processor{Place::device, 1});
  Array<double> array(processors, rows_of_all(1), device_stream());
  fill_for_exchange(array);
  HaloExchange exchange(array, Path::direct_loads, {false, 0.5});
  exchange.run(array);
  CHECK_ON_ALL(all_right(array, true));
  const int rank = all_ranks().rank();
  std::string text = "(nothing thrown)";
  if (rank != 1) {
    text = message_of<Failure>([&] {
      exchange.run(array);
      device_stream()->synchronize();
    });
  }
  const bool is_neighbour = rank == 0 || rank == 2;
  CHECK_ON_ALL(mentions(text, "rank 1 did not take part in an exchange within 0.5 s") ==
               is_neighbour);
  all_ranks().barrier();
}

TEST_CASE("paths: NCCL refuses ranks that share a GPU in words of ours", "[paths][gpu]") {
  SKIP_WITHOUT_GPU();
  const Processors processors(all_ranks(), Processor{Place::device, 1});
  const Array<double> array(processors, rows_of_all(1), device_stream());
  const std::string why = why_no_nccl(all_ranks(), all_of(all_ranks()));
  const std::string text = message_of<SharedUsageError>([&] { HaloExchange(array, Path::nccl); });
  INFO(why << "; " << text);
  CHECK(mentions(text, why.empty() ? "(nothing thrown)" : why));
  if (why.empty() || !has_nccl()) return;
  CHECK(mentions(text, "share the GPU"));
  CHECK(HaloExchange(array).path() != Path::nccl);
}

TEST_CASE("ranks: steps have the reference's bytes by each path", "[paths][gpu][ranks]") {
  SKIP_WITHOUT_GPU();
  for (const Path path : paths_between()) {
    const std::string halos = fmt::format("halos={}", name(path));
    check_all_steps(*find_algorithm("jacobi"), 15, "rows=131,columns=259,iterations=19", halos);
    check_all_steps(*find_algorithm("jacobi"), 15, "rows=64,columns=70,iterations=16",
                    halos + ",check_every=4");
    check_all_steps(*find_algorithm("heat2d"), 3, "nx=131,ny=97,steps=7", halos);
  }
}

// Exchanges that follow each other on the stream, by arrays in turns and by one twice, each changed
// at once before and after; the host waits for none.
void check_rounds(const Processors& processors, const Shape& shape, Path path, int late) {
  const Stream& stream = *device_stream();
  Rounds values(processors, shape), found(processors, shape, false);
  Array<double> one(processors, shape, &stream), two(processors, shape, &stream);
  HaloExchange exchange(one, path, {true, 60});
  for (Array<double>* array : {&one, &two}) exchange.run(*array);
  for (int round = 0; round < Rounds::count; ++round) {
    Array<double>& array = round % 3 == 1 ? two : one;
    if (all_ranks().rank() == late) keep_busy(stream);
    copy_parts(array, values[round], stream);
    exchange.run(array);
    copy_parts(found[round], array, stream);
    poison(array, stream);
  }
  stream.synchronize();
  found.check(true);
}

TEST_CASE("paths: a GPU that is late is waited for, before and after", "[paths][gpu][late]") {
  SKIP_WITHOUT_GPU();
  const Processors processors(all_ranks(), Processor{Place::device, 1});
  for (const Path path : paths_between()) {
    for (int late = 0; late < all_ranks().size(); ++late) {
      INFO(name(path) << ", late is rank " << late);
      check_rounds(processors, rows_of_all(2, BoundaryType::periodic), path, late);
    }
  }
}

// Exchanges in both directions keep two GPUs in step; in one direction only the waits do.
TEST_CASE("paths: a rank that only receives is waited for", "[paths][gpu][late]") {
  SKIP_WITHOUT_GPU();
  const int ranks = all_ranks().size();
  if (ranks < 2) SKIP("one rank has nobody to send to");
  const Stream& stream = *device_stream();
  // Each rank gives rows to the next, which has a greater share of them.
  const Processors here(all_ranks(), Processor{Place::device, 1});
  const Processors there(all_ranks(), Processor{Place::device, 1.0 + all_ranks().rank()});
  const Distribution::Settings shares{{1, ranks, 1}, Sharing::even, there.weights()};
  const Shape even = rows_of_all(0), uneven{Distribution({1, 8 * ranks, 37}, ranks, shares)};
  Rounds values(here, even), found(there, uneven, false);
  Array<double> from(here, even, &stream), to(there, uneven, &stream);
  for (const Path path : paths_between()) {
    Redistribution exchange(from, to, path, {}, {true, 60});
    for (int late = 0; late < ranks; ++late) {
      INFO(name(path) << ", late is rank " << late);
      for (int round = 0; round < Rounds::count; ++round) {
        if (all_ranks().rank() == late) keep_busy(stream);
        copy_parts(from, values[round], stream);
        exchange.run(from, to);
        copy_parts(found[round], to, stream);
        poison(from, stream);
      }
      stream.synchronize();
      found.check(false);
    }
  }
}

TEST_CASE("paths: others' parts are read where they lie, between meetings", "[paths][gpu][late]") {
  SKIP_WITHOUT_GPU();
  const Stream& stream = *device_stream();
  const Processors processors(all_ranks(), Processor{Place::device, 1});
  const int ranks = all_ranks().size(), rank = all_ranks().rank();
  Rounds values(processors, rows_of_all(0));
  Array<double> array(processors, rows_of_all(0), &stream);
  MappedParts parts(array);
  const std::size_t count = array.span(array.parts()[0]).size();
  for (int late = 0; late < ranks; ++late) {
    // What each rank has, of each round.
    Buffer<double> found(count * static_cast<std::size_t>(ranks * Rounds::count), Place::device);
    for (int round = 0; round < Rounds::count; ++round) {
      if (rank == late) keep_busy(stream);
      copy_parts(array, values[round], stream);
      parts.meet(stream);
      for (int other = 0; other < ranks; ++other) {
        copy_bytes(found.data() + count * static_cast<std::size_t>(round * ranks + other),
                   Place::device, parts.part((rank + other) % ranks).data, Place::device,
                   count * sizeof(double), stream);
      }
      parts.meet(stream);
      poison(array, stream);
    }
    const std::vector<double> all = found.download(stream);
    bool right = true;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto piece = static_cast<int>(i / count), at = static_cast<int>(i % count);
      const Part& part = parts.part((rank + piece % ranks) % ranks);
      const Index point{0, part.layout.corners.begin[1] + at / 37, at % 37};
      right = right && all[i] == number_of(point) + 1e7 * (piece / ranks);
    }
    CHECK_ON_ALL(right);
  }
}

}  // namespace portcost::test::paths
