// SPDX-License-Identifier: Apache-2.0
// Exchanges of halos and redistributions against the numbers that a serial array has there.
#include <chrono>
#include <thread>

#include "tests/ranks/path_checks.hpp"

namespace portcost::test::halos {

using namespace paths;

constexpr auto fixed = BoundaryType::ghosted, periodic = BoundaryType::periodic;

// Equal on all ranks, which are of one computer.
double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

TEST_CASE("halos hold what their owners have", "[halos]") {
  for_settings([&](const Processors& processors) {
    const int parts = processors.count();
    const std::int64_t long_axis = 5 * parts + 3;
    const Distribution::Settings weighted{{1, 0, 1}, Sharing::even, processors.weights()};
    for (const StencilType type : {StencilType::star, StencilType::box}) {
      const Distribution rows({1, 20 * parts, 9}, parts, weighted);
      check_exchanges<double>(processors, {rows, {{0, 1, 1}, type, {}}});
      check_exchanges<float>(processors, {rows, {{0, 3, 2}, type, {fixed, periodic, periodic}}, 8});
      const Distribution flat({1, long_axis, long_axis}, parts);
      check_exchanges<double>(processors, {flat, {{0, 2, 3}, type, {fixed, periodic, fixed}}, 4});
      const Distribution solid({long_axis, 11, long_axis}, parts);
      check_exchanges<float>(processors,
                             {solid, {{1, 2, 1}, type, {periodic, fixed, periodic}}, 1});
      const Distribution columns({1, 7, long_axis}, parts, {{1, 1, parts}});
      check_exchanges<double>(processors, {columns, {{0, 0, 2}, type, {fixed, fixed, periodic}}});
    }
  });
}

TEST_CASE("boxes are copied in the widest elements that are aligned, or are one stretch of memory",
          "[halos]") {
  alignas(64) static std::byte memory[4096];
  const auto widened = [](std::int64_t rows, std::int64_t columns, Strided target, Strided source,
                          std::int64_t size = 4) {
    BoxCopy other{1, 3, 32, {memory, 512, 0}, {memory, 1024, 0}};
    BoxCopy copy{1, rows, columns, target, source};
    for (const auto& order : {std::array{&other, &copy}, std::array{&copy, &other}}) {
      other.columns = 32;
      copy.columns = columns;
      const distributed::detail::Words words =
          distributed::detail::widen(order, static_cast<std::size_t>(size));
      const auto bytes = static_cast<std::int64_t>(words.bytes);
      CHECK(copy.columns * bytes == size * columns);
      CHECK(other.columns * bytes == size * 32);
      CHECK(words.largest == std::max(copy.elements(), other.elements()));
      if (order[0] == &copy) return words.bytes;
    }
    return std::size_t{0};
  };
  const Strided even{memory, 64, 1}, odd{memory, 68, 1}, half{memory + 8, 64, 1};
  CHECK(widened(5, 8, even, even) == 16);
  CHECK(widened(5, 8, even, odd) == 4);
  CHECK(widened(5, 8, odd, even) == 4);
  CHECK(widened(1, 8, even, odd) == 16);
  CHECK(widened(5, 8, half, even) == 8);
  CHECK(widened(5, 6, even, even) == 8);
  CHECK(widened(5, 7, even, even) == 4);
  CHECK(widened(5, 7, even, even, 8) == 8);
  CHECK(widened(2, 32, even, even, 1) == 16);
  CHECK(widened(2, 3, {memory, 4, 0}, {memory + 1, 4, 0}, 1) == 1);
  const auto is_one = [](const Index& width, std::int64_t align, const Box& box) {
    return distributed::Layout({{0, 0, 0}, {3, 4, 8}}, width, align).is_one_stretch(box);
  };
  const Box all{{0, 0, 0}, {3, 4, 8}}, row{{1, 2, 3}, {2, 3, 5}}, rows{{1, 1, 0}, {2, 3, 8}};
  const Box some_rows{{0, 1, 0}, {2, 3, 8}}, columns{{1, 1, 0}, {2, 3, 7}};
  const Box lines{{0, 2, 0}, {2, 3, 8}};
  CHECK(is_one({0, 0, 0}, 1, all));
  CHECK(is_one({0, 0, 0}, 8, all));
  CHECK(is_one({1, 0, 0}, 1, all));
  CHECK_FALSE(is_one({0, 0, 0}, 16, all));
  CHECK_FALSE(is_one({0, 1, 0}, 1, all));
  CHECK_FALSE(is_one({0, 0, 1}, 1, all));
  CHECK(is_one({1, 1, 1}, 16, row));
  CHECK(is_one({0, 1, 0}, 1, rows));
  CHECK_FALSE(is_one({0, 1, 1}, 1, rows));
  CHECK_FALSE(is_one({0, 0, 0}, 1, some_rows));
  CHECK_FALSE(is_one({0, 0, 0}, 1, columns));
  CHECK_FALSE(is_one({0, 0, 0}, 1, lines));
}

TEST_CASE("an exchange ends when the last message has come", "[halos][late]") {
  const Processors processors(all_ranks(), Processor{});
  const int parts = processors.count();
  Array<double> array(processors, {Distribution({1, 4 * parts, 50}, parts), {{0, 2, 2}}});
  HaloExchange exchange(array);
  for (int late = 0; late < parts; ++late) {
    fill_for_exchange(array);
    all_ranks().barrier();
    if (all_ranks().rank() == late) std::this_thread::sleep_for(std::chrono::milliseconds(30));
    exchange.begin(array);
    exchange.end();
    CHECK_ON_ALL(all_right(array, true));
  }
}

TEST_CASE("a redistribution brings every point to its new owner", "[halos]") {
  for_settings([&](const Processors& processors) {
    const Processors others(all_ranks(), Processor{Place::host, 1.0 + all_ranks().rank()});
    const int parts = processors.count();
    const Index global{2, 4 * parts + 1, 6 * parts + 5};
    const Shape rows{Distribution(global, parts, {{1, parts, 1}}), {{0, 1, 1}}, 8};
    const Shape columns{Distribution(global, others.count(),
                                     {{1, 1, others.count()}, Sharing::even, others.weights()}),
                        {{1, 0, 2}}};
    Array<double> from(processors, rows, device_stream()), to(others, columns);
    fill_for_exchange(from);
    to.fill(untouched);
    Redistribution there(from, to), back(to, from);
    there.run(from, to);
    CHECK_ON_ALL(all_right(to, false));
    from.fill(untouched);
    back.run(to, from);
    CHECK_ON_ALL(all_right(from, false));
  });
}

TEST_CASE("portions of a redistribution travel at the same time, and leave the rest", "[halos]") {
  for_settings([&](const Processors& processors) {
    const int parts = processors.count();
    const Index global{2, 4 * parts + 1, 3 * parts + 2};
    const Shape columns{Distribution(global, parts, {{1, 1, parts}})};
    const Shape rows{Distribution(global, parts, {{1, parts, 1}}), {{0, 1, 1}}, 4};
    Array<float> from(processors, columns, device_stream()), to(processors, rows, device_stream());
    fill_for_exchange(from);
    to.fill(untouched);
    std::vector<Redistribution> pieces;
    for (int piece = 0; piece < 3; ++piece) {
      pieces.emplace_back(from, to, Path::automatic, Portion{piece, 3, false});
    }
    for (Redistribution& piece : pieces) piece.begin(from, to);
    while (!pieces[2].test()) {
    }
    for (Redistribution& piece : pieces) piece.end();
    const auto right = [&](const Index& point) {
      const bool stays = columns.distribution.owner(point) == rows.distribution.owner(point);
      return stays ? untouched : number_of(point);
    };
    CHECK_ON_ALL(all_are(to, right));
  });
}

TEST_CASE("rows begin where they are to be aligned", "[halos]") {
  const Processors processors(all_ranks(), Processor{});
  const Shape shape{
      Distribution({3, 8 * all_ranks().size(), 21}, all_ranks().size()), {{1, 1, 3}}, 16};
  const Array<double> array(processors, shape);
  const Layout& layout = array.parts()[0].layout;
  CHECK_ON_ALL(layout.at(layout.corners.begin) % 16 == 0);
  CHECK_ON_ALL(layout.at(layout.corners.begin + Index{0, 1, 0}) % 16 == 0);
  CHECK_ON_ALL(layout.at(layout.ghost_corners.end - Index{1, 1, 1}) < layout.elements());
}

TEST_CASE("a rank parts when its partners have", "[farewell]") {
  const int rank = all_ranks().rank(), ranks = all_ranks().size();
  // Its neighbours on a line.
  std::vector<int> partners;
  for (const int one : {rank - 1, rank + 1}) {
    if (one >= 0 && one < ranks) partners.push_back(one);
  }
  Farewell farewell;
  farewell.meet(all_ranks(), partners);
  std::this_thread::sleep_for(std::chrono::milliseconds(50 * rank));
  const double begin = now_s();
  farewell.part();
  const double end = now_s();
  const std::vector<double> all = all_ranks().gathered(begin);
  bool after = true;
  for (const int one : partners) after = after && end >= all[one];
  CHECK_ON_ALL(after);
  const double again = now_s();
  farewell.part();  // does nothing
  CHECK_ON_ALL(now_s() - again < 1);
}

}  // namespace portcost::test::halos
