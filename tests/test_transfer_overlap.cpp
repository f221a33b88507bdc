// SPDX-License-Identifier: Apache-2.0
// transfer_overlap: its truth and its cost; how data is cut, the order of the calls and what they
// wait for, on a device that the test plays.
#include <random>

#include "perf/command/result.hpp"
#include "tests/matrix_checks.hpp"
#include "variants/transfer_overlap/problem.hpp"
#include "variants/transfer_overlap/schedule.hpp"

namespace portcost::test::test_transfer_overlap {

using namespace transfer_overlap;

const Algorithm& row() { return algorithm_called("transfer_overlap"); }

Problem problem_of(std::int64_t n, std::int64_t streams, const std::string& parameters = "",
                   ElementType type = ElementType::f32) {
  return test::problem_of(row(), "n=" + std::to_string(n) + ",streams=" + std::to_string(streams),
                          parameters, type);
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
  // A very large answer has the parts alone.
  const Problem large = problem_of((most_bytes_kept / 4) + 1, 4);
  const auto small = row().make(problem_of(10, 4), shared_stream(Place::host));
  const Answer parts = answer_with(large, {});
  CHECK(row().judge(large, "ring", parts, *small).fault == "");
  const Answer wrong =
      with_element(answer_with(large, {}), "most", parts.at("most").count() - 1, 2.f);
  CHECK(mentions(row().judge(large, "ring", wrong, *small).fault,
                 "of elements 268435456 to 268435456 one has increased by 2"));
}

TEST_CASE("transfer_overlap: fast functions have a bound of their own", "[transfer_overlap]") {
  const Problem fast = problem_of(70'000, 4, "math=fast");
  const Answer rounded =
      with_element(right_answer(fast), "out", 9, element<float>(fast.seed, 9) + 1 + 1e-6f);
  CHECK(judged(fast, rounded).fault == "");
  CHECK(judged(problem_of(70'000, 4), rounded).fault != "");
  CHECK(largest_error<float, true> < 1.1e-6f);
}

TEST_CASE(
    "transfer_overlap: an answer's parts tell of their elements, rounding stays within its bound",
    "[transfer_overlap]") {
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
  double largest = 0;
  for (std::int64_t i = 0; i < 3'000'000; i += 7) {
    const float given = i % 2 == 0 ? 0 : element<float>(3, static_cast<std::uint64_t>(i));
    const double error =
        std::abs(double{increased(given, static_cast<float>(i))} - (double{given} + 1));
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

TEST_CASE("transfer_overlap: what is too large is refused", "[transfer_overlap]") {
  const Problem p = problem_of(std::int64_t{1} << 37, 4, "", ElementType::f64);
  const std::string text = message_of<Failure>([&] { row().make(p, shared_stream(Place::host)); });
  CHECK(mentions(text, "no 1099511627776 bytes of host memory"));
  CHECK(mentions(text, "choose a smaller size"));
}

#if PORTCOST_HAS_CUDA
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

/// A device that a test plays: it keeps calls in the order in which they came, and on their queues.
class FakeDevice {
 public:
  explicit FakeDevice(const Plan& plan)
      : plan_(plan), queues_(static_cast<std::size_t>(plan.queues)) {
    for (std::int64_t i = 0; i < plan.n; ++i) host.push_back(10 * i);
    device_.assign(static_cast<std::size_t>(plan.elements()), -1);
  }

  void begin() { said("begin"); }
  void end() { said("end"); }
  void work_of_host() { said("own"); }
  void in(const Piece& p) { add("in", p); }
  void kernel(const Piece& p) { add("kernel", p); }
  void out(const Piece& p) { add("out", p); }
  void mark(const Piece& p) { add("mark", p); }
  void emptied(const Piece& p) {
    add("emptied", p);
    queue(p).back().event = recorded_[p.buffer] = events_++;
  }
  void wait(const Piece& p, const Piece& before) {
    add("wait", p);
    queue(p).back().event = recorded_.at(before.buffer);
  }
  CUstream_st* queue(int) const { return nullptr; }
  bool waits() const { return waiting; }
  bool waiting = false;

  /// "in0 kernel0 out0", in the order in which they came; queues are not told.
  std::string calls() const { return calls_; }
  /// "in0 in2", of one queue.
  std::string calls_of(int number) const {
    std::string text;
    for (const Call& call : queues_[number]) append(text, call.text());
    return text;
  }

  /// Runs it all: next comes the first call of a queue that is drawn, unless it waits for an event.
  void run(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<std::size_t> done(queues_.size(), 0);
    std::vector<bool> reached(static_cast<std::size_t>(events_), false);
    for (;;) {
      std::vector<std::size_t> ready;
      for (std::size_t q = 0; q < queues_.size(); ++q) {
        if (done[q] == queues_[q].size()) continue;
        const Call& call = queues_[q][done[q]];
        if (call.what != "wait" || reached[call.event]) ready.push_back(q);
      }
      if (ready.empty()) return;
      const std::size_t q = ready[random() % ready.size()];
      const Call& call = queues_[q][done[q]++];
      if (call.what == "emptied") reached[call.event] = true;
      execute(call);
    }
  }

  std::vector<std::int64_t> host;  // element i is 10 i, and, increased, 10 i + 1

 private:
  struct Call {
    std::string what;
    Piece piece{};
    int event = -1;
    std::string text() const { return what + std::to_string(piece.number); }
  };

  static void append(std::string& text, const std::string& word) {
    text += (text.empty() ? "" : " ") + word;
  }
  void said(const std::string& word) { append(calls_, word); }
  std::vector<Call>& queue(const Piece& p) { return queues_.at(p.queue); }
  void add(const std::string& what, const Piece& p) {
    queue(p).push_back({what, p});
    said(queue(p).back().text());
  }
  void execute(const Call& call) {
    for (std::int64_t i = 0; i < call.piece.count; ++i) {
      std::int64_t& here = host.at(call.piece.first + i);
      std::int64_t& there = device_.at(call.piece.at + i);
      if (call.what == "in") there = here;
      if (call.what == "kernel") ++there;
      if (call.what == "out") here = there;
    }
  }

  Plan plan_;
  std::vector<std::vector<Call>> queues_;
  std::vector<std::int64_t> device_;
  std::map<std::int64_t, int> recorded_;  // the last event of each buffer
  int events_ = 0;
  std::string calls_;
};

template <class Order>
std::string calls(const Plan& plan) {
  FakeDevice device(plan);
  Order()(plan, device);
  return device.calls();
}

// Whatever order the queues and events allow, each element has increased once.
template <class Order>
void right_in_any_order(const Plan& plan) {
  CAPTURE(plan.n, plan.pieces, plan.buffers, plan.queues);
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    FakeDevice device(plan);
    Order()(plan, device);
    device.run(seed);
    for (std::int64_t i = 0; i < plan.n; ++i) {
      if (device.host[i] == 10 * i + 1) continue;
      FAIL("element " << i << " is " << device.host[i] << ", seed " << seed);
    }
  }
  SUCCEED();
}

TEST_CASE("transfer_overlap: equal chunks cover the data, the last shorter", "[transfer_overlap]") {
  for (const std::int64_t n : {1, 2, 3, 7, 10, 100, 1001}) {
    for (const std::int64_t chunks : {1, 2, 3, 4, 7, 16, 2000}) {
      CAPTURE(n, chunks);
      const Cut cut{n, chunks, 0, 4};
      for (const Plan& plan : {cut.whole(), cut.chunked(), cut.ring()}) {
        std::int64_t next = 0;
        for (std::int64_t i = 0; i < plan.pieces; ++i) {
          const Piece p = plan.piece(i);
          CHECK(p.number == i);
          CHECK(p.first == next);
          CHECK(p.count > 0);
          CHECK((p.count == plan.length || i == plan.pieces - 1));
          CHECK(p.at == p.buffer * plan.length);
          CHECK(p.at + p.count <= plan.elements());
          CHECK((p.queue >= 0 && p.queue < plan.queues));
          next += p.count;
        }
        CHECK(next == n);
        CHECK(plan.queues <= 4);
      }
      CHECK(cut.pieces() <= std::min(n, chunks));
    }
  }
  CHECK(Cut{10, 4, 0, 4}.chunked().pieces == 4);
  CHECK(Cut{10, 4, 0, 4}.chunked().piece(3).count == 1);
  CHECK(Cut{5, 4, 0, 4}.chunked().pieces == 3);  // of 2, 2 and 1
}

TEST_CASE("transfer_overlap: ring's buffers, and the chapter's order", "[transfer_overlap]") {
  CHECK(Cut{100, 10, 0, 4}.ring().buffers == 5);
  CHECK(Cut{100, 10, 3, 4}.ring().buffers == 3);
  CHECK(Cut{100, 10, 30, 4}.ring().buffers == 10);
  CHECK(Cut{100, 1, 0, 4}.ring().buffers == 1);
  CHECK(Cut{100, 10, 3, 4}.ring().elements() == 30);
  CHECK(Cut{7, 4, 0, 4}.ring().elements() == 4);
  // 64 GiB of floats through 4 GiB.
  const Plan large = Cut{std::int64_t{1} << 34, 64, 4, 4}.ring();
  CHECK(large.elements() * 4 == std::int64_t{4} << 30);
  CHECK(large.piece(63).first + large.piece(63).count == std::int64_t{1} << 34);
  const Cut cut{9, 3, 0, 4};
  CHECK(calls<OneLoop>(cut.whole()) == "in0 kernel0 out0");
  CHECK(calls<OneLoop>(cut.chunked()) == "in0 kernel0 out0 in1 kernel1 out1 in2 kernel2 out2");
  CHECK(calls<ThreeLoops>(cut.chunked()) == "in0 in1 in2 kernel0 kernel1 kernel2 out0 out1 out2");
  CHECK(calls<ThreeLoopsMarked>(cut.chunked()) ==
        "in0 in1 in2 kernel0 mark0 kernel1 mark1 kernel2 mark2 out0 out1 out2");
}

TEST_CASE("transfer_overlap: ring waits for another queue's buffer", "[transfer_overlap]") {
  // Two buffers, four queues: piece 2 finds piece 0's buffer, used on queue 0.
  const Plan crossing = Cut{8, 4, 2, 4}.ring();
  CHECK(calls<OneLoop>(crossing) ==
        "in0 kernel0 out0 emptied0 in1 kernel1 out1 emptied1 wait2 in2 kernel2 out2 wait3 in3 "
        "kernel3 out3");
  FakeDevice device(crossing);
  OneLoop()(crossing, device);
  CHECK(device.calls_of(0) == "in0 kernel0 out0 emptied0");
  CHECK(device.calls_of(2) == "wait2 in2 kernel2 out2");
  // As many buffers as queues: each queue has a buffer, and its own order does.
  CHECK(calls<OneLoop>(Cut{8, 4, 2, 2}.ring()) ==
        "in0 kernel0 out0 in1 kernel1 out1 in2 kernel2 out2 in3 kernel3 out3");
}

TEST_CASE("transfer_overlap: in any order each element increases once", "[transfer_overlap]") {
  const std::int64_t n = GENERATE(1, 5, 23, 24);
  const std::int64_t chunks = GENERATE(1, 2, 5, 12);
  const int streams = GENERATE(1, 2, 4, 8);
  const Cut plain{n, chunks, 0, streams};
  right_in_any_order<OneLoop>(plain.whole());
  right_in_any_order<OneLoop>(plain.chunked());
  right_in_any_order<ThreeLoops>(plain.chunked());
  right_in_any_order<ThreeLoopsMarked>(plain.chunked());
  for (const std::int64_t buffers : {0, 1, 2, 3, 4, 7, 12}) {
    right_in_any_order<OneLoop>(Cut{n, chunks, buffers, streams}.ring());
  }
}

TEST_CASE("transfer_overlap: a run forks before its calls and joins after", "[transfer_overlap]") {
  const Plan plan = Cut{4, 2, 0, 2}.chunked();
  auto owned = std::make_unique<FakeDevice>(plan);
  FakeDevice& device = *owned;
  Pipeline<ThreeLoopsMarked, FakeDevice> run(plan, false, std::move(owned),
                                             [&] { device.work_of_host(); });
  const std::string calls = "begin in0 in1 kernel0 mark0 kernel1 mark1 out0 out1 own end";
  run.run(0);
  CHECK(device.calls() == calls);
  Timeline timeline(Place::host);
  const Stream host(Place::host);
  CHECK(run.write_to(timeline));
  timeline.start(host);
  run.run(0);
  CHECK(device.calls() == calls + " " + calls);
  const std::vector<Span> spans = timeline.spans();
  REQUIRE(spans.size() == 6);
  CHECK(spans[1].what == "copy in");
  CHECK(spans[1].piece == 1);
  CHECK(spans[1].queue == 1);
  CHECK(spans[2].what == "kernel");
  CHECK(spans[5].what == "copy out");
  for (std::size_t i = 0; i < spans.size(); ++i) {
    CHECK(spans[i].begin_s >= (i == 0 ? 0 : spans[i - 1].end_s));
    CHECK(spans[i].end_s >= spans[i].begin_s);
  }
  CHECK(run.queued_ahead());
  CHECK_FALSE(Pipeline<OneLoop, FakeDevice>(plan, true, nullptr, {}).queued_ahead());
}

TEST_CASE("transfer_overlap: what waits, or has no pinned memory, is not queued ahead",
          "[transfer_overlap]") {
  const Plan plan = Cut{4, 2, 0, 2}.chunked();
  const auto queued = [&](bool pinned, bool waits) {
    const Overlap<float> s{nullptr, pinned, nullptr, Cut{4, 2, 0, 2}, false, false};
    auto calls = std::make_unique<FakeDevice>(plan);
    calls->waiting = waits;
    return pipeline<OneLoop>(s, plan, std::move(calls))->queued_ahead();
  };
  CHECK(queued(true, false));
  CHECK_FALSE(queued(true, true));
  CHECK_FALSE(queued(false, false));
  CHECK(OnQueues(shared_stream(Place::host), plan).waits());
  if (device_present()) CHECK_FALSE(OnQueues(shared_stream(Place::device), plan).waits());
}

}  // namespace portcost::test::test_transfer_overlap
