// SPDX-License-Identifier: Apache-2.0
// Exchanges of halos and redistributions against the numbers that a serial array has there.
#include <chrono>
#include <thread>

#include "src/distributed/exchange.hpp"
#include "tests/ranks/halo_checks.hpp"

namespace portcost::test::halos {

using namespace portcost::distributed;

namespace {

template <class T>
void check_exchange(const Processors& processors, const Shape& shape) {
  Array<T> one(processors, shape, device_stream()), two(processors, shape, device_stream());
  fill_for_exchange(one);
  fill_for_exchange(two);
  CHECK_ON_ALL(all_right(one, false));
  HaloExchange exchange(one);
  exchange.run(one);
  CHECK_ON_ALL(all_right(one, true));
  CHECK_ON_ALL(all_right(two, false));
  // Another array of the same shape, in two halves; and the first once more.
  exchange.begin(two);
  while (!exchange.test()) {
  }
  exchange.end();
  CHECK_ON_ALL(all_right(two, true));
  fill_for_exchange(one);
  exchange.run(one);
  CHECK_ON_ALL(all_right(one, true));
}

constexpr auto fixed = BoundaryType::ghosted, periodic = BoundaryType::periodic;

}  // namespace

TEST_CASE("halos hold what their owners have", "[halos]") {
  for (const Setting& setting : settings()) {
    INFO(setting.name);
    const Processors processors(all_ranks(), setting.mine);
    const int parts = processors.count();
    const std::int64_t long_axis = 5 * parts + 3;
    const Distribution::Settings weighted{{1, 0, 1}, Sharing::even, processors.weights()};
    for (const StencilType type : {StencilType::star, StencilType::box}) {
      const Distribution rows({1, 20 * parts, 9}, parts, weighted);
      check_exchange<double>(processors, {rows, {{0, 1, 1}, type, {}}});
      check_exchange<float>(processors, {rows, {{0, 3, 2}, type, {fixed, periodic, periodic}}, 8});
      const Distribution flat({1, long_axis, long_axis}, parts);
      check_exchange<double>(processors, {flat, {{0, 2, 3}, type, {fixed, periodic, fixed}}, 4});
      const Distribution solid({long_axis, 11, long_axis}, parts);
      check_exchange<float>(processors, {solid, {{1, 2, 1}, type, {periodic, fixed, periodic}}, 1});
      const Distribution columns({1, 7, long_axis}, parts, {{1, 1, parts}});
      check_exchange<double>(processors, {columns, {{0, 0, 2}, type, {fixed, fixed, periodic}}});
    }
  }
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
  for (const Setting& setting : settings()) {
    INFO(setting.name);
    const Processors processors(all_ranks(), setting.mine);
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
  }
}

TEST_CASE("an array over unequal processors has unequal parts", "[halos]") {
  const int rank = all_ranks().rank();
  const Processors processors(all_ranks(), Processor{Place::host, 1.0 + rank});
  const int parts = processors.count();
  const std::int64_t unit = 10;
  const std::int64_t rows = unit * parts * (parts + 1) / 2;
  const Shape shape{
      Distribution({1, rows, 5}, parts, {{1, parts, 1}, Sharing::even, processors.weights()})};
  const Array<float> array(processors, shape);
  CHECK_ON_ALL(array.parts().size() == 1);
  CHECK_ON_ALL(array.parts()[0].layout.corners.extent(1) == unit * (rank + 1));
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

}  // namespace portcost::test::halos
