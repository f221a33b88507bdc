// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "variants/in_flight/problem.hpp"
#include "variants/shared/data.hpp"

namespace portcost::in_flight {

namespace {

constexpr std::array size_keys{SizeKey{"n", std::int64_t{1} << 28, 1, most_elements, "elements"},
                               SizeKey{"threads", most_threads, 1, most_threads,
                                       "threads of each multiprocessor, or of the host", false}};
constexpr std::array types{ElementType::i32};

struct Data final : DataOf<Reading> {
  Data(const Problem& p, Stream& on) : DataOf(p, on) {
    in_answer([this] {
      std::uint32_t sum = 0;
      for (const std::uint32_t one : sums.download(stream())) sum += one;
      return dense_one("sum", static_cast<std::int32_t>(sum), stream());
    });
  }
  Reading work(int) const override {
    return {a.data(), sums.data(), static_cast<std::int64_t>(a.size()), workers};
  }

  int workers =
      size("threads") * (stream().place() == Place::device ? processors(Place::device) : 1);
  Buffer<std::int32_t> a =
      input(extent("n"), [this](std::uint64_t at) { return element(seed(), at); });
  Workspace<std::uint32_t> sums{*this, static_cast<std::size_t>(workers)};
};

// Threads by halves, from those that a host runs at a time to one.
Sizes host_sizes() {
  Sizes result;
  for (int t = std::clamp(processors(Place::host), 1, most_threads); t >= 1; t /= 2) {
    result.push_back({std::int64_t{1} << 26, t});
  }
  return result;
}

}  // namespace

Algorithm algorithm() {
  return {
      .name = "in_flight",
      .summary = "an array is read with so many threads and loads a thread at a time",
      .size_keys = size_keys,
      .types = types,
      .footprint = [](const Problem& p) { return 4 * real(p, "n") + (1 << 24); },
      .cost = [](const Problem& p) -> Cost {
        return {{4 * real(p, "n"), "read"}};
      },
      .measured = {.device = "2^28,2048|1024|512|256|128|64", .host = host_sizes()},
      .checked = "1,64 17,3 1000,64 1024,1 4099,2 100000,128 1000003,1024 3000000,64",
      .drawn = {{1, 200'000, {1, 15, 16, 17, 63, 64, 65, 1024, 1025}}, {1, 5, {64, 64, 128, 192}}},
      .make = make_instance<Data>,
      .judge = judge,
      .in_default_campaign = false,
  };
}

}  // namespace portcost::in_flight
