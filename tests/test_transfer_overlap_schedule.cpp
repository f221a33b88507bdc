// SPDX-License-Identifier: Apache-2.0
// transfer_overlap: how data is cut, the order of the calls and what they wait for, on a device
// that the test plays.
#include <random>

#include "tests/support.hpp"
#include "variants/transfer_overlap/problem.hpp"
#include "variants/transfer_overlap/schedule.hpp"

namespace portcost::test::test_transfer_overlap_schedule {

using namespace transfer_overlap;

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
    for (const Call& call : queues_[static_cast<std::size_t>(number)]) append(text, call.text());
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
        if (call.what != "wait" || reached[static_cast<std::size_t>(call.event)])
          ready.push_back(q);
      }
      if (ready.empty()) return;
      const std::size_t q = ready[random() % ready.size()];
      const Call& call = queues_[q][done[q]++];
      if (call.what == "emptied") reached[static_cast<std::size_t>(call.event)] = true;
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
  std::vector<Call>& queue(const Piece& p) { return queues_.at(static_cast<std::size_t>(p.queue)); }
  void add(const std::string& what, const Piece& p) {
    queue(p).push_back({what, p});
    said(queue(p).back().text());
  }
  void execute(const Call& call) {
    for (std::int64_t i = 0; i < call.piece.count; ++i) {
      std::int64_t& here = host.at(static_cast<std::size_t>(call.piece.first + i));
      std::int64_t& there = device_.at(static_cast<std::size_t>(call.piece.at + i));
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
      if (device.host[static_cast<std::size_t>(i)] == 10 * i + 1) continue;
      FAIL("element " << i << " is " << device.host[static_cast<std::size_t>(i)] << ", seed "
                      << seed);
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
  for (const std::int64_t n : {1, 5, 23, 24}) {
    for (const std::int64_t chunks : {1, 2, 5, 12}) {
      for (const int streams : {1, 2, 4, 8}) {
        const Cut plain{n, chunks, 0, streams};
        right_in_any_order<OneLoop>(plain.whole());
        right_in_any_order<OneLoop>(plain.chunked());
        right_in_any_order<ThreeLoops>(plain.chunked());
        right_in_any_order<ThreeLoopsMarked>(plain.chunked());
        for (const std::int64_t buffers : {0, 1, 2, 3, 4, 7, 12}) {
          right_in_any_order<OneLoop>(Cut{n, chunks, buffers, streams}.ring());
        }
      }
    }
  }
}

TEST_CASE("transfer_overlap: a run forks before its calls and joins after", "[transfer_overlap]") {
  const Plan plan = Cut{4, 2, 0, 2}.chunked();
  auto owned = std::make_unique<FakeDevice>(plan);
  const FakeDevice& device = *owned;
  Pipeline<ThreeLoopsMarked, FakeDevice> run(plan, false, std::move(owned));
  const std::string calls = "begin in0 in1 kernel0 mark0 kernel1 mark1 out0 out1 end";
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
  CHECK_FALSE(Pipeline<OneLoop, FakeDevice>(plan, true, nullptr).queued_ahead());
}

TEST_CASE("transfer_overlap: without pinned memory none is queued ahead", "[transfer_overlap]") {
  const auto queued = [](bool pinned, bool waits) {
    const Cut cut{4, 2, 0, 2};
    const Overlap<float> s{nullptr, pinned, nullptr, cut};
    auto calls = std::make_unique<FakeDevice>(cut.chunked());
    calls->waiting = waits;
    return pipeline<OneLoop>(s, cut.chunked(), std::move(calls))->queued_ahead();
  };
  CHECK(queued(true, false));
  CHECK_FALSE(queued(true, true));
  CHECK_FALSE(queued(false, false));
}

TEST_CASE("transfer_overlap: a host's calls wait, a device's do not", "[transfer_overlap][gpu]") {
  at_each_place([](Place place) {
    CHECK(OnQueues(shared_stream(place), Cut{4, 2, 0, 2}.chunked()).waits() ==
          (place == Place::host));
  });
}

}  // namespace portcost::test::test_transfer_overlap_schedule
