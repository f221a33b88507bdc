// SPDX-License-Identifier: Apache-2.0
// transfer_batching: every variant at sizes with and without a gap; its truth on wrong answers; and
// what a build without a GPU says of the steps that it does not have.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "src/support/error.hpp"
#include "tests/matrix_checks.hpp"
#include "tests/support.hpp"
#include "tests/transfer_kernels.hpp"
#include "variants/transfer_batching/problem.hpp"

namespace portcost::test::test_transfer_batching {

namespace {

using namespace transfer_batching;

const Algorithm& row() { return algorithm_called("transfer_batching"); }

Problem problem_of(std::int64_t count, std::int64_t n, std::int64_t gap, ElementType type,
                   std::uint64_t seed = 1) {
  return {Size({{"count", count}, {"n", n}, {"gap", gap}}), {}, type, seed};
}

// All rows with what lies between them, poison.
template <class T>
std::vector<T> right_elements(const Problem& p) {
  const std::int64_t count = p.size.at("count"), n = p.size.at("n"), pitch = n + p.size.at("gap");
  std::vector<T> result(static_cast<std::size_t>(count * pitch));
  std::memset(result.data(), 0xFF, result.size() * sizeof(T));
  for (std::int64_t i = 0; i < count; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      result[static_cast<std::size_t>(i * pitch + j)] = element<T>(p.seed, i, j);
    }
  }
  return result;
}

template <class T>
void agree(Place place, std::int64_t count, std::int64_t n, std::int64_t gap) {
  const Problem problem = problem_of(count, n, gap, element_type_of<T>);
  Stream& stream = shared_stream(place);
  const auto instance = row().make(problem, stream);
  const std::vector<T> right = right_elements<T>(problem);
  int seen = 0;
  CAPTURE(problem.size.text());
  for_answers(row(), place, problem, *instance, [&](const Variant& variant, const Answer& answer) {
    const std::vector<std::byte> bytes = answer.at("out").bytes.download(stream);
    REQUIRE(bytes.size() == right.size() * sizeof(T));
    CHECK(std::memcmp(bytes.data(), right.data(), bytes.size()) == 0);
    CHECK(row().judge(problem, variant.step, answer, *instance).fault == "");
    seen += variant.model != Model::reference;
  });
  // Kokkos is where the GPU is: in a build with CUDA a host has the native variants alone.
  CHECK(seen >= (place == Place::device ? 13 : PORTCOST_HAS_CUDA ? 3 : 7));
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
  move_rows_by_teams<T>(way, {to.data(), from.data(), to_pitch, from_pitch, count, n},
                        shared_stream(Place::host));
  CHECK(to == right);
}
#endif

void agree_everywhere(Place place) {
  for (const std::int64_t gap : {0, 1, 5, 64}) {
    for (const std::int64_t n : {1, 2, 3, 64, 255, 257}) {
      for (const std::int64_t count : {1, 2, 33}) {
        agree<float>(place, count, n, gap);
        agree<double>(place, count, n, gap);
      }
    }
  }
  agree<float>(place, 1000, 1, 0);
  agree<double>(place, 3, 70'000, 3);
}

}  // namespace

TEST_CASE("transfer_batching: host variants fill all rows and nothing between them",
          "[transfer_batching][kokkos]") {
  agree_everywhere(Place::host);
}

TEST_CASE("transfer_batching: arrays lie in another order than their rows", "[transfer_batching]") {
  const Problem problem = problem_of(100, 4, 2, ElementType::f32);
  const auto instance = row().make(problem, shared_stream(Place::host));
  const auto* const held = dynamic_cast<const InstanceOf<Batch<float>>*>(instance.get());
  REQUIRE(held != nullptr);
  const Batch<float> s = held->work(0);
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

TEST_CASE("transfer_batching: its truth sees a wrong element and one between rows",
          "[transfer_batching]") {
  const Problem problem = problem_of(3, 5, 2, ElementType::f32);
  Stream& host = shared_stream(Place::host);
  const auto instance = row().make(problem, host);
  const auto fault_with = [&](std::size_t at, float value) {
    auto elements = right_elements<float>(problem);
    if (at < elements.size()) elements[at] = value;
    return row().judge(problem, "section_2d", answer_of(elements, 7), *instance).fault;
  };
  CHECK(fault_with(1000, 0) == "");
  CHECK(mentions(fault_with(0, 2), "element 0 of row 0 is 2"));
  CHECK(mentions(fault_with(18, 2), "element 4 of row 2 is 2"));
  CHECK(mentions(fault_with(19, 2), "element 0 after row 2 was written to: 2"));
  CHECK(mentions(fault_with(6, 2), "element 1 after row 0 was written to: 2"));
  CHECK(row().judge(problem, "section_2d", answer_of(std::vector<float>(20)), *instance).fault !=
        "");
}

TEST_CASE("transfer_batching: kernels' rows on values worked out by hand", "[transfer_batching]") {
  const std::vector<float> from{0, 1, -1, 2, 3, -1};
  std::vector<float> to(8, 9);
  const Rows<float> rows{to.data(), from.data(), 4, 3, 2, 2};
  CHECK(rows.elements() == 4);
  for (std::int64_t i = 0; i < rows.elements(); ++i) rows.move(i);
  CHECK(to == std::vector<float>{0, 1, 9, 9, 2, 3, 9, 9});
}

TEST_CASE("transfer_batching: more elements than a launch takes are refused",
          "[transfer_batching]") {
  CHECK_NOTHROW(row().validate(problem_of(1 << 24, 1 << 13, 1 << 13, ElementType::f32)));
  const std::string text = message_of<UsageError>(
      [] { row().validate(problem_of(1 << 24, 1 << 14, 1, ElementType::f32)); });
  CHECK(mentions(text, "count=16777216, n=16384, gap=1 are 2.75e+11 elements"));
  CHECK(mentions(text, "274877906944 at most"));
}

#if !PORTCOST_HAS_CUDA
TEST_CASE("transfer_batching: teams move all rows and nothing between them",
          "[transfer_batching][kokkos]") {
  for (const Way way : {Way::tuned, Way::book}) {
    for (const std::int64_t gap : {0, 5}) {
      for (const std::int64_t n : {1, 64, 255, 256, 257}) {
        for (const std::int64_t count : {1, 2, 33}) {
          teams_move<float>(way, count, n, gap);
          teams_move<double>(way, count, n, gap);
        }
      }
    }
  }
}

TEST_CASE("transfer_batching: a build without CUDA says why the device's steps are absent",
          "[transfer_batching]") {
  std::set<std::string> names;
  for (const Absence& absence : row().absent) names.insert(variant_name(row(), absence));
  CHECK(names ==
        std::set<std::string>{
            "transfer_batching/arrays_batched/cuda", "transfer_batching/arrays_batched/kokkos",
            "transfer_batching/arrays_one_by_one/cuda", "transfer_batching/arrays_packed/cuda",
            "transfer_batching/arrays_packed/kokkos", "transfer_batching/section_2d/cuda",
            "transfer_batching/section_over_link/cuda",
            "transfer_batching/section_over_link/kokkos", "transfer_batching/section_packed/cuda",
            "transfer_batching/section_packed/kokkos",
            "transfer_batching/section_row_by_row/cuda"});
}
#else
TEST_CASE("transfer_batching: device variants fill all rows and nothing between them",
          "[transfer_batching][kokkos][gpu]") {
  need_device();
  agree_everywhere(Place::device);
}

TEST_CASE("transfer_batching: what waits for a copy cannot be queued ahead of the device",
          "[transfer_batching][kokkos][gpu]") {
  need_device();
  const Problem problem = problem_of(3, 5, 2, ElementType::f32);
  const auto instance = row().make(problem, shared_stream(Place::device));
  for (const Variant& variant : row().variants) {
    if (variant.place != Place::device) continue;
    const std::string name = variant_name(row(), variant);
    CAPTURE(name);
    const bool waits = mentions(name, "packed") || mentions(name, "section_2d/kokkos.usual");
    CHECK(variant.make(problem, *instance)->queued_ahead() == !waits);
  }
}
#endif

}  // namespace portcost::test::test_transfer_batching
