// SPDX-License-Identifier: Apache-2.0
#include "tests/ranks/rings.hpp"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <thread>

#include "src/distributed/exchange.hpp"
#include "src/distributed/files.hpp"
#include "variants/shared/data.hpp"

namespace portcost::test {

namespace {

constexpr std::array size_keys{SizeKey{"n", 5000, 1, 1 << 24, "numbers on the ring"}};
constexpr std::array parameter_keys{ParameterKey::path("file", "a file that nobody reads")};
constexpr std::array types{ElementType::i32};

int at_first(std::int64_t i) { return static_cast<int>(i * i % 1009); }

// Which fault is wanted, and of whom: "dies:1".
std::string fault() {
  const char* const wanted = std::getenv("RINGS_FAULT");
  return wanted == nullptr ? "" : wanted;
}
bool fails(const Ranks& ranks, const std::string& way) {
  return fault() == way + ":" + std::to_string(ranks.rank());
}

void fail_if_wanted(const Ranks& ranks) {
  if (fails(ranks, "dies")) std::raise(SIGKILL);
  if (fails(ranks, "leaves")) std::_Exit(7);
  if (fails(ranks, "throws")) throw Failure("the ring is broken");
  if (fails(ranks, "sleeps")) std::this_thread::sleep_for(std::chrono::milliseconds(200));
  if (fails(ranks, "stops")) std::raise(SIGSTOP);
  while (fails(ranks, "hangs")) std::this_thread::sleep_for(std::chrono::seconds(1));
}

// ---- By one process.

struct Work {
  const int* in;
  int* out;
  std::int64_t n;
};

class Data final : public DataOf<Work> {
 public:
  Data(const Problem& problem, Stream& stream)
      : DataOf(stream),
        in_(filled(count(problem, "n"), stream,
                   [](std::uint64_t i) { return at_first(static_cast<std::int64_t>(i)); })),
        out_(*this, "out", {in_.size()}) {}
  Work work(int) const override {
    return {in_.data(), out_.data(), static_cast<std::int64_t>(in_.size())};
  }

 private:
  Buffer<int> in_;
  Output<int> out_;
};

void add(const Work& work, const Stream&) {
  for (std::int64_t i = 0; i < work.n; ++i) {
    work.out[i] = work.in[(i + work.n - 1) % work.n] + work.in[(i + 1) % work.n];
  }
}
constexpr Works<Work> works;

// ---- Over ranks.

using distributed::Index;

struct Share {
  distributed::Array<int>* in;
  distributed::Array<int>* out;
};

distributed::Shape ring(std::int64_t n, int ranks, std::int64_t width) {
  using distributed::BoundaryType;
  return {distributed::Distribution({1, n, 1}, ranks),
          {{0, width, 0},
           distributed::StencilType::star,
           {BoundaryType::ghosted, BoundaryType::periodic, BoundaryType::ghosted}}};
}

class Shares final : public InstanceOf<Share> {
 public:
  Shares(const Problem& problem, Stream& stream)
      : InstanceOf(stream),
        n_(problem.size.at("n")),
        processors_(distributed::communicator_of(stream), distributed::Processor{}),
        in_(processors_, ring(n_, problem.ranks, 1)),
        out_(processors_, ring(n_, problem.ranks, 0)) {
    in_.fill([](const Index& point) { return at_first(point[1]); });
  }
  bool repeatable() const override { return true; }
  void reset() override { out_.fill(-1); }
  Answer answer() override {
    while (fails(stream().ranks(), "hangs_in_answer")) {
      std::this_thread::sleep_for(std::chrono::seconds(1));
    }
    Answer result;
    if (!stream().ranks().is_first()) {
      distributed::collect(out_, static_cast<int*>(nullptr));
      return result;
    }
    Array whole{"out", ElementType::i32, {static_cast<std::size_t>(n_)}, {}};
    whole.bytes = Buffer<std::byte>(whole.count() * sizeof(int), Place::host);
    distributed::collect(out_, reinterpret_cast<int*>(whole.bytes.data()));
    result.arrays.push_back(std::move(whole));
    return result;
  }
  Share work(int) const override { return {&in_, &out_}; }

 private:
  std::int64_t n_;
  distributed::Processors processors_;
  mutable distributed::Array<int> in_, out_;
};

class Exchanging final : public Execution {
 public:
  Exchanging(const Share& share, const Stream& stream)
      : share_(share), ranks_(stream.ranks()), exchange_(*share.in) {}
  void run(int) override {
    fail_if_wanted(ranks_);
    // Of the second size, when there is a record of the first.
    if (fault().starts_with("breaks:") && share_.in->shape().distribution.global()[1] == 5001) {
      ranks_.together([&] {
        if (fails(ranks_, "breaks")) throw Failure("the ring is broken for all");
      });
    }
    exchange_.run(*share_.in);
    const distributed::Part &from = share_.in->parts()[0], &to = share_.out->parts()[0];
    const distributed::Box& box = to.layout.corners;
    for (std::int64_t r = box.begin[1]; r < box.end[1]; ++r) {
      const int* const here = share_.in->data(from) + from.layout.at({0, r, 0});
      share_.out->data(to)[to.layout.at({0, r, 0})] =
          here[-from.layout.pitch] + here[from.layout.pitch];
    }
    if (fails(ranks_, "wrong")) share_.out->data(to)[to.layout.at(box.begin)] += 1;
  }

 private:
  Share share_;
  const Ranks& ranks_;
  distributed::HaloExchange exchange_;
};

constexpr Works<Share> shares;

std::string too_many(const Problem& problem) {
  return distributed::why_not_shared(problem.size.at("n"), std::max(1, problem.ranks),
                                     distributed::Sharing::even, "numbers");
}

Rungs over_ranks() {
  return {rung(shares, "exchange", [](const Share& share, const Stream& stream) {
            return std::unique_ptr<Execution>(std::make_unique<Exchanging>(share, stream));
          }).unless(too_many)};
}

std::vector<Table> tables() {
  return {{Model::reference, Place::host, false, {rung(works, "alone", add)}},
          {Model::openmp, Place::host, false, {rung(works, "alone", add)}},
          {Model::openmp, Place::host, false, over_ranks(), true},
          {Model::kokkos, Place::host, true, over_ranks(), true}};
}

Judgement judge(const Problem& problem, std::string_view, const Answer& answer, const Instance&) {
  const std::int64_t n = problem.size.at("n");
  const int* const found = reinterpret_cast<const int*>(answer.at("out").bytes.data());
  for (std::int64_t i = 0; i < n; ++i) {
    const int sum = at_first((i + n - 1) % n) + at_first((i + 1) % n);
    if (found[i] != sum) return {"all numbers", "number " + std::to_string(i) + " is wrong"};
  }
  return {"all numbers", ""};
}

}  // namespace

Algorithm rings() {
  Algorithm row{
      .name = "rings",
      .summary = "sums of neighbours on a ring",
      .size_keys = size_keys,
      .parameter_keys = parameter_keys,
      .types = types,
      .footprint = [](const Problem& p) { return 16 * real(p, "n"); },
      .cost =
          [](const Problem& p) {
            return Cost({{8 * real(p, "n"), "copy"}});
          },
      .measured = {{{5000}}},
      .checked = {{1}, {5}, {5000}},
      .drawn = {{1, 5000}},
      .make = make_instance<Data>,
      .make_over_ranks = make_instance<Shares>,
      .agreement = "equal",
      .judge = judge,
  };
  return assembled(std::move(row), tables());
}

}  // namespace portcost::test
