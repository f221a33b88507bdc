// SPDX-License-Identifier: Apache-2.0
// The catalogue of the command portcost_made_up: one algorithm whose peers are wrong by a listed
// defect, listed but right, and wrong by a defect that is listed for another version.
#include <array>
#include <random>

#include "variants/catalogue.hpp"
#include "variants/launcher.hpp"

namespace portcost {

namespace {

constexpr std::int64_t first_listed = 1000, first_elsewhere = 2000;

constexpr std::array size_keys{SizeKey{"n", 1000, 1, 1 << 20, "numbers to double"}};
constexpr std::array types{ElementType::i32};
constexpr std::array<std::string_view, 1> steps{"plain"};

struct Work {
  int* out;
  std::int64_t n;
};

class Doubled final : public Instance {
 public:
  Doubled(const Problem& problem, Stream& stream)
      : Instance(stream), out_(static_cast<std::size_t>(problem.size.at("n")), stream.place()) {}
  void reset() override { out_.poison(stream()); }
  Answer answer() override {
    Answer result{ElementType::i32, out_.size(), 0,
                  Buffer<std::byte>(out_.bytes(), stream().place())};
    copy_bytes(result.bytes.data(), out_.place(), out_.data(), out_.place(), out_.bytes(),
               stream());
    return result;
  }
  bool repeatable() const override { return true; }
  Work work() const { return {out_.data(), static_cast<std::int64_t>(out_.size())}; }

 private:
  Buffer<int> out_;
};

void twice(const Work& work, const Stream&) {
  for (std::int64_t i = 0; i < work.n; ++i) work.out[i] = static_cast<int>(2 * i);
}
template <std::int64_t first_wrong>
void wrong_from(const Work& work, const Stream& stream) {
  twice(work, stream);
  if (work.n >= first_wrong) work.out[work.n - 1] = -1;
}

template <void (*launch)(const Work&, const Stream&)>
std::unique_ptr<Execution> make_execution(const Problem&, Instance& instance) {
  return make_launcher(dynamic_cast<Doubled&>(instance).work(), instance.stream(), launch);
}

constexpr std::array variants{
    Variant{"plain", Model::reference, Place::host, make_execution<twice>},
    Variant{"plain", Model::openmp, Place::host, make_execution<twice>},
    Variant{"listed", Model::library, Place::host, make_execution<wrong_from<first_listed>>},
    Variant{"mended", Model::library, Place::host, make_execution<twice>},
    Variant{"elsewhere", Model::library, Place::host, make_execution<wrong_from<first_elsewhere>>},
};

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

Judgement judge(const Problem& problem, std::string_view, const Answer& answer, const Stream&) {
  const auto last = static_cast<std::size_t>(problem.size.at("n")) - 1;
  const int found = reinterpret_cast<const int*>(answer.bytes.data())[last];
  const bool right = found == static_cast<int>(2 * last);
  return {"the last number", right ? "" : "the last number is wrong"};
}

const Algorithm algorithm{
    .name = "made_up",
    .summary = "twice the first n numbers",
    .size_keys = size_keys,
    .parameter_keys = {},
    .types = types,
    .steps = steps,
    .variants = variants,
    .known_defects = known_defects,
    .validate = [](const Problem&) {},
    .footprint = [](const Problem&) { return 1e6; },
    .cost =
        [](const Problem&, Place) {
          return Cost{4e3, 0, "host copy"};
        },
    .sizes =
        [](Campaign, Place) {
          return std::vector{Size({{"n", first_listed}})};
        },
    .check_sizes =
        [] {
          return std::vector{Size({{"n", first_listed}})};
        },
    .random_size =
        [](std::uint64_t) {
          return Size({{"n", first_listed}});
        },
    .make = [](const Problem& problem, Stream& stream) -> std::unique_ptr<Instance> {
      return std::make_unique<Doubled>(problem, stream);
    },
    .compare = compare_bit_for_bit,
    .agreement = "equal",
    .judge = judge,
};

constexpr std::array<const Algorithm*, 1> rows{&algorithm};

}  // namespace

std::span<const Algorithm* const> catalogue() { return rows; }

}  // namespace portcost
