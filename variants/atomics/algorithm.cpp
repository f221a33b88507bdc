// SPDX-License-Identifier: Apache-2.0
// atomics' row: names, sizes, inputs, variants.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <random>
#include <utility>

#include "src/memory/buffer.hpp"
#include "src/support/error.hpp"
#include "variants/atomics/problem.hpp"
#include "variants/kokkos_runtime.hpp"
#include "variants/launcher.hpp"

namespace portcost::atomics {

namespace {

constexpr std::array size_keys{
    SizeKey{"n", 1 << 22, 1, std::int64_t{1} << 36, "operations"},
    SizeKey{"words", 1, 1, std::int64_t{1} << 32, "words they go to: 1 is contended, many spread",
            false},
    SizeKey{"width", 32, 32, 64, "bits of a word: 32 or 64", false},
};
constexpr std::array types{ElementType::i32};
// Each operation on global memory and on scratch, in the order of Operation.
constexpr std::array<std::string_view, 2 * operation_count> steps{
    "add_global",      "add_scratch",      "sub_global",      "sub_scratch",
    "exchange_global", "exchange_scratch", "min_global",      "min_scratch",
    "max_global",      "max_scratch",      "inc_wrap_global", "inc_wrap_scratch",
    "dec_wrap_global", "dec_wrap_scratch", "cas_global",      "cas_scratch",
    "and_global",      "and_scratch",      "or_global",       "or_scratch",
    "xor_global",      "xor_scratch"};

Size size_of(std::int64_t n, std::int64_t words, std::int64_t width) {
  return Size({{"n", n}, {"words", words}, {"width", width}});
}
bool is_wide(const Problem& problem) { return problem.size.at("width") == 64; }

// Numbers of teams and words are the same for both widths.
Work<std::uint32_t> shape_of(const Problem& problem) {
  return {nullptr,
          nullptr,
          nullptr,
          nullptr,
          static_cast<std::uint64_t>(problem.size.at("n")),
          static_cast<std::uint64_t>(problem.size.at("words"))};
}

// The words, what teams leave of their own, and the shares' checksums.
template <class Word>
class Words final : public Instance {
 public:
  Words(const Problem& problem, Stream& stream)
      : Instance(stream),
        shape_(shape_of(problem)),
        initial_(shape_.words, stream.place()),
        global_(shape_.words, stream.place()),
        scratch_(shape_.teams() * shape_.scratch_words(), stream.place()),
        sums_(shape_.shares(), stream.place()) {
    Buffer<Word> host(initial_.size(), Place::host);
    for (std::size_t i = 0; i < host.size(); ++i)
      host.span()[i] = initial_word<Word>(problem.seed, i);
    initial_.upload(host.span(), stream);
  }

  void reset() override {
    global_.copy_from(initial_, stream());
    scratch_.poison(stream());
    sums_.poison(stream());
  }

  // All words, and the sum of what the operations have returned; 64-bit words as two of 32 bits.
  Answer answer() override {
    Word sum = 0;
    for (const Word part : sums_.download(stream())) sum += part;
    const std::size_t count = global_.size() + scratch_.size() + 1;
    Answer result{ElementType::i32, count * sizeof(Word) / 4, 0,
                  Buffer<std::byte>(count * sizeof(Word), stream().place())};
    const auto put = [&](std::size_t at, const void* from, Place place, std::size_t bytes) {
      copy_bytes(result.bytes.data() + at, stream().place(), from, place, bytes, stream());
    };
    put(0, global_.data(), global_.place(), global_.bytes());
    put(global_.bytes(), scratch_.data(), scratch_.place(), scratch_.bytes());
    put(global_.bytes() + scratch_.bytes(), &sum, Place::host, sizeof sum);
    stream().synchronize();
    return result;
  }

  bool repeatable() const override { return true; }  // from any state, at the same cost

  Work<Word> work() const {
    return {initial_.data(), global_.data(), scratch_.data(), sums_.data(), shape_.n, shape_.words};
  }

 private:
  Work<std::uint32_t> shape_;
  Buffer<Word> initial_, global_, scratch_, sums_;
};

template <class Word>
Work<Word> work_of(Instance& instance) {
  return dynamic_cast<Words<Word>&>(instance).work();
}

// A model's function, told which operation and memory the step is.
template <class Word, Run<Word> run, std::size_t step>
void run_step(const Work<Word>& work, const Stream& stream) {
  constexpr auto operation = static_cast<Operation>(step / 2);
  constexpr Memory memory = step % 2 == 0 ? Memory::global : Memory::scratch;
  run(operation, memory, work, stream);
}

// `narrow` and `wide` are a model's functions for words of 32 and of 64 bits.
template <Run<std::uint32_t> narrow, Run<std::uint64_t> wide, std::size_t step>
std::unique_ptr<Execution> make_execution(const Problem& problem, Instance& instance) {
  const Stream& stream = instance.stream();
  if (is_wide(problem)) {
    return make_launcher(work_of<std::uint64_t>(instance), stream,
                         run_step<std::uint64_t, wide, step>);
  }
  return make_launcher(work_of<std::uint32_t>(instance), stream,
                       run_step<std::uint32_t, narrow, step>);
}

// One model's variants: every step.
template <Run<std::uint32_t> narrow, Run<std::uint64_t> wide>
constexpr std::array<Variant, steps.size()> all_steps(Model model, Place place) {
  return [=]<std::size_t... step>(std::index_sequence<step...>) {
    return std::array{Variant{steps[step], model, place, make_execution<narrow, wide, step>}...};
  }
  (std::make_index_sequence<steps.size()>());
}

template <class... Parts>
constexpr auto joined(const Parts&... parts) {
  std::array<Variant, sizeof...(parts) * steps.size()> result{};
  auto at = result.begin();
  ((at = std::copy(parts.begin(), parts.end(), at)), ...);
  return result;
}

constexpr auto variants = joined(
    all_steps<reference::run<std::uint32_t>, reference::run<std::uint64_t>>(Model::reference,
                                                                            Place::host),
    all_steps<openmp::run<std::uint32_t>, openmp::run<std::uint64_t>>(Model::openmp, Place::host),
#if PORTCOST_HAS_CUDA
    all_steps<cuda::run<std::uint32_t>, cuda::run<std::uint64_t>>(Model::cuda, Place::device),
#endif
    all_steps<kokkos::run<std::uint32_t>, kokkos::run<std::uint64_t>>(Model::kokkos,
                                                                      kokkos_place()));

void validate(const Problem& problem) {
  const std::int64_t width = problem.size.at("width");
  if (width != 32 && width != 64) {
    throw UsageError(fmt::format("width={} is not a word's: 32 and 64 are", width));
  }
}

// Words twice and the answer's copies of them, what teams leave, and checksums.
double footprint(const Problem& problem) {
  const Work<std::uint32_t> shape = shape_of(problem);
  const double words = static_cast<double>(shape.words),
               own = static_cast<double>(shape.teams()) * shape.scratch_words();
  return (is_wide(problem) ? 8 : 4) *
         (4 * words + 3 * own + static_cast<double>(shape.shares()) + 2);
}

// A scale, not a bound: the operations' words as if they were read from memory.
Cost cost(const Problem& problem, Place place) {
  const double n = static_cast<double>(problem.size.at("n"));
  return {n * (is_wide(problem) ? 8 : 4), n, place == Place::device ? "device read" : "host read"};
}

// Spread (as many words as there are shares) and contended, in both widths. Operations on one word
// take turns, those of a compare-exchange loop over and over, so a word gets no more than so many.
std::vector<Size> sizes(Campaign campaign, Place place) {
  constexpr std::int64_t most_a_word = 1 << 16;
  const std::int64_t n = place == Place::device ? 1 << 22 : 1 << 20, spread = n / share_operations;
  const auto size = [&](std::int64_t words, std::int64_t width) {
    return size_of(std::min(n, most_a_word * words), words, width);
  };
  std::vector<Size> result{size(spread, 32), size(1, 32), size(spread, 64), size(1, 64)};
  if (campaign == Campaign::full) {
    for (const std::int64_t words : {2, 8, 32, 256, 4096}) result.push_back(size(words, 32));
  }
  return result;
}

std::vector<Size> check_sizes() {
  return {size_of(1, 1, 32),        size_of(100, 7, 64),       size_of(65'537, 1, 32),
          size_of(65'537, 1, 64),   size_of(100'003, 300, 32), size_of(100'003, 300, 64),
          size_of(70'001, 4096, 32)};
}

Size random_size(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  constexpr std::array<std::int64_t, 10> corners{1,    63,   64,    65,    2047,
                                                 2048, 2049, 16383, 16384, 16385};
  constexpr std::array<std::int64_t, 9> words{1, 1, 2, 31, 32, 255, 257, 1024, 1025};
  const std::uint64_t r = random();
  const std::int64_t n = (r & 1) != 0 ? corners[(r >> 1) % corners.size()]
                                      : 1 + static_cast<std::int64_t>((r >> 1) % 20'000);
  return size_of(n, words[random() % words.size()], random() % 2 == 0 ? 32 : 64);
}

std::unique_ptr<Instance> make(const Problem& problem, Stream& stream) {
  if (is_wide(problem)) return std::make_unique<Words<std::uint64_t>>(problem, stream);
  return std::make_unique<Words<std::uint32_t>>(problem, stream);
}

}  // namespace

const Algorithm algorithm{
    .name = "atomics",
    .summary = "atomic operations on words of scratch and of global memory",
    .size_keys = size_keys,
    .parameter_keys = {},
    .types = types,
    .steps = steps,
    .variants = variants,
    .validate = validate,
    .footprint = footprint,
    .cost = cost,
    .sizes = sizes,
    .check_sizes = check_sizes,
    .random_size = random_size,
    .make = make,
    .compare = compare_bit_for_bit,
    .agreement = "bit for bit: the words, and a sum of the values returned",
    .judge = judge,
    .one_answer = false,
    .in_default_campaign = false,
};

}  // namespace portcost::atomics
