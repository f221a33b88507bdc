// SPDX-License-Identifier: Apache-2.0
// floyd_warshall and gauss over processes agree with the serial reference; broadcasts; what is
// refused; cost.
#include "src/distributed/broadcast.hpp"
#include "src/memory/buffer.hpp"
#include "tests/ranks/path_checks.hpp"

namespace portcost::test::test_ranks_matrices {

using distributed::Broadcast, distributed::Path;

// The paths of a broadcast in a place.
std::vector<Path> paths_in(Place place) {
  std::vector<Path> result{Path::automatic, Path::host_memory};
  if (place == Place::host) return result;
  if (distributed::takes_device_pointers()) result.push_back(Path::device_pointers);
  if (distributed::why_no_nccl(all_ranks(), distributed::all_of(all_ranks())).empty())
    result.push_back(Path::nccl);
  return result;
}

// f(stream) on the host, and on the GPU where there is one.
template <class F>
void for_streams(const F& f) {
  f(shared_stream(Place::host));
  if (device_stream() != nullptr) f(*device_stream());
}

TEST_CASE("a broadcast brings each root's bytes to all, again and again", "[broadcast]") {
  for_streams([](const Stream& stream) {
    for (const Path path : paths_in(stream.place())) {
      constexpr std::size_t count = 100003;
      Buffer<int> memory(count, stream.place());
      Broadcast broadcast(all_ranks(), memory.bytes(), path, stream);
      for (int round = 0; round < 2 * all_ranks().size(); ++round) {
        const int root = round % all_ranks().size(), mine = all_ranks().rank();
        std::vector<int> values(count);
        for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<int>(i) + 7 * round + mine;
        memory.upload(values, stream);
        broadcast.run(reinterpret_cast<std::byte*>(memory.data() + 1), memory.bytes() - 8, root);
        std::vector<int> right = values;
        for (std::size_t i = 1; i + 1 < count; ++i) right[i] += root - mine;
        CHECK_ON_ALL(memory.download(stream) == right);
      }
    }
  });
}

TEST_CASE("a broadcast refuses the paths that it does not have", "[broadcast]") {
  for_streams([](const Stream& stream) {
    for (const Path path : {Path::direct_loads, Path::one_sided}) {
      check_throws<distributed::SharedUsageError>("has no broadcast",
                                                  [&] { Broadcast(all_ranks(), 8, path, stream); });
    }
    if (stream.place() == Place::device) return;
    check_throws<distributed::SharedUsageError>(
        distributed::hosts_refuse, [&] { Broadcast(all_ranks(), 8, Path::nccl, stream); });
  });
}

TEST_CASE("ranks: floyd_warshall and gauss agree with the reference", "[matrices][ranks]") {
  // A tile row for each process; one process with two, whose last has one row of the matrix; more.
  // (Each process computes the reference, too, so each size has an input of its own, and many
  // processes one size.)
  const int ranks = all_ranks().size();
  const auto check = [](int n, const std::string& graph, const std::string& matrix) {
    const std::string size = fmt::format("n={}", n);
    check_all_steps(*find_algorithm("floyd_warshall"), 3, size, graph);
    check_all_steps(*find_algorithm("gauss"), 3, size, matrix);
  };
  check(128 * ranks, "graph=ring,paths=on", "matrix=dominant");
  if (ranks > 4) return;
  check(128 * ranks + 1, "graph=negative,paths=on", "matrix=integer");
  check(128 * (ranks + 2) - 5, "graph=dense,weights=real", "matrix=hilbert");
  if (device_stream() == nullptr) return;
  for (const Path path : paths_in(Place::device)) {
    const std::string panels = fmt::format("panels={}", name(path));
    check_all_steps(*find_algorithm("floyd_warshall"), 3, fmt::format("n={}", 200 * ranks), panels);
    check_all_steps(*find_algorithm("gauss"), 3, fmt::format("n={}", 200 * ranks), panels);
  }
}

TEST_CASE("ranks: gauss names the first pivot that any process refuses", "[matrices][ranks]") {
  const SharedFolder folder;
  const int n = 128 * all_ranks().size() + 100;
  for (const int first : {5, n - 150}) {
    std::string text =
        fmt::format("%%MatrixMarket matrix coordinate real general\n{} {} {}\n", n, n, n);
    for (int i = 1; i <= n; ++i) {
      text += fmt::format("{} {} {}\n", i, i, i == first + 1 || i == n - 20 ? 0 : 2);
    }
    const std::string file = folder.file(fmt::format("{}.mtx", first));
    if (all_ranks().is_first()) std::ofstream(file) << text;
    all_ranks().barrier();
    check_all_steps(*find_algorithm("gauss"), 3, fmt::format("n={}", n), "file=" + file);
  }
}

TEST_CASE("ranks: floyd_warshall and gauss refuse fewer tile rows than processes",
          "[matrices][ranks]") {
  for (const char* name : {"floyd_warshall", "gauss"}) {
    const Algorithm& row = *find_algorithm(name);
    Problem p = problem_of(row, "n=512", "", ElementType::f32);
    for (const Variant& variant : row.over_ranks) {
      p.ranks = 4;
      CHECK(std::string(variant.unfit(p)).empty());
      p.ranks = 5;
      CHECK(mentions(variant.unfit(p), "4 tile rows for 5 of them"));
    }
    p.ranks = 4;
    const Cost all = row.cost(problem_of(row, "n=512", "", ElementType::f32)), cost = row.cost(p);
    const bool gauss = row.name == "gauss";
    REQUIRE((cost.size() == all.size() + 1 && cost.back().limit == "exchange"));
    CHECK(cost[0].amount == Catch::Approx(all[0].amount / 4));
    CHECK(cost.back().amount == Catch::Approx(0.75 * 512 * (gauss ? 513.0 / 2 : 512) * 4));
    const double numbers =
        gauss ? 1.5 * 640 * 640 + 2 * 512 * 513 : 2.5 * 512 * 512 + 2 * 512 * 512;
    CHECK(row.footprint(p) == Catch::Approx(4 * numbers));
  }
}

}  // namespace portcost::test::test_ranks_matrices
