// SPDX-License-Identifier: Apache-2.0
// The catalogue of the command portcost_made_up: one algorithm whose peers are wrong by a listed
// defect, listed but right, and wrong by a defect that is listed for another version. Another
// algorithm has a peer that takes small problems only; a third is left out, and the full campaign
// alone would measure it.
#include <array>
#include <random>

#include "variants/catalogue.hpp"
#include "variants/shared/data.hpp"

namespace portcost {

namespace {

constexpr std::int64_t first_listed = 1000, first_elsewhere = 2000, first_unfit = 100;

constexpr std::array size_keys{SizeKey{"n", 1000, 1, 1 << 20, "numbers to double"}};
constexpr std::array types{ElementType::i32};

struct Work {
  int* out;
  std::int64_t n;
};

class Doubled final : public DataOf<Work> {
 public:
  Doubled(const Problem& problem, Stream& stream)
      : DataOf(stream), out_(*this, "out", {count(problem, "n")}) {}
  Work work(int) const override { return {out_.data(), static_cast<std::int64_t>(out_.size())}; }

 private:
  Output<int> out_;
};

void twice(const Work& work, const Stream&) {
  for (std::int64_t i = 0; i < work.n; ++i) work.out[i] = static_cast<int>(2 * i);
}
template <std::int64_t first_wrong>
void wrong_from(const Work& work, const Stream& stream) {
  twice(work, stream);
  if (work.n >= first_wrong) work.out[work.n - 1] = -1;
}

constexpr Works<Work> works;

std::vector<Table> tables() {
  return {{Model::reference, Place::host, false, {rung(works, "plain", twice)}},
          {Model::openmp, Place::host, false, {rung(works, "plain", twice)}},
          {Model::library,
           Place::host,
           false,
           {rung(works, "listed", wrong_from<first_listed>), rung(works, "mended", twice),
            rung(works, "elsewhere", wrong_from<first_elsewhere>)}}};
}

std::vector<Table> tables_with_picky_peer() {
  const auto why_not = [](const Problem& problem) -> std::string_view {
    return problem.size.at("n") < first_unfit ? "" : "it counts up to 99";
  };
  return {{Model::reference, Place::host, false, {rung(works, "plain", twice)}},
          {Model::openmp, Place::host, false, {rung(works, "plain", twice)}},
          {Model::library, Place::host, false, {rung(works, "picky", twice).unless(why_not)}}};
}

bool large(const Problem& problem) { return problem.size.at("n") >= first_listed; }

constexpr KnownDefect defect_of(std::string_view step, std::string_view last_version) {
  return {step,
          Place::host,
          large,
          "kokkos",
          "0",
          last_version,
          "the last number is wrong",
          "it is made up",
          "tests/made_up"};
}
constexpr std::array known_defects{defect_of("listed", "999"), defect_of("mended", "999"),
                                   defect_of("elsewhere", "0.1")};

Judgement judge(const Problem& problem, std::string_view, const Answer& answer, const Instance&) {
  const auto last = static_cast<std::size_t>(problem.size.at("n")) - 1;
  const int found = reinterpret_cast<const int*>(answer.at("out").bytes.data())[last];
  const bool right = found == static_cast<int>(2 * last);
  return {"the last number", right ? "" : "the last number is wrong"};
}

Algorithm made_up() {
  return {
      .name = "made_up",
      .summary = "twice the first n numbers",
      .size_keys = size_keys,
      .types = types,
      .known_defects = known_defects,
      .unequal_work = {{"plain", "barriers", "it is made up"}},
      .footprint = [](const Problem&) { return 1e6; },
      .cost =
          [](const Problem&) {
            return Cost({{4e3, "copy"}});
          },
      .measured = {{{first_listed}}},
      .checked = {{first_listed}},
      .drawn = {{first_listed, first_listed}},
      .make = make_instance<Doubled>,
      .agreement = "equal",
      .judge = judge,
  };
}

}  // namespace

std::span<const Algorithm* const> catalogue() {
  static const Algorithm algorithm = assembled(made_up(), tables());
  static const Algorithm other = [] {
    Algorithm row = made_up();
    row.name = "with_picky_peer";
    row.known_defects = {};
    row.in_default_campaign = false;
    return assembled(std::move(row), tables_with_picky_peer());
  }();
  static const std::array<const Algorithm*, 2> rows{&algorithm, &other};
  return rows;
}

std::span<const LeftOut> left_out() {
  static constexpr std::array rows{LeftOut{"lost", false}};
  return rows;
}

}  // namespace portcost
