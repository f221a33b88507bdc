// SPDX-License-Identifier: Apache-2.0
// What an answer is compared with: the operations done again one after the other, with how the work
// is divided and the operations written out here; where there are very many, those of drawn words.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <map>

#include "src/contract/truth.hpp"
#include "variants/atomics/problem.hpp"

namespace portcost::atomics {

namespace {

constexpr std::uint64_t most_operations = std::uint64_t{1} << 27, most_drawn = 1024;
// An item has 64 operations, a team 256 items and at most 1024 words of its own.
constexpr std::uint64_t operations_per_item = 64, items_per_team = 256, most_own = 1024;
// What reset() leaves of words that a step is to write.
template <class Word>
constexpr std::uint64_t poison = sizeof(Word) == 4 ? 0xFFFF'FFFF : ~std::uint64_t{0};

// The shape of a problem, and what a step does with it.
struct Task {
  Operation operation;
  bool on_scratch;
  std::uint64_t n, words, seed;

  std::uint64_t items() const { return ceil_div(n, operations_per_item); }
  std::uint64_t own() const { return std::min(words, most_own); }
  std::uint64_t teams() const { return ceil_div(items(), items_per_team); }
  // Words that the operations go to: of the one array, or of all teams' own.
  std::uint64_t targets() const { return on_scratch ? teams() * own() : words; }
};

Operation operation_of(std::string_view step) {
  static const std::map<std::string_view, Operation> known{{"add", Operation::add},
                                                           {"sub", Operation::sub},
                                                           {"exchange", Operation::exchange},
                                                           {"min", Operation::min},
                                                           {"max", Operation::max},
                                                           {"inc_wrap", Operation::increment_wrap},
                                                           {"dec_wrap", Operation::decrement_wrap},
                                                           {"cas", Operation::compare_exchange},
                                                           {"and", Operation::bit_and},
                                                           {"or", Operation::bit_or},
                                                           {"xor", Operation::bit_xor}};
  return known.at(step.substr(0, step.rfind('_')));
}

template <Operation operation, class Word>
Word after(Word word, Word operand) {
  if constexpr (operation == Operation::sub) return word - operand;
  if constexpr (operation == Operation::exchange) return operand;
  if constexpr (operation == Operation::min) return std::min(word, operand);
  if constexpr (operation == Operation::max) return std::max(word, operand);
  if constexpr (operation == Operation::increment_wrap) return word >= operand ? 0 : word + 1;
  if constexpr (operation == Operation::decrement_wrap)
    return word == 0 || word > operand ? operand : word - 1;
  if constexpr (operation == Operation::bit_and) return word & operand;
  if constexpr (operation == Operation::bit_or) return word | operand;
  if constexpr (operation == Operation::bit_xor) return word ^ operand;
  return word += operand;
}

// The number that a complex word stands for; poison; for other words poison - 1.
std::uint64_t number_of(std::uint64_t word) { return word; }
std::uint64_t number_of(const Complex& word) {
  const bool whole = word.re >= 0 && word.re < 0x1p53 && word.re == std::floor(word.re);
  if (whole && word.im == 2 * word.re) return static_cast<std::uint64_t>(word.re);
  const auto parts = std::bit_cast<std::array<std::uint64_t, 2>>(word);
  return poison<Complex> - (parts[0] == parts[1] && parts[0] == poison<Complex> ? 0 : 1);
}

struct Target {
  std::uint64_t at;  // in the array that the step works on
  std::uint64_t value;
};
struct Truth {
  std::vector<Target> targets;
  bool whole = false;  // all of them, and so the sum of what was returned is known
  std::uint64_t sum = 0;
};

// All operations on target `number`, in the order of their numbers. Adds to `sum` what they return.
template <Operation operation, class Word>
Word work_on(const Task& task, std::uint64_t number, Word& sum) {
  const std::uint64_t word = task.on_scratch ? number % task.own() : number;
  const std::uint64_t first = task.on_scratch ? number / task.own() * items_per_team : 0;
  const std::uint64_t end =
      task.on_scratch ? std::min(task.items(), first + items_per_team) : task.items();
  Word state = initial_word<Word>(task.seed, word);
  for (std::uint64_t s = first + word; s < end; s += task.on_scratch ? task.own() : task.words) {
    for (std::uint64_t i = s * operations_per_item;
         i < std::min(task.n, (s + 1) * operations_per_item); ++i) {
      sum += witness<operation>(state);
      state = after<operation>(state, operand<operation, Word>(i, word));
    }
  }
  return state;
}

template <class Word>
Truth make_truth(const Task& task) {
  Truth truth;
  truth.whole = task.n + task.targets() <= most_operations;
  const std::uint64_t operations_each = task.n / task.targets() + operations_per_item;
  const std::size_t most =
      truth.whole ? task.targets()
                  : std::clamp<std::uint64_t>(most_operations / operations_each, 1, most_drawn);
  Word sum{};
  with_operation<Word>(task.operation, [&]<Operation operation>() {
    for (const std::uint64_t number : drawn(task.targets(), most, task.seed)) {
      truth.targets.push_back({number, number_of(work_on<operation, Word>(task, number, sum))});
    }
  });
  truth.sum = number_of(sum);
  return truth;
}

// The first word that is not as the truth has it, or an empty line.
template <class Word>
std::string fault(const Task& task, const Truth& truth, const Answer& answer,
                  const Stream& stream) {
  const auto differs = [&](const Array& array, std::uint64_t at, std::uint64_t found,
                           std::uint64_t right) {
    return fmt::format("{}[{}] is {}, where {} is right", array.name, at, found, right);
  };
  const Array &words = answer.at("words"), &own = answer.at("own");
  const Array &worked = task.on_scratch ? own : words, &other = task.on_scratch ? words : own;
  const Elements<Word> elements(worked, stream);
  for (const Target& target : truth.targets) {
    const std::uint64_t found = number_of(elements[target.at]);
    if (found != target.value) return differs(worked, target.at, found, target.value);
  }
  if (!truth.whole) return {};
  // What the step does not work on is as reset() has left it: the global words, or poison.
  const Elements<Word> others(other, stream);
  for (std::uint64_t i = 0; i < (task.on_scratch ? task.words : task.teams() * task.own()); ++i) {
    const std::uint64_t found = number_of(others[i]);
    const std::uint64_t right =
        task.on_scratch ? number_of(initial_word<Word>(task.seed, i)) : poison<Word>;
    if (found != right) return differs(other, i, found, right);
  }
  const std::uint64_t sum = number_of(Elements<Word>(answer.at("returned"), stream)[0]);
  if (sum == truth.sum) return {};
  return fmt::format("the sum of values returned is {}, where {} is right", sum, truth.sum);
}

}  // namespace

Judgement judge(const Problem& problem, std::string_view step, const Answer& answer,
                const Instance& instance) {
  static Remembered<Truth> remembered;
  const auto count = [&](std::string_view key) {
    return static_cast<std::uint64_t>(problem.size.at(key));
  };
  const Task task{operation_of(step), step.ends_with("_scratch"), count("n"), count("words"),
                  problem.seed};
  const Truth& truth = remembered.of(problem, step, [&] {
    return with_word(problem, [&]<class Word>(Word) { return make_truth<Word>(task); });
  });
  const std::uint64_t parts = count("width") / 32;
  Judgement result{fmt::format("{} of {} words, recomputed in turn{}", truth.targets.size(),
                               task.targets(), truth.whole ? "; the sum of values returned" : ""),
                   shape_fault(answer.at("words"), ElementType::i32, task.words * parts)};
  if (result.fault.empty()) {
    result.fault =
        shape_fault(answer.at("own"), ElementType::i32, task.teams() * task.own() * parts);
  }
  if (!result.fault.empty()) return result;
  result.fault = with_word(problem, [&]<class Word>(Word) {
    return fault<Word>(task, truth, answer, instance.stream());
  });
  return result;
}

}  // namespace portcost::atomics
