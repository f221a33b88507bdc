// SPDX-License-Identifier: Apache-2.0
// transfer_overlap: every variant of this machine, its truth, its cost and its refusals. How data
// is cut and in which order the calls come is tested in test_transfer_overlap_schedule.cpp.
#include "perf/command/result.hpp"
#include "tests/matrix_checks.hpp"
#include "variants/transfer_overlap/problem.hpp"

namespace portcost::test::test_transfer_overlap {

using namespace transfer_overlap;

const Algorithm& row() { return algorithm_called("transfer_overlap"); }

Problem problem_of(std::int64_t n, std::int64_t streams, const std::string& parameters = "",
                   ElementType type = ElementType::f32) {
  return test::problem_of(row(), "n=" + std::to_string(n) + ",streams=" + std::to_string(streams),
                          parameters, type);
}

void agree(Place place, std::int64_t n, std::int64_t streams, const std::string& parameters) {
  for (const ElementType type : {ElementType::f32, ElementType::f64}) {
    test::agree(row(), place, problem_of(n, streams, parameters, type));
  }
}

// Of floats, the parts of which all have increased by 1.
Answer answer_with(const Problem& p, const std::vector<float>& out) {
  const std::vector<float> parts(static_cast<std::size_t>(ceil_div(p.size.at("n"), part_elements)),
                                 1);
  Answer answer = answer_of(parts, 0, "least");
  answer.arrays.push_back(std::move(answer_of(parts, 0, "most").arrays[0]));
  answer.arrays.push_back(std::move(answer_of(out).arrays[0]));
  return answer;
}
Answer right_answer(const Problem& p) {
  std::vector<float> out(static_cast<std::size_t>(p.size.at("n")));
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = element<float>(p.seed, i) + 1;
  return answer_with(p, out);
}

Judgement judged(const Problem& p, const Answer& answer) {
  const auto instance = row().make(p, shared_stream(Place::host));
  return row().judge(p, "sequential", answer, *instance);
}

double seconds(const Cost& cost, const std::map<std::string, double>& rates) {
  std::map<std::string, Limit> limits;
  for (const auto& [name, rate] : rates) limits[name] = {name, rate, "B/s", {0, 0}};
  return floor_of(cost, limits).seconds;
}

TEST_CASE("transfer_overlap: variants agree with the truth", "[transfer_overlap][kokkos][gpu]") {
  at_each_place([](Place place) {
    for (const std::int64_t n : {1, 2, 3, 16, 17, 127, 128, 129, 1000, 65'536, 65'537}) {
      for (const std::int64_t streams : {1, 2, 4, 8, 16}) agree(place, n, streams, "");
      for (const char* parameters :
           {"chunks=1", "chunks=7", "chunks=7,buffers=1", "chunks=7,buffers=2",
            "chunks=16,buffers=3", "chunks=16,buffers=16", "chunks=64,buffers=5"}) {
        agree(place, n, 4, parameters);
      }
    }
  });
}

TEST_CASE("transfer_overlap: its truth sees lost, doubled, misplaced, NaN", "[transfer_overlap]") {
  const Problem p = problem_of(70'000, 4);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  CHECK(judged(p, right_answer(p)).fault == "");
  CHECK(mentions(judged(p, right_answer(p)).truth, "largest error 0"));
  const float before = element<float>(p.seed, 66'000), other = element<float>(p.seed, 65'999);
  REQUIRE(before != other);
  for (const float wrong : {before, before + 2, other + 1, nan, before + 1 + 1e-6f}) {
    const Answer answer = with_element(right_answer(p), "out", 66'000, wrong);
    CHECK(mentions(judged(p, answer).fault, "out[66000]"));
  }
  const float rounded = before + 1 + 2e-7f;
  CHECK(judged(p, with_element(right_answer(p), "out", 66'000, rounded)).fault == "");
  CHECK(mentions(judged(p, with_element(right_answer(p), "least", 1, 0.f)).fault,
                 "of elements 65536 to 69999 one has increased by 0, where 1 is right"));
  CHECK(mentions(judged(p, with_element(right_answer(p), "most", 0, nan)).fault,
                 "of elements 0 to 65535 one has increased by nan"));
  CHECK(mentions(judged(p, with_element(right_answer(p), "most", 0, 1 + 2e-7f)).truth,
                 "largest error 2.38e-07"));
  CHECK(judged(problem_of(70'001, 4), right_answer(p)).fault != "");
}

TEST_CASE("transfer_overlap: a very large answer has the parts alone", "[transfer_overlap]") {
  const Problem p = problem_of((most_bytes_kept / 4) + 1, 4);
  const auto small = row().make(problem_of(10, 4), shared_stream(Place::host));
  Answer answer = answer_with(p, {});
  CHECK(row().judge(p, "ring", answer, *small).fault == "");
  answer = with_element(std::move(answer), "most", answer.at("most").count() - 1, 2.f);
  CHECK(mentions(row().judge(p, "ring", answer, *small).fault,
                 "of elements 268435456 to 268435456 one has increased by 2"));
}

TEST_CASE("transfer_overlap: an answer's parts tell of their elements", "[transfer_overlap]") {
  const Problem p = problem_of(70'000, 1);
  const auto instance = row().make(p, shared_stream(Place::host));
  float* const a = work_of<Overlap<float>>(*instance).a;
  CHECK(elements<float>(instance->answer().at("most")) == std::vector<float>{0, 0});
  a[65'535] += 1;
  a[69'999] -= 0.5f;
  CHECK(elements<float>(instance->answer().at("most")) == std::vector<float>{1, 0});
  CHECK(elements<float>(instance->answer().at("least")) == std::vector<float>{0, -0.5f});
  a[66'000] = std::numeric_limits<float>::quiet_NaN();
  CHECK(std::isnan(elements<float>(instance->answer().at("least"))[1]));
  CHECK(std::isnan(elements<float>(instance->answer().at("most"))[1]));
}

TEST_CASE("transfer_overlap: rounding stays within its bound", "[transfer_overlap]") {
  double largest = 0;
  for (std::int64_t i = 0; i < 3'000'000; i += 7) {
    const float a = i % 2 == 0 ? 0 : element<float>(3, static_cast<std::uint64_t>(i));
    const double error = std::abs(double{increased(a, static_cast<float>(i))} - (double{a} + 1));
    largest = std::max(largest, error);
  }
  CHECK(largest > 0);
  CHECK(largest <= largest_error<float>);
  CHECK(largest_error<float> < 6e-7f);
  CHECK(largest_error<double> < 1.1e-15);
}

TEST_CASE("transfer_overlap: the ideal is the slowest stage and its ends", "[transfer_overlap]") {
  std::map<std::string, double> rates{{"link to device pinned", 50},
                                      {"link from device pinned", 40},
                                      {"link to device both ways", 25},
                                      {"link from device both ways", 20},
                                      {"copy", 1000}};
  const auto cost = [](const std::string& parameters, std::int64_t n = 1000) {
    return row().cost_in(Place::device, problem_of(n, 4, parameters));
  };
  // 4000 bytes in 4 chunks: out binds. In 1000 / 50, kernel 2000 / 1000, out 3000 / 20 + 1000 / 40.
  CHECK(std::abs(seconds(cost(""), rates) - (20 + 2 + 150 + 25)) < 1e-9);
  // One chunk overlaps with nothing.
  CHECK(std::abs(seconds(cost("chunks=1"), rates) - (80 + 8 + 100)) < 1e-9);
  // In binds: 1000 / 50 + 3000 / 10, kernel 2, out 25.
  rates["link to device both ways"] = 10;
  CHECK(std::abs(seconds(cost(""), rates) - (20 + 300 + 2 + 25)) < 1e-9);
  // The kernel binds: 8000 / 10.
  rates["copy"] = 10;
  CHECK(std::abs(seconds(cost(""), rates) - (20 + 800 + 25)) < 1e-9);
  // The last chunk is short: 10 elements as 3, 3, 3, 1; out binds again.
  rates = {{"link to device pinned", 1},
           {"link from device pinned", 1},
           {"link to device both ways", 1},
           {"link from device both ways", 0.5},
           {"copy", 1}};
  CHECK(std::abs(seconds(cost("", 10), rates) - (12 + 24 + 36 / 0.5 + 4)) < 1e-9);
  for (const Amount& amount : cost("chunks=1")) CHECK(amount.amount > 0);
  // On a host the array is read and written, however it is cut.
  const Cost host = row().cost_in(Place::host, problem_of(1000, 4));
  REQUIRE(host.size() == 1);
  CHECK(host[0].amount == 8000);
  CHECK(host[0].limit == "copy");
}

TEST_CASE("transfer_overlap: what is out of range or too large is refused", "[transfer_overlap]") {
  const auto refusal = [](const std::string& parameters) {
    return message_of<UsageError>([&] { row().validate(problem_of(10, 4, parameters)); });
  };
  CHECK(mentions(refusal("chunks=-1"), "chunks=-1 is out of range: allowed are 0 to 65536"));
  CHECK(mentions(refusal("chunks=65537"), "chunks=65537"));
  CHECK(mentions(refusal("buffers=-2"), "buffers=-2"));
  CHECK(refusal("chunks=65536,buffers=65536") == "(nothing thrown)");
  CHECK(mentions(message_of<UsageError>([] { parse_size("streams=3", row().size_keys); }),
                 "streams=3 is not allowed: it must be one of 1, 2, 4, 8, 16"));
  const Problem p = problem_of(std::int64_t{1} << 37, 4, "", ElementType::f64);
  const std::string text = message_of<Failure>([&] { row().make(p, shared_stream(Place::host)); });
  CHECK(mentions(text, "no 1099511627776 bytes of host memory"));
  CHECK(mentions(text, "choose a smaller size"));
}

#if PORTCOST_HAS_CUDA
TEST_CASE("transfer_overlap: devices agree on large arrays", "[transfer_overlap][kokkos][gpu]") {
  need_device();
  agree(Place::device, 5'000'011, 4, "");
  agree(Place::device, 5'000'011, 16, "chunks=100,buffers=6");
}

TEST_CASE("transfer_overlap: a device runs without a reset", "[transfer_overlap][kokkos][gpu]") {
  need_device();
  const Problem problem = problem_of(3'000'001, 4, "chunks=12,buffers=5");
  const auto instance = row().make(problem, shared_stream(Place::device));
  for (const Variant& variant : row().variants) {
    if (variant.place != Place::device) continue;
    CAPTURE(variant_name(row(), variant));
    const auto execution = variant.make(problem, *instance);
    instance->reset();
    for (int i = 0; i < 10; ++i) execution->run(0);
    instance->stream().synchronize();
    const float* const a = work_of<Overlap<float>>(*instance).a;
    std::int64_t wrong = 0;
    for (std::int64_t i = 0; i < 3'000'001; ++i) {
      const float right = element<float>(problem.seed, static_cast<std::uint64_t>(i)) + 10;
      wrong += std::abs(a[i] - right) > 1e-4f;
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("transfer_overlap: what waits is not queued ahead", "[transfer_overlap][kokkos][gpu]") {
  check_queued_ahead(row(), problem_of(1000, 4), [](const std::string& name) {
    return mentions(name, "kokkos.usual") || mentions(name, "kokkos.book");
  });
}

TEST_CASE("transfer_overlap: a timeline has all work", "[transfer_overlap][kokkos][gpu]") {
  need_device();
  const Problem problem = problem_of(1 << 20, 4, "chunks=8,buffers=3");
  const auto instance = row().make(problem, shared_stream(Place::device));
  for (const Variant& variant : row().variants) {
    if (variant.place != Place::device) continue;
    CAPTURE(variant_name(row(), variant));
    const auto execution = variant.make(problem, *instance);
    Timeline timeline(Place::device);
    if (variant.step == "graph") {
      CHECK_FALSE(execution->write_to(timeline));
      continue;
    }
    REQUIRE(execution->write_to(timeline));
    timeline.start(instance->stream());
    execution->run(0);
    const std::vector<Span> spans = timeline.spans();
    CHECK(spans.size() == (variant.step == "sequential" ? 3u : 24u));
    std::map<int, double> ends;
    for (const Span& span : spans) {
      CHECK(span.begin_s >= ends[span.queue]);
      CHECK(span.end_s > span.begin_s);
      ends[span.queue] = span.end_s;
    }
  }
}
#endif

}  // namespace portcost::test::test_transfer_overlap
