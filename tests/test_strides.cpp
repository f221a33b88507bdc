// SPDX-License-Identifier: Apache-2.0
// strides: predicted sectors against a count of addresses, shapes, and cost.
#include "tests/matrix_checks.hpp"
#include "variants/strides/problem.hpp"

namespace portcost::test::test_strides {

using namespace strides;

const Algorithm& row() { return algorithm_called("strides"); }

Problem problem_of(std::int64_t n, std::int64_t offset, std::int64_t stride, std::int64_t columns,
                   ElementType type) {
  const std::string size =
      fmt::format("n={},offset={},stride={},columns={}", n, offset, stride, columns);
  return test::problem_of(row(), size, "", type);
}

// Sectors by their definition: the sets of 32-byte pieces that each warp's 32 neighbours, and all
// of them, lie in. `where(i)` is the i-th element's index; a row's warps begin with it.
struct Counted {
  double requested = 0, distinct = 0;
};
template <class Where>
Counted count(std::int64_t n, std::int64_t columns, int element_bytes, const Where& where) {
  std::set<std::int64_t> all, warp;
  Counted result;
  for (std::int64_t i = 0; i < n; ++i) {
    if (i % columns % 32 == 0) {
      result.requested += static_cast<double>(warp.size());
      warp.clear();
    }
    const std::int64_t sector = where(i) * element_bytes / 32;
    warp.insert(sector);
    all.insert(sector);
  }
  result.requested += static_cast<double>(warp.size());
  result.distinct = static_cast<double>(all.size());
  return result;
}

void check_sectors(const Problem& p, std::string_view step, const Counted& from,
                   const Counted& to) {
  const Sectors s = sectors(p, step);
  CAPTURE(p.size.text(), name(p.type), step);
  CHECK(s.loads == from.requested);
  CHECK(s.stores == to.requested);
  CHECK(s.read == from.distinct);
  CHECK(s.written == to.distinct);
}

void check_lines(const Problem& p) {
  const int size = static_cast<int>(bytes(p.type));
  const std::int64_t n = p.size.at("n"), offset = p.size.at("offset"), stride = p.size.at("stride");
  const Counted apart = count(n, n, size, [&](std::int64_t i) { return offset + i * stride; });
  const Counted dense = count(n, n, size, [](std::int64_t i) { return i; });
  check_sectors(p, "reads", apart, dense);
  check_sectors(p, "writes", dense, apart);
  check_sectors(p, "both", apart, apart);
}

void check_rows(const Problem& p) {
  const int size = static_cast<int>(bytes(p.type));
  const std::int64_t columns = p.size.at("columns"), elements = rows_of(p) * columns;
  for (const std::string_view step : {"packed_rows", "padded_rows"}) {
    const std::int64_t pitch =
        step == "packed_rows" ? columns : pitch_of(static_cast<int>(columns), size);
    const Counted of = count(elements, columns, size,
                             [&](std::int64_t i) { return i / columns * pitch + i % columns; });
    check_sectors(p, step, of, of);
  }
}

TEST_CASE("strides sectors: known values, and lines and rows by addresses", "[strides]") {
  // 32 f32 are 4 sectors; shifted by one element 5; two apart 8; eight or more apart 32.
  const auto loads = [](std::int64_t offset, std::int64_t stride, ElementType type) {
    return sectors(problem_of(32, offset, stride, 7, type), "reads").loads;
  };
  CHECK(loads(0, 1, ElementType::f32) == 4);
  CHECK(loads(1, 1, ElementType::f32) == 5);
  CHECK(loads(8, 1, ElementType::f32) == 4);
  CHECK(loads(33, 1, ElementType::f32) == 5);
  CHECK(loads(0, 2, ElementType::f32) == 8);
  CHECK(loads(0, 8, ElementType::f32) == 32);
  CHECK(loads(0, 64, ElementType::f32) == 32);
  CHECK(loads(0, 1, ElementType::f64) == 8);
  CHECK(loads(0, 4, ElementType::f64) == 32);
  for (const ElementType type : {ElementType::f32, ElementType::f64}) {
    for (std::int64_t offset = 0; offset <= most_offset; ++offset) {
      for (const std::int64_t n : {1, 32, 97, 1000}) check_lines(problem_of(n, offset, 1, 7, type));
    }
    for (std::int64_t stride = 1; stride <= most_stride; ++stride) {
      for (const std::int64_t n : {1, 33, 640}) check_lines(problem_of(n, 5, stride, 7, type));
    }
    for (const std::int64_t columns : {1, 4, 7, 8, 16, 17, 31, 32, 33, 48, 100, 129}) {
      for (const std::int64_t rows : {1, 2, 3, 7, 8, 9, 20}) {
        check_rows(problem_of(rows * columns, 0, 1, columns, type));
      }
    }
  }
}

TEST_CASE("strides: predictions are of team kernels on a device", "[strides]") {
  const Problem problem = problem_of(1024, 1, 2, 7, ElementType::f32);
  Variant variant;
  variant.step = "writes";
  variant.model = Model::cuda;
  CHECK(predicted(problem, variant).empty());  // on the host
  variant.place = Place::device;
  std::vector<std::pair<std::string_view, double>> found;
  for (const Prediction& one : predicted(problem, variant)) {
    found.emplace_back(one.counter, one.value);
  }
  const Sectors right = sectors(problem, "writes");
  CHECK(found == decltype(found){{"load_sectors", right.loads},
                                 {"store_sectors", right.stores},
                                 {"read_bytes", 32 * right.read},
                                 {"written_bytes", 32 * right.written}});
  variant.model = Model::kokkos;
  CHECK(predicted(problem, variant).size() == 4);
  variant.way = Way::usual;
  CHECK(predicted(problem, variant).empty());
  CHECK(algorithm_called("heat2d").predicted(problem, variant).empty());
}

TEST_CASE("strides shapes: rows are padded to 64 bytes, far elements 64-bit; cost and length",
          "[strides]") {
  CHECK(pitch_of(1, 4) == 1);
  CHECK(pitch_of(16, 4) == 16);
  CHECK(pitch_of(17, 4) == 32);
  CHECK(pitch_of(32, 4) == 32);
  CHECK(pitch_of(1023, 4) == 1024);
  CHECK(pitch_of(8, 8) == 8);
  CHECK(pitch_of(9, 8) == 16);
  const Copies<float> s{nullptr, nullptr, 1 << 30, 33, 64, 1 << 20, 1 << 20, (1 << 20) + 16};
  CHECK(s.strided((1 << 30) - 1) == 33 + 64 * ((std::uint64_t{1} << 30) - 1));
  CHECK(s.packed_row((1 << 20) - 1) == (std::uint64_t{1} << 20) * ((1 << 20) - 1));
  CHECK(s.padded_row((1 << 20) - 1) == ((std::uint64_t{1} << 20) + 16) * ((1 << 20) - 1));
  // Cost is of elements, arrays are as long as the copy.
  const Problem problem = problem_of(100, 5, 10, 7, ElementType::f64);
  CHECK(row().cost(problem).at(0).amount == 2 * 100 * 8);
  CHECK(row().cost(problem).at(0).limit == "copy");
  CHECK(length_of(problem) == 5 + 990 + 1);
  CHECK(row().footprint(problem) == 4 * 996 * 8);
  CHECK(length_of(problem_of(100, 0, 1, 33, ElementType::f64)) == 4 * 40);
  CHECK(length_of(problem_of(1, 33, 64, 1000, ElementType::f64)) == 1000);  // rows all the same
  CHECK(rows_of(problem_of(100, 0, 1, 33, ElementType::f64)) == 4);
}

}  // namespace portcost::test::test_strides
