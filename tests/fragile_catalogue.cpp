// SPDX-License-Identifier: Apache-2.0
// The catalogue of the command portcost_fragile: variants do what none should, as parameters say.
#include <signal.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <thread>

#include "variants/catalogue.hpp"
#include "variants/shared/data.hpp"

namespace portcost {

namespace {

constexpr std::array<std::string_view, 12> faults{"none",       "abort",   "segfault", "hang",
                                                  "error",      "wrong",   "no_make",  "end",
                                                  "no_release", "no_data", "slow",     "mixed"};

constexpr std::array size_keys{SizeKey{"n", 1000, 8, 1 << 20, "numbers to double"}};
constexpr std::array parameter_keys{
    ParameterKey::choice("fault", faults, "what the second step does"),
    ParameterKey::whole("on", 1, "in which variants: the sum of 1 kokkos, 2 openmp, 4 reference"),
    // By default behind all runs that are no samples and do not precede them.
    ParameterKey::whole("from", 12, "from which run on: segfault, error and hang"),
    ParameterKey::path("input", "a file, which is not read")};
constexpr std::array types{ElementType::i32};

class Doubled final : public DataOf<int*> {
 public:
  Doubled(const Problem& problem, Stream& stream)
      : DataOf(stream), out_(*this, "out", {count(problem, "n")}) {}
  int* work(int) const override { return out_.data(); }
  void run() {
    for (std::size_t i = 0; i < out_.size(); ++i) out_.data()[i] = static_cast<int>(2 * i);
  }
  void spoil() { out_.data()[7] = -1; }

 private:
  Output<int> out_;
};

// Also where a sanitizer would end the program in its own way.
void crash(int number) {
  signal(number, SIG_DFL);
  raise(number);
}

// Not for ever: where nobody ends it, a test fails and leaves nothing behind.
void hang() {
  std::this_thread::sleep_for(std::chrono::seconds(100));
  _exit(9);
}

class Doubling final : public Execution {
 public:
  Doubling(Doubled& data, std::string fault, std::int64_t from)
      : data_(data), fault_(std::move(fault)), from_(from) {
    if (fault_ == "no_make") crash(SIGBUS);
  }
  ~Doubling() override {
    if (fault_ == "no_release") crash(SIGFPE);
  }
  void run(int) override {
    data_.run();
    ++runs_;
    if (fault_ == "abort") crash(SIGABRT);
    if (fault_ == "end") _exit(0);
    if (fault_ == "wrong") data_.spoil();
    if (fault_ == "slow") std::this_thread::sleep_for(std::chrono::milliseconds(80));
    if (runs_ < from_) return;
    if (fault_ == "segfault") crash(SIGSEGV);
    if (fault_ == "error") throw std::runtime_error("an illegal address");
    if (fault_ == "hang") hang();
  }

 private:
  Doubled& data_;
  std::string fault_;
  std::int64_t from_, runs_ = 0;
};

enum Side { none = 0, kokkos = 1, openmp = 2, reference = 4 };  // none: of a step without a fault

template <Side side>
std::unique_ptr<Execution> make(const Problem& problem, Instance& instance) {
  const bool here = (problem.parameters.whole("on") & side) != 0;
  std::string fault = here ? problem.parameters.text_of("fault") : "none";
  if (fault == "mixed") fault = side == kokkos ? "abort" : "wrong";
  return std::make_unique<Doubling>(dynamic_cast<Doubled&>(instance), fault,
                                    problem.parameters.whole("from"));
}

Judgement judge(const Problem&, std::string_view, const Answer& answer, const Instance&) {
  const Array& out = answer.at("out");
  const int* const numbers = reinterpret_cast<const int*>(out.bytes.data());
  for (int i = 0; i < static_cast<int>(out.count()); ++i) {
    if (numbers[i] == 2 * i) continue;
    return {"all numbers", "element [" + std::to_string(i) + "] is " + std::to_string(numbers[i]) +
                               " and not " + std::to_string(2 * i)};
  }
  return {"all numbers", ""};
}

Algorithm fragile() {
  return {
      .name = "fragile",
      .summary = "twice the first n numbers",
      .size_keys = size_keys,
      .parameter_keys = parameter_keys,
      .types = types,
      .footprint = [](const Problem&) { return 1e6; },
      .cost =
          [](const Problem&) {
            return Cost({{4e3, "copy"}});
          },
      .measured = {{{1000}}},
      .checked = {{1000}},
      .drawn = {{1000, 1000}},
      .make = [](const Problem& problem, Stream& stream) -> std::unique_ptr<Instance> {
        if (problem.parameters.text_of("fault") == "no_data") crash(SIGILL);
        return std::make_unique<Doubled>(problem, stream);
      },
      .agreement = "equal",
      .judge = judge,
      .steps = {"first", "second", "third"},
      .variants = {{"first", Model::reference, Place::host, make<reference>},
                   {"first", Model::openmp, Place::host, make<none>},
                   {"first", Model::kokkos, Place::host, make<none>},
                   {"second", Model::openmp, Place::host, make<openmp>},
                   {"second", Model::kokkos, Place::host, make<kokkos>},
                   {"third", Model::openmp, Place::host, make<none>},
                   {"third", Model::kokkos, Place::host, make<none>}},
  };
}

}  // namespace

std::span<const Algorithm* const> catalogue() {
  static const Algorithm algorithm = [] {
    Algorithm made = fragile();
    made.variants[1].lines_of_code = 12;  // first/openmp; nobody has counted the others
    made.variants[3].lines_of_code = 34;
    return made;
  }();
  static const std::array<const Algorithm*, 1> rows{&algorithm};
  return rows;
}

}  // namespace portcost
