// SPDX-License-Identifier: Apache-2.0
// transfer_batching: where arrays lie; variants without a link; steps without a GPU.
#include "src/memory/host_memory.hpp"
#include "tests/compiled_apart.hpp"
#include "tests/matrix_checks.hpp"

namespace portcost::test::test_transfer_batching {

using namespace transfer_batching;

const Algorithm& row() { return algorithm_called("transfer_batching"); }

Problem problem_of(std::int64_t count, std::int64_t n, std::int64_t gap, ElementType type,
                   std::uint64_t seed = 1) {
  return {Size({{"count", count}, {"n", n}, {"gap", gap}}),
          parse_parameters("", row().parameter_keys), type, seed};
}

#if !PORTCOST_HAS_CUDA
// Rows that teams have moved, and the same moved one by one.
template <class T>
void teams_move(Way way, std::int64_t count, std::int64_t n, std::int64_t from_gap) {
  CAPTURE(name(way), count, n, from_gap);
  const std::int64_t from_pitch = n + from_gap, to_pitch = n + 3;
  std::vector<T> from(static_cast<std::size_t>(count * from_pitch));
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<T>(i + 1);
  std::vector<T> to(static_cast<std::size_t>(count * to_pitch), T(-1)), right = to;
  for (std::int64_t i = 0; i < count; ++i) {
    std::copy_n(from.begin() + i * from_pitch, n, right.begin() + i * to_pitch);
  }
  move_rows_by_teams(way, Rows<T>{to.data(), from.data(), to_pitch, from_pitch, count, n},
                     shared_stream(Place::host));
  CHECK(to == right);

  std::vector<Source<T>> sources;  // the last row's array first
  std::vector<T> turned;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto row = from.begin() + (count - 1 - i) * from_pitch;
    turned.insert(turned.end(), row, row + n);
  }
  for (std::int64_t i = 0; i < count; ++i) sources.push_back({&turned[(count - 1 - i) * n]});
  std::fill(to.begin(), to.end(), T(-1));
  move_rows_by_teams(way, Arrays<T>{to.data(), sources.data(), to_pitch, count, n},
                     shared_stream(Place::host));
  CHECK(to == right);
}
#endif

// The work of an instance, whose mapped memory is said to have been refused.
class WithoutLink final : public InstanceOf<Batch<float>> {
 public:
  explicit WithoutLink(Instance& data) : InstanceOf(data.stream()), data_(data) {}
  void reset() override { data_.reset(); }
  Answer answer() override { return data_.answer(); }
  bool repeatable() const override { return true; }
  Batch<float> work(int) const override {
    Batch<float> s = work_of<Batch<float>>(data_);
    s.section_refused = "the section was refused";
    s.arrays_refused = "the arrays were refused";
    return s;
  }

 private:
  Instance& data_;
};

// Whether a variant's kernel reads the host's memory; on a host none does.
bool needs_link(Place place, const std::string& variant) {
  return place == Place::device &&
         (mentions(variant, "over_link") || mentions(variant, "section_2d/kokkos") ||
          mentions(variant, "section_3d/kokkos"));
}

TEST_CASE("transfer_batching: arrays lie in another order than their rows", "[transfer_batching]") {
  const Problem problem = problem_of(100, 4, 2, ElementType::f32);
  const auto instance = row().make(problem, shared_stream(Place::host));
  const auto s = work_of<Batch<float>>(*instance);
  std::set<const float*> places;
  int rising = 0;
  for (std::int64_t i = 0; i < s.count; ++i) {
    places.insert(s.arrays[i]);
    CHECK(s.sources[i] == s.arrays[i]);
    CHECK(s.targets[i] == s.target + i * s.pitch);
    CHECK(s.sizes[i] == 16);
    CHECK(std::equal(s.arrays[i], s.arrays[i] + 4, s.section + i * s.pitch));
    rising += i > 0 && s.arrays[i] > s.arrays[i - 1];
  }
  CHECK(places.size() == 100);
  CHECK(rising < 80);
}

TEST_CASE("transfer_batching: what kernels do not reach is refused", "[transfer_batching]") {
  Batch<float> s{};
  CHECK_NOTHROW(over_link(s));
  CHECK_NOTHROW(arrays_over_link(s));
  const HostMemory memory(12'345, HostKind::pageable);
  const std::string reason = memory.out_of_reach();
  s.section_refused = reason.c_str();
  CHECK(mentions(message_of<Failure>([&] { over_link(s); }), reason));
  CHECK_NOTHROW(arrays_over_link(s));
  s.section_refused = nullptr;
  s.arrays_refused = reason.c_str();
  CHECK_NOTHROW(over_link(s));
  CHECK(mentions(message_of<Failure>([&] { arrays_over_link(s); }), reason));
}

// Those that only copy do so, and the others say why not.
TEST_CASE_IN_PLACES("transfer_batching: without a link, copies work on the {}",
                    "[transfer_batching][kokkos]") {
  Stream& stream = shared_stream(place);
  const Problem problem = problem_of(33, 257, 0, ElementType::f32);
  const auto data = row().make(problem, stream);
  WithoutLink instance(*data);
  const Answer right = Reference(row(), problem).answer();
  int refused = 0, copied = 0;
  for (const Variant& variant : row().variants) {
    if (variant.place != place || variant.model == Model::reference) continue;
    const std::string name = variant_name(row(), variant);
    if (place == Place::host && needs_link(Place::device, name)) continue;
    CAPTURE(name);
    instance.reset();
    const auto execution = variant.make(problem, instance);
    if (needs_link(place, name)) {
      const char* const why =
          mentions(name, "section") ? "the section was refused" : "the arrays were refused";
      CHECK(mentions(message_of<Failure>([&] { execution->run(0); }), why));
      ++refused;
      continue;
    }
    execution->run(0);
    stream.synchronize();
    CHECK(compare_exact(instance.answer(), right, stream).text == "");
    ++copied;
  }
  CHECK(refused == (place == Place::device ? 12 : 0));
  CHECK(copied >= (place == Place::device ? 9 : PORTCOST_HAS_CUDA ? 3 : 5));
}

#if !PORTCOST_HAS_CUDA
TEST_CASE("transfer_batching: teams move all rows alone", "[transfer_batching][kokkos]") {
  const Way way = GENERATE(Way::tuned, Way::book);
  const std::int64_t gap = GENERATE(0, 5);
  const std::int64_t n = GENERATE(1, 64, 255, 256, 257);
  const std::int64_t count = GENERATE(1, 2, 33);
  teams_move<float>(way, count, n, gap);
  teams_move<double>(way, count, n, gap);
}
#endif

}  // namespace portcost::test::test_transfer_batching
