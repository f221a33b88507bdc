// SPDX-License-Identifier: Apache-2.0
// sum's truth, bound and shapes by hand; its variants on paths of a large sum.
#include "tests/launches.hpp"
#include "tests/matrix_checks.hpp"
#include "variants/sum/problem.hpp"

namespace portcost::test::test_sum {

using sum::Plan;
using sum::Truth;
using sum::Word;

const Algorithm& row() { return algorithm_called("sum"); }

Problem problem_of(std::int64_t n, ElementType type, std::string_view data) {
  return test::problem_of(row(), n, fmt::format("data={}", data), type);
}

template <class T>
Answer sum_of(T value) {
  return answer_of<T>({value}, 0, "sum");
}

Disagreement judge_value(const Problem& problem, double value) {
  const Answer answer =
      problem.type == ElementType::f32 ? sum_of(static_cast<float>(value)) : sum_of(value);
  return sum::compare(problem, answer, answer, shared_stream(Place::host));
}

// Every pack in exactly one tile, every tile in exactly one team, and room for what teams leave.
template <class T, Place place>
void plan_covers(std::uint64_t n, int processors) {
  const Plan p = sum::plan<T, place>(n, processors);
  constexpr sum::WideShape shape = sum::wide_shape(place);
  CAPTURE(n, processors, name(place), p.rows, p.tiles, p.full, p.teams);
  const std::uint64_t tile = std::uint64_t{p.rows} * shape.threads();
  CHECK((p.rows >= 1 && p.rows <= shape.loads));
  CHECK(p.packs == n / sum::pack_width<T, place>);
  CHECK(p.tiles * tile >= p.packs);
  CHECK((p.tiles == 1 || (p.tiles - 1) * tile < p.packs));
  CHECK(std::uint64_t{p.full} * shape.loads * shape.threads() <= p.packs);
  CHECK((p.teams >= 1 && p.teams <= std::max(1u, p.tiles)));
  CHECK(p.teams <= sum::partials_of(n));
  if (place == Place::device && p.tiles <= p.teams) {  // as with_tiling promises
    CHECK(p.packs + shape.threads() * shape.loads <= std::numeric_limits<std::uint32_t>::max());
  }
  std::uint64_t taken = 0;
  for (unsigned team = 0; team < p.teams; ++team) {
    const sum::Tiles tiles = sum::tiles_of<place>(p, team, p.teams);
    if (tiles.first < tiles.end) taken += (tiles.end - tiles.first - 1) / tiles.step + 1;
  }
  CHECK(taken == p.tiles);
}

constexpr std::size_t margin = 1024;  // numbers past the end

// Numbers that are all one, with rubbish past them, and what teams leave each other.
template <class T>
class Ones {
 public:
  Ones(std::uint64_t n, int processors, Stream& stream)
      : stream_(stream),
        n_(n),
        processors_(processors),
        in_(n + margin, stream.place()),
        out_(1, stream.place()),
        first_(sum::partials_of(n), stream.place()),
        second_(sum::partials_of(first_.size()), stream.place()),
        arrived_(1, stream.place()) {
    std::vector<T> numbers(n + margin, T(1'000'000));
    std::fill_n(numbers.begin(), n, T(1));
    in_.upload(numbers, stream);
    no_team_arrived();
  }
  void no_team_arrived() { arrived_.upload(std::vector<unsigned>{0}, stream_); }

  // Without taking the ticket back: that is what a run does for the next.
  T add(const Launch<sum::Numbers<T>>& launch) {
    out_.poison(stream_);
    first_.poison(stream_);
    second_.poison(stream_);
    launch({in_.data(),
            n_,
            out_.data(),
            {first_.data(), second_.data()},
            arrived_.data(),
            processors_},
           stream_);
    return out_.download(stream_)[0];
  }
  unsigned arrived() const { return arrived_.download(stream_)[0]; }
  // What a first launch would leave, and a second.
  std::vector<T> first() const { return first_.download(stream_); }
  std::vector<T> second() const { return second_.download(stream_); }

 private:
  Stream& stream_;
  std::uint64_t n_;
  int processors_;
  Buffer<T> in_, out_, first_, second_;
  Buffer<unsigned> arrived_;
};

template <class T>
void check_paths(Place place, std::uint64_t n, int processors) {
  Ones<T> ones(n, processors, shared_stream(place));  // once: a device is slow to allocate
  for (const auto& [name, launch] : launches<sum::Numbers<T>>("sum", place)) {
    CAPTURE(name, sizeof(T), n, processors);
    ones.no_team_arrived();
    for (int run = 0; run < 3; ++run) {
      CAPTURE(run);
      CHECK(ones.add(launch) == static_cast<T>(n));
      CHECK(ones.arrived() == 0);
    }
  }
}

constexpr std::uint64_t several = 300'007, many_host = 1'200'003, many_device = 2'400'003;

TEST_CASE("sum truth: by hand, uniform numbers average a half, ill-conditioned ones cancel",
          "[sum]") {
  const Truth ones = sum::truth_of(problem_of(200001, ElementType::f32, "ones"));
  CHECK(ones.sum == 200001);
  CHECK(ones.absolute == 200001);

  CHECK(sum::truth_of(problem_of(0, ElementType::f64, "uniform")).sum == 0);
  CHECK(sum::truth_of(problem_of(0, ElementType::i32, "uniform")).word == 0);
  const Truth truth = sum::truth_of(problem_of(1'000'000, ElementType::f64, "uniform"));

  CHECK(std::abs(truth.sum - truth.absolute) < 1e-6);
  CHECK(std::abs(truth.sum / 1e6 - 0.5) < 0.002);
  for (const ElementType type : {ElementType::f32, ElementType::f64}) {
    const Truth ill = sum::truth_of(problem_of(100'000, type, "ill_conditioned"));
    CHECK(ill.absolute > 1e4 * std::abs(ill.sum));
    CHECK(ill.sum > 0);
  }
  for (std::size_t i = 0; i < sum::data_names.size(); ++i) {
    CHECK(sum::data_of(problem_of(1, ElementType::f32, sum::data_names[i])) ==
          static_cast<sum::Data>(i));
  }
}

TEST_CASE("sum bound: none where sums are exact, else gamma of a chain, bearable", "[sum]") {
  const auto bound_of = [](std::int64_t n, ElementType type, std::string_view data) {
    return sum::bound(problem_of(n, type, data), sum::truth_of(problem_of(n, type, data)));
  };

  CHECK(bound_of(1000, ElementType::i32, "uniform") == 0);
  CHECK(bound_of(1000, ElementType::f32, "small_integers") == 0);
  CHECK(bound_of(std::int64_t{1} << 24, ElementType::f32, "ones") == 0);
  CHECK(bound_of((std::int64_t{1} << 24) + 1, ElementType::f32, "ones") > 0);
  CHECK(bound_of((std::int64_t{1} << 24) + 1, ElementType::f64, "ones") == 0);
  const Problem problem = problem_of(1000, ElementType::f32, "uniform");
  Truth truth;
  truth.absolute = 500;

  const double d = 1002, u = 0x1p-24;
  CHECK(std::abs(sum::bound(problem, truth) - d * u / (1 - d * u) * 500) < 1e-12);
  CHECK(sum::longest_chain(100) == 100);
  std::uint64_t before = 0;
  for (int power = 0; power <= 40; ++power) {
    const std::uint64_t chain = sum::longest_chain(std::uint64_t{1} << power);
    CAPTURE(power, chain);
    CHECK(chain >= before);
    CHECK(static_cast<double>(chain) * 0x1p-24 < 0.25);
    before = chain;
  }
}

TEST_CASE("sum compare: no number, infinity, one off and more than may err are wrong", "[sum]") {
  const auto agrees = [](const Answer& left, const Answer& right) {
    return sum::compare(problem_of(100, ElementType::f64, "ones"), left, right,
                        shared_stream(Place::host))
        .agrees();
  };
  CHECK_FALSE(agrees(sum_of(100.0), sum_of(99.0)));
  CHECK_FALSE(agrees(sum_of(99.0), sum_of(100.0)));
  CHECK_FALSE(agrees(sum_of(100.0f), sum_of(100.0)));
  CHECK_FALSE(agrees(answer_of<double>({100, 100}, 0, "sum"), sum_of(100.0)));
  for (const ElementType type : {ElementType::f32, ElementType::f64}) {
    const Problem of_type = problem_of(10'000, type, "uniform");
    const Truth truth = sum::truth_of(of_type);
    const double allowed = sum::bound(of_type, truth);
    for (const double error : {0.0, allowed / 2}) {
      CHECK(judge_value(of_type, truth.sum + error).agrees());
    }
    for (const double error : {1.5 * allowed, -1.5 * allowed}) {
      CHECK_FALSE(judge_value(of_type, truth.sum + error).agrees());
    }
    CHECK(mentions(judge_value(of_type, 0).text, "allowed error"));
  }
  const Problem problem = problem_of(10'000, ElementType::f32, "uniform");

  CHECK_FALSE(judge_value(problem, std::numeric_limits<double>::quiet_NaN()).agrees());
  CHECK_FALSE(judge_value(problem, std::numeric_limits<double>::infinity()).agrees());
  const Problem ones = problem_of(65536, ElementType::f32, "ones");

  CHECK(judge_value(ones, 65536).agrees());
  CHECK_FALSE(judge_value(ones, 65535).agrees());
  CHECK_FALSE(judge_value(ones, std::nextafter(65536.0f, 0.0f)).agrees());
}

TEST_CASE("sum shapes: a plan covers every pack once, and tests have their plans", "[sum]") {
  for (const int processors : {1, 2, 7, 132}) {
    for (std::uint64_t n = 1; n <= std::uint64_t{1} << 30; n = n * 3 + 1) {
      plan_covers<float, Place::device>(n, processors);
      plan_covers<double, Place::device>(n, processors);
      plan_covers<float, Place::host>(n, processors);
      plan_covers<double, Place::host>(n, processors);
    }
  }
  CHECK(sum::plan<float, Place::host>(several, 3).teams == 3);
  CHECK(sum::plan<float, Place::host>(many_host, 9).teams ==
        9);  // more than one trip's partial sums
  constexpr unsigned trip = sum::partial_loads * sum::threads;
  CHECK(sum::plan<float, Place::device>(many_device, 1000).teams > trip);
  CHECK(sum::plan<double, Place::device>(many_device, 1000).teams > trip);
  const sum::Plan plan = sum::plan<float, Place::device>(many_device, 1);
  CHECK(plan.tiles > plan.teams);  // several tiles a team, most of them whole
  CHECK(plan.full > plan.teams);
}

// Sizes around a pack, a team and a tile; then many tiles a team, and many teams.
TEST_CASE_IN_PLACES("sum paths: many teams, runs without a reset, {}", "[sum][kokkos]", "[slow]") {
  const bool host = place == Place::host;
  for (const std::uint64_t n :
       std::vector<std::uint64_t>{0, 1, 3, 63, 256, 257, 1021, 4096, 8197, 65536, several,
                                  host ? many_host : many_device}) {
    for (const int processors : host ? std::vector{1, 3, 9} : std::vector{1, 7, 1000}) {
      check_paths<Word>(place, n, processors);
      check_paths<float>(place, n, processors);
      check_paths<double>(place, n, processors);
    }
  }
}

// What a second launch would leave has less room than one of many teams needs.
TEST_CASE_IN_PLACES("sum paths: a single pass leaves no second, on the {}", "[sum][kokkos]") {
  const bool host = place == Place::host;
  const std::uint64_t n = host ? many_host : many_device;
  constexpr auto unwritten = static_cast<Word>(-1);
  const auto passes = launches_of<sum::Numbers<Word>>("sum", "single_pass", place);
  CHECK(!passes.empty());
  for (const auto& [name, launch] : passes) {
    CAPTURE(name);
    Ones<Word> ones(n, host ? 9 : 1000, shared_stream(place));
    CHECK(ones.add(launch) == static_cast<Word>(n));
    CHECK(ones.first()[0] != unwritten);
    CHECK(ones.second() == std::vector<Word>(ones.second().size(), unwritten));
  }
}

// Bit for bit, in one execution and in another on other memory.
TEST_CASE_IN_PLACES("sum: on the {}, single_pass gives the same bits", "[sum][kokkos]") {
  const ElementType type = GENERATE(ElementType::f32, ElementType::f64);
  const std::int64_t n = GENERATE(5000, 100003, 3000017);
  const Problem problem = test::problem_of(row(), n, "data=ill_conditioned", type);
  for (const Variant& variant : row().variants) {
    if (variant.place != place || variant.step != "single_pass") continue;
    CAPTURE(variant_name(row(), variant), n, name(type));
    std::optional<Answer> first;
    int others = 0;
    for (int maker = 0; maker < 2; ++maker) {
      const auto instance = row().make(problem, shared_stream(place));
      const auto execution = variant.make(problem, *instance);
      for (int run = 0; run < 20; ++run) {
        Answer answer = run_afresh(*instance, *execution);
        others += first && !compare_exact(answer, *first, shared_stream(place)).agrees();
        first = std::move(answer);
      }
    }
    CHECK(others == 0);
  }
}

}  // namespace portcost::test::test_sum
