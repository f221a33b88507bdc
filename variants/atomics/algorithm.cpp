// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "variants/atomics/problem.hpp"
#include "variants/shared/data.hpp"

namespace portcost::atomics {

namespace {

constexpr std::array<std::int64_t, 3> widths{32, 64, 128};
constexpr std::array size_keys{
    SizeKey{"n", 1 << 22, 1, std::int64_t{1} << 36, "operations"},
    SizeKey{"words", 1, 1, std::int64_t{1} << 32, "words they go to: 1 is contended, many spread",
            false},
    SizeKey{"width", 32, 32, 128,
            "bits of a word: 32, 64, or 128 (complex<double>, additions alone)", false, widths}};
constexpr std::array types{ElementType::i32};

double word_bytes(const Problem& problem) { return real(problem, "width") / 8; }

template <class Word>
Work<Word> shape_of(const Problem& problem) {
  Work<Word> result{};
  result.n = count(problem, "n");
  result.words = count(problem, "words");
  return result;
}

template <class Word>
struct Data final : DataOf<Work<Word>> {
  Data(const Problem& p, Stream& on) : DataOf<Work<Word>>(p, on) {
    this->in_answer([this] {
      Word sum{};
      for (const Word part : sums.download(this->stream())) sum += part;
      return dense_one("returned", sum, this->stream());
    });
  }
  Work<Word> work(int) const override {
    return {
        global.initial().data(), global.data(), scratch.data(), sums.data(), shape.n, shape.words};
  }

  Work<Word> shape = shape_of<Word>(this->problem());
  Restored<Word> global{*this, "words", this->input(shape.words, [this](std::uint64_t i) {
                          return initial_word<Word>(this->seed(), i);
                        })};
  Output<Word> scratch{*this, "own", {shape.teams() * shape.scratch_words()}};
  Workspace<Word> sums{*this, shape.items()};
};

// Words twice and the answer's copies of them, what teams leave, and checksums.
double footprint(const Problem& problem) {
  const auto shape = shape_of<std::uint32_t>(problem);
  const double words = static_cast<double>(shape.words),
               own = static_cast<double>(shape.teams()) * shape.scratch_words();
  return word_bytes(problem) * (4 * words + 3 * own + static_cast<double>(shape.items()) + 2);
}

// A scale, not a bound: the operations' words as if they were read from memory.
Cost cost(const Problem& p) { return {{real(p, "n") * word_bytes(p), "read"}}; }

std::unique_ptr<Instance> make(const Problem& problem, Stream& stream) {
  return with_word(problem, [&]<class Word>(Word) -> std::unique_ptr<Instance> {
    return std::make_unique<Data<Word>>(problem, stream);
  });
}

// By the counters of `add`, `min`, `inc_wrap` and `cas` on scratch (in 64 bits of `add`, `min`,
// `and` and `exchange`), of `inc_wrap` and `cas` on global memory, and the machine code of the
// others.
std::vector<UnequalWork> unequal_work() {
  std::vector<UnequalWork> result;
  every_step([&](const char* step, Operation operation, Memory memory) -> Rungs {
    using enum Operation;
    const auto is = [=](auto... any) { return ((operation == any) || ...); };
    const auto unequal = [&](bool holds, std::string_view what, std::string_view reason) {
      if (holds) result.push_back({step, what, reason});
    };
    const bool scratch = memory == Memory::scratch;
    unequal(is(add), "atomic operations",
            "Kokkos locks a complex word, where CUDA compares and exchanges it");
    unequal(is(exchange), "loads",
            "Kokkos's exchange has a generic address; in 64 bits a load for memory of a thread's "
            "own stands beside it, which no lane needs");
    unequal(scratch && !is(exchange), "loads",
            "the loop that copies the words is unrolled in CUDA and tuned, where a load that no "
            "lane of a warp needs is issued all the same");
    unequal(scratch && is(min, max, bit_and, bit_or, bit_xor), "atomic operations",
            "in 64 bits Kokkos's generic address is first tried as one of global memory, in vain; "
            "then follows the loop that CUDA has at once, whose tries count, too");
    unequal(is(increment_wrap, decrement_wrap, compare_exchange), "atomic operations",
            "Kokkos has no wrapping counts, only a loop of compare-exchange, and its atomic load, "
            "with which the loop begins by the book, is another in CUDA");
    unequal(!scratch && is(increment_wrap, decrement_wrap), "loads",
            "in 32 bits CUDA has an instruction for a wrapping count; Kokkos's loop reads the word "
            "first");
    return {};
  });
  return result;
}

}  // namespace

Algorithm algorithm() {
  return {
      .name = "atomics",
      .summary = "atomic operations on words of scratch and of global memory",
      .size_keys = size_keys,
      .types = types,
      .unequal_work = unequal_work(),
      .footprint = footprint,
      .cost = cost,
      // Spread (as many words as there are items) and contended, in all widths. Operations on one
      // word take turns, those of a compare-exchange loop over and over, so a word gets no more
      // than 2^16.
      .measured = {.device = "2^22,2^16,32|64|128 2^16,1,32|64|128",
                   .device_full = "2^22,2^16,32|64|128 2^16,1,32|64|128 2^17,2,32 2^19,8,32 "
                                  "2^21,32,32 2^22,256|4096,32",
                   .host = "2^20,2^14,32|64|128 2^16,1,32|64|128",
                   .host_full = "2^20,2^14,32|64|128 2^16,1,32|64|128 2^17,2,32 2^19,8,32 "
                                "2^20,32|256|4096,32"},
      .checked = "1,1,32 100,7,64|128 65537,1,32|64|128 100003,300,32|64|128 70001,4096,32|128",
      .drawn = {{1, 20'000, {1, 63, 64, 65, 2047, 2048, 2049, 16383, 16384, 16385}},
                {.corners = {1, 1, 2, 31, 32, 255, 257, 1024, 1025}},
                {.corners = {32, 64, 128}}},
      .make = make,
      .agreement = "bit for bit: the words, and a sum of the values returned",
      .judge = judge,
      .one_answer = false,
      .in_default_campaign = false,
  };
}

}  // namespace portcost::atomics
