// SPDX-License-Identifier: Apache-2.0
// The tables that models' files hand over, and what they are joined to.
#include "src/contract/rung.hpp"

#include "tests/support.hpp"

namespace portcost::test::test_rung {

struct Whole {
  int* out;
};
struct Real {
  double* out;
};
constexpr Works<Whole, Real> works;

// An instance of three phases that has one number as its work.
class Numbered final : public InstanceOf<Real> {
 public:
  using InstanceOf::InstanceOf;
  void reset() override {}
  Answer answer() override { return {}; }
  bool repeatable() const override { return true; }
  Real work(int) const override { return {const_cast<double*>(&number)}; }
  int phases() const override { return 3; }
  void enqueued(int phase) override { passed.push_back(phase); }
  bool ends(int phase) override { return phase == last; }
  bool queued_ahead() const override { return last < 0; }

  int last = -1;  // after which it has converged
  double number = 0;
  std::vector<int> passed;
};

Rung step(std::string_view name) {
  return rung(works, name, [](const auto& s, const Stream&) { *s.out += 1; });
}
Table table(Model model, Rungs rungs) { return {model, Place::host, false, std::move(rungs)}; }

Algorithm made_up() {
  Algorithm row{};
  row.name = "made_up";
  return row;
}
// Of one variant, of which step `add` does its work.
Algorithm adder() { return assembled(made_up(), std::vector{table(Model::openmp, {step("add")})}); }
std::vector<std::string_view> steps_of(const std::vector<Table>& tables) {
  return assembled(made_up(), tables).steps;
}
using Steps = std::vector<std::string_view>;

TEST_CASE("rungs: a step runs its phases, or fewer where it has converged", "[rung]") {
  const Algorithm algorithm = adder();
  for (const int last : {-1, 1}) {
    Numbered instance(shared_stream(Place::host));
    instance.last = last;
    const auto execution = algorithm.variants[0].make({}, instance);
    CHECK(execution->queued_ahead() == (last < 0));

    Subject{&instance, execution.get(), Sync::end}.run();

    CHECK(instance.passed == (last < 0 ? std::vector{0, 1, 2} : std::vector{0, 1}));
    CHECK(instance.number == static_cast<double>(instance.passed.size()));
  }
}

TEST_CASE("rungs: a step's function is given by the type of its work, or is a failure", "[rung]") {
  const Algorithm algorithm = adder();
  const Variant& variant = algorithm.variants[0];
  int whole = 5;
  launch_of<Whole>(variant)({&whole}, Stream(Place::host));

  CHECK(whole == 6);
  CHECK(launch_of<Real>(variant));
  CHECK_FALSE(launch_of<int>(variant));
  Numbered instance(shared_stream(Place::host));
  constexpr Works<Whole> others;
  const Algorithm of_others = assembled(
      made_up(),
      std::vector{table(Model::openmp, {rung(others, "add", [](const Whole&, const Stream&) {})})});

  CHECK_THROWS_AS(of_others.variants[0].make({}, instance), Failure);
}

TEST_CASE(
    "rungs: the ladder keeps every table's order; of two that contradict each other, the first",
    "[rung]") {
  const Rungs reference{step("plain")}, openmp{step("stretches"), step("wide"), step("single")},
      first{step("tree"), step("finish")}, second{step("wide"), step("single")},
      portable{step("stretches"), step("tree"), step("finish"), step("wide")};

  CHECK(steps_of({table(Model::reference, reference), table(Model::openmp, openmp),
                  table(Model::cuda, first), table(Model::cuda, second),
                  table(Model::kokkos, portable)}) ==
        Steps{"plain", "stretches", "tree", "finish", "wide", "single"});
  CHECK(steps_of({table(Model::reference, reference), table(Model::library, openmp)}) ==
        Steps{"plain"});
  CHECK(steps_of({table(Model::openmp, {step("a"), step("b")}),
                  table(Model::kokkos, {step("b"), step("a")})}) == Steps{"a", "b"});
}

TEST_CASE("rungs: an absent step keeps its reason, a listed one gives way", "[rung]") {
  Algorithm row = made_up();
  row.absent = {{"here", Model::library, "was not built"},
                {"gone", Model::library, "was not built"}};
  const Algorithm algorithm =
      assembled(row, std::vector{table(Model::kokkos, {absent_rung("blocked", "for hosts")}),
                                 table(Model::library, {step("here")})});

  REQUIRE(algorithm.absent.size() == 2);
  CHECK(variant_name(algorithm, algorithm.absent[0]) == "made_up/blocked/kokkos");
  CHECK(algorithm.absent[0].reason == "for hosts");
  CHECK(algorithm.absent[1].step == "gone");
  CHECK(algorithm.variants.size() == 1);
}

TEST_CASE("rungs: sizes are drawn from corners and ranges, a number for each key", "[rung]") {
  static constexpr std::array keys{SizeKey{"n", 1, 0, 1000, "numbers"},
                                   SizeKey{"width", 32, 32, 64, "bits"}};
  Algorithm row = made_up();
  row.size_keys = keys;
  row.checked = {{7, 32}};
  row.drawn = {{1, 3, {100}}, {.corners = {32, 64}}};
  CHECK(row.check_sizes().at(0).text() == "n=7,width=32");

  int corners = 0, wide = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const Size size = row.random_size(seed);
    CHECK(size == row.random_size(seed));
    const std::int64_t n = size.at("n"), width = size.at("width");
    CHECK((n == 100 || (n >= 1 && n <= 3)));
    CHECK((width == 32 || width == 64));
    corners += n == 100 ? 1 : 0;
    wide += width == 64 ? 1 : 0;
  }
  CHECK(corners > 60);
  CHECK(corners < 140);
  CHECK(wide > 60);
  CHECK(wide < 140);
  row.drawn.pop_back();
  CHECK_THROWS_AS(row.random_size(1), Failure);
}

TEST_CASE("rungs: ways of writing a step are distinguished by their names", "[rung]") {
  const Algorithm algorithm = assembled(
      made_up(), std::vector{table(Model::kokkos, {step("a"), step("a").written(Way::book),
                                                   step("a").written(Way::usual, "tile=64x4")})});

  CHECK(variant_name(algorithm, algorithm.variants[0]) == "made_up/a/kokkos");
  CHECK(variant_name(algorithm, algorithm.variants[1]) == "made_up/a/kokkos.book");
  CHECK(variant_name(algorithm, algorithm.variants[2]) == "made_up/a/kokkos.usual:tile=64x4");
  CHECK(algorithm.steps == Steps{"a"});
  CHECK_THROWS_AS(assembled(made_up(), std::vector{table(Model::kokkos, {step("a"), step("a")})}),
                  Failure);
}

}  // namespace portcost::test::test_rung
