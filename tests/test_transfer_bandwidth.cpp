// SPDX-License-Identifier: Apache-2.0
// transfer_bandwidth: what a reset forgets; what waits; teams around words, packs and pages.
#include "tests/compiled_apart.hpp"
#include "tests/matrix_checks.hpp"

namespace portcost::test::test_transfer_bandwidth {

using namespace transfer_bandwidth;

const Algorithm& row() { return algorithm_called("transfer_bandwidth"); }

Problem problem_of(std::int64_t bytes, std::uint64_t seed = 1) {
  return {Size({{"bytes", bytes}}), {}, ElementType::i32, seed};
}

// An instance on the host, what its variants are given, and the ends of its pageable memory.
struct OnHost {
  explicit OnHost(std::int64_t bytes)
      : instance(row().make(problem_of(bytes), shared_stream(Place::host))),
        arrays(*work_of<Transfer>(*instance).arrays),
        ends(arrays.ends_of(HostKind::pageable, Direction::within_host)) {}

  std::vector<std::byte> answer() const {
    return instance->answer().at("out").bytes.download(instance->stream());
  }

  std::unique_ptr<Instance> instance;
  Arrays& arrays;
  Ends ends;
};

TEST_CASE("transfer_bandwidth: resets forget answers, which show the end", "[transfer_bandwidth]") {
  const OnHost data(1000);
  std::byte* const target = data.ends.target;
  std::vector<std::byte> own(1000, std::byte{3});
  std::fill(target, target + 1000, std::byte{7});
  data.arrays.answer_in(target);
  data.arrays.answer_in_own(own.data(), Place::host);
  CHECK(data.answer() == own);
  data.instance->reset();
  CHECK(std::count(target, target + 1000, std::byte{0xFF}) == 1000);
  CHECK(own[0] == std::byte{3});  // a variant's own is its own to clear
  const OnHost longer(1001);
  longer.ends.target[1001] = std::byte{7};
  longer.arrays.answer_in(longer.ends.target);
  CHECK(longer.answer()[1001] == std::byte{7});
  const Reference right(row(), problem_of(100'000));
  const std::string truth = right.judgement(right.answer()).truth;
  CHECK(mentions(truth, "all bytes, made anew; pageable memory on NUMA node"));
  CHECK(mentions(truth, "first touched by OpenMP's threads"));
}

TEST_CASE("transfer_bandwidth: without pinned memory no queue ahead", "[transfer_bandwidth]") {
  struct OfKind final : Arrays {
    explicit OfKind(HostKind made) : kind(made) {}
    Ends ends_of(HostKind, Direction) override { return {nullptr, nullptr, nullptr, kind}; }
    void answer_in(const std::byte*) override {}
    void answer_in_own(const std::byte*, Place) override {}
    std::string described(HostKind, Direction) const override { return {}; }
    HostKind kind;
  };
  const auto queued = [](HostKind kind, bool waits) {
    OfKind arrays(kind);
    return moving({1, &arrays}, HostKind::pinned, Direction::to_device, waits,
                  [](const Ends&) { return [] {}; })
        ->queued_ahead();
  };
  CHECK(queued(HostKind::pinned, false));
  CHECK_FALSE(queued(HostKind::pinned, true));
  CHECK_FALSE(queued(HostKind::pageable, false));
}

#if !PORTCOST_HAS_CUDA
TEST_CASE("transfer_bandwidth: teams copy all bytes alone", "[transfer_bandwidth][kokkos]") {
  const Way way = GENERATE(Way::tuned, Way::book);
  const std::size_t bytes =
      GENERATE(1u, 15u, 16u, 17u, 4095u, 4096u, 4097u, 8191u, 8192u, 65'537u, 100'003u);
  CAPTURE(name(way), bytes);
  // As the instance has them: aligned, in whole packs.
  const HostMemory from(bytes + 64, HostKind::pageable), to(bytes + 64, HostKind::pageable);
  for (std::size_t i = 0; i < from.size(); ++i) {
    from.data()[i] = static_cast<std::byte>(random_bits(1, i) >> 56);
    to.data()[i] = std::byte{0xFF};
  }
  copy_packs_by_teams(way, {to.data(), from.data(), static_cast<std::int64_t>(bytes)},
                      shared_stream(Place::host));
  CHECK(std::memcmp(to.data(), from.data(), bytes) == 0);
  CHECK(std::count(to.data() + bytes, to.data() + to.size(), std::byte{0xFF}) == 64);
}

#else
TEST_CASE("transfer_bandwidth: a reset poisons every target", "[transfer_bandwidth][gpu]") {
  need_device();
  const Problem problem = problem_of(100'000);
  Stream& stream = shared_stream(Place::device);
  const auto instance = row().make(problem, stream);
  const auto target_of = [&](const Route& route) {
    const Ends ends = work_of<Transfer>(*instance).arrays->ends_of(route.kind, route.direction);
    const bool on_host = route.direction == Direction::to_host;
    std::vector<std::byte> result(100'000);
    copy_bytes(result.data(), Place::host, ends.target, on_host ? Place::host : Place::device,
               result.size(), stream);
    stream.synchronize();
    return result;
  };
  const auto right =
      Reference(row(), problem).answer().at("out").bytes.download(shared_stream(Place::host));
  const std::vector<std::byte> poison(100'000, std::byte{0xFF});
  for (const Route& route : routes) {
    CAPTURE(route.step);
    CHECK(target_of(route) == poison);
    for (const Variant& variant : row().variants) {
      if (variant.step != route.step || variant.model != Model::cuda) continue;
      run_afresh(*instance, *variant.make(problem, *instance));
      CHECK(target_of(route) == right);
    }
    instance->reset();
    CHECK(target_of(route) == poison);
  }
}
#endif

}  // namespace portcost::test::test_transfer_bandwidth
