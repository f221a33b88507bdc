// SPDX-License-Identifier: Apache-2.0
// message_passing's row: names, sizes, variants.
#include <fmt/format.h>

#include <array>
#include <random>

#include "src/memory/buffer.hpp"
#include "src/support/error.hpp"
#include "variants/kokkos_runtime.hpp"
#include "variants/launcher.hpp"
#include "variants/message_passing/problem.hpp"

namespace portcost::message_passing {

namespace {

constexpr std::int64_t most_teams = std::int64_t{1} << 30, most_words = std::int64_t{1} << 30;

constexpr std::array size_keys{
    SizeKey{"groups", 1 << 14, 1, most_teams, "groups that pass messages among themselves"},
    SizeKey{"members", 8, 1, most_teams, "members of a group, each with a message"},
    SizeKey{"words", 256, 1, most_words, "32-bit words of a message"},
    SizeKey{"rounds", 1, 1, 1'000'000, "rounds, each a launch, in the same memory"},
};
constexpr std::array types{ElementType::i32};
constexpr std::array<std::string_view, 4> steps{"serial", "team_fence", "device_ticket",
                                                "system_ticket"};

Size size_of(std::int64_t groups, std::int64_t members, std::int64_t words, std::int64_t rounds) {
  return Size({{"groups", groups}, {"members", members}, {"words", words}, {"rounds", rounds}});
}
std::uint32_t count_of(const Problem& problem, std::string_view key) {
  return static_cast<std::uint32_t>(problem.size.at(key));
}

// The messages of the round that is on, the tickets, and the sums of all rounds.
class Mail final : public Instance {
 public:
  Mail(const Problem& problem, Stream& stream)
      : Instance(stream),
        groups_(count_of(problem, "groups")),
        members_(count_of(problem, "members")),
        words_(count_of(problem, "words")),
        rounds_(count_of(problem, "rounds")),
        seed_(static_cast<std::uint32_t>(problem.seed)),
        messages_(std::size_t{groups_} * members_ * words_, stream.place()),
        arrived_(groups_, stream.place()),
        none_arrived_(groups_, stream.place()),
        sums_(std::size_t{groups_} * rounds_, stream.place()) {
    none_arrived_.upload(std::vector<std::uint32_t>(groups_, 0), stream);
  }

  void reset() override {
    messages_.poison(stream());
    arrived_.copy_from(none_arrived_, stream());
    sums_.poison(stream());
  }

  Answer answer() override {
    Answer result{ElementType::i32, sums_.size(), groups_,
                  Buffer<std::byte>(sums_.bytes(), stream().place())};
    copy_bytes(result.bytes.data(), sums_.place(), sums_.data(), sums_.place(), sums_.bytes(),
               stream());
    stream().synchronize();
    return result;
  }

  bool repeatable() const override { return true; }  // the last to arrive takes its tickets back

  Round round(int number) const {
    const auto r = static_cast<std::uint32_t>(number);
    return {messages_.data(),
            arrived_.data(),
            sums_.data() + std::size_t{groups_} * r,
            groups_,
            members_,
            words_,
            seed_,
            r};
  }
  int rounds() const { return static_cast<int>(rounds_); }

 private:
  std::uint32_t groups_, members_, words_, rounds_, seed_;
  Buffer<std::uint32_t> messages_, arrived_, none_arrived_, sums_;
};

class Rounds final : public Execution {
 public:
  Rounds(const Mail& mail, Launch launch) : mail_(mail), launch_(launch) {}
  int phases() const override { return mail_.rounds(); }
  void run(int phase) override { launch_(mail_.round(phase), mail_.stream()); }

 private:
  const Mail& mail_;
  Launch launch_;
};

template <Launch launch>
std::unique_ptr<Execution> make_execution(const Problem&, Instance& instance) {
  return std::make_unique<Rounds>(dynamic_cast<Mail&>(instance), launch);
}

constexpr Place kokkos_runs = kokkos_place();
constexpr std::array variants {
  Variant{"serial", Model::reference, Place::host, make_execution<reference::serial>},
      Variant{"team_fence", Model::openmp, Place::host, make_execution<openmp::team_fence>},
      Variant{"device_ticket", Model::openmp, Place::host, make_execution<openmp::device_ticket>},
      Variant{"system_ticket", Model::openmp, Place::host, make_execution<openmp::system_ticket>},
#if PORTCOST_HAS_CUDA
      Variant{"team_fence", Model::cuda, Place::device, make_execution<cuda::team_fence>},
      Variant{"device_ticket", Model::cuda, Place::device, make_execution<cuda::device_ticket>},
      Variant{"system_ticket", Model::cuda, Place::device, make_execution<cuda::system_ticket>},
#endif
      Variant{"team_fence", Model::kokkos, kokkos_runs, make_execution<kokkos::team_fence>},
      Variant{"device_ticket", Model::kokkos, kokkos_runs, make_execution<kokkos::device_ticket>},
#if !PORTCOST_HAS_CUDA
      Variant{"system_ticket", Model::kokkos, kokkos_runs, make_execution<kokkos::system_ticket>},
#endif
};
#if PORTCOST_HAS_CUDA
constexpr std::array absent{
    Absence{"system_ticket", Model::kokkos, "Kokkos has no fence wider than the device's"},
};
#else
constexpr std::array<Absence, 0> absent{};
#endif

void validate(const Problem& problem) {
  const Size& size = problem.size;
  const auto at_most = [](std::string_view a, std::int64_t x, std::string_view b, std::int64_t y,
                          std::int64_t most) {
    if (x <= most / y) return;
    throw UsageError(fmt::format("{}={} times {}={} must be at most {}", a, x, b, y, most));
  };
  at_most("groups", size.at("groups"), "members", size.at("members"), most_teams);
  at_most("members", size.at("members"), "words", size.at("words"), most_words);
}

double words_of(const Problem& problem) {
  return static_cast<double>(problem.size.at("groups")) *
         static_cast<double>(problem.size.at("members")) *
         static_cast<double>(problem.size.at("words"));
}

// Messages, tickets twice, and sums with the two answers that are compared.
double footprint(const Problem& problem) {
  const auto groups = static_cast<double>(problem.size.at("groups")),
             rounds = static_cast<double>(problem.size.at("rounds"));
  return 4 * (words_of(problem) + groups * (2 + 3 * rounds));
}

// Every word is written once and read once; one addition each.
Cost cost(const Problem& problem, Place place) {
  const double words = words_of(problem) * static_cast<double>(problem.size.at("rounds"));
  return {8 * words, words, place == Place::device ? "device copy" : "host copy"};
}

// Messages of 1 KiB, and of a few words, whose time is the fence's and the ticket's.
std::vector<Size> sizes(Campaign campaign, Place) {
  std::vector<Size> result{size_of(1 << 14, 8, 256, 1), size_of(1 << 14, 8, 1, 1)};
  if (campaign == Campaign::full) {
    for (const std::int64_t words : {32, 1024, 4096}) {
      result.push_back(size_of(1 << 13, 8, words, 1));
    }
    result.push_back(size_of(1 << 11, 64, 256, 1));
  }
  return result;
}

std::vector<Size> check_sizes() {
  return {size_of(1, 1, 1, 2),    size_of(3, 1, 33, 2),    size_of(1, 9, 257, 3),
          size_of(64, 8, 256, 4), size_of(101, 17, 65, 3), size_of(500, 32, 100, 5)};
}

Size random_size(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto drawn = [&](std::uint64_t most) {
    return 1 + static_cast<std::int64_t>(random() % most);
  };
  const std::int64_t groups = drawn(40), members = drawn(20), words = drawn(300);
  return size_of(groups, members, words, drawn(4));
}

std::unique_ptr<Instance> make(const Problem& problem, Stream& stream) {
  return std::make_unique<Mail>(problem, stream);
}

}  // namespace

const Algorithm algorithm{
    .name = "message_passing",
    .summary = "messages through memory: write, fence, take a ticket; the last one reads",
    .size_keys = size_keys,
    .parameter_keys = {},
    .types = types,
    .steps = steps,
    .variants = variants,
    .absent = absent,
    .validate = validate,
    .footprint = footprint,
    .cost = cost,
    .sizes = sizes,
    .check_sizes = check_sizes,
    .random_size = random_size,
    .make = make,
    .compare = compare_bit_for_bit,
    .agreement = "equal sums of all words, which any stale word changes",
    .judge = judge,
    .in_default_campaign = false,
};

}  // namespace portcost::message_passing
