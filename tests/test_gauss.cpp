// SPDX-License-Identifier: Apache-2.0
// gauss: rule and shapes by hand; every variant at borders of tiles, on all inputs, on bad pivots
// and on the matrix of a file (--parameter file=); its peer that does not take every input. The
// order of work: launches on several streams are followed with what their stream has waited for: a
// launch may use no part of the matrix of which another launch, not waited for, is the writer, or
// which such a launch still reads. Each part takes all products, once and in turn.
#include <unordered_set>

#include "tests/bad_inputs.hpp"
#include "variants/gauss/schedule.hpp"

namespace portcost::test::test_gauss {

using namespace gauss;

const Algorithm& row() { return algorithm_called("gauss"); }

Problem problem_of(std::int64_t n, const std::string& parameters, ElementType type) {
  return test::problem_of(row(), n, parameters, type);
}

// On a GPU all but libraries and tensor cores take products in the reference's order.
void agree(Place place, std::int64_t n, const std::string& parameters, ElementType type) {
  test::agree(row(), place, problem_of(n, parameters, type), [&](const Variant& variant) {
    if (place == Place::host) return variant.step == "naive";
    const bool tensor = variant.step == "tensor_cores" ||
                        (variant.step == "whole_tile" && type == ElementType::f64);
    return variant.model != Model::library && !tensor;
  });
}

template <class T>
void refuse_pivots(Place place) {
  // A pivot that is zero, or less than a rounding of the greatest element, is named by its column.
  for (const std::int64_t n : {1, 3, 40, 130, 200}) {
    for (const std::int64_t column : {std::int64_t{0}, n / 2, n - 1}) {
      CAPTURE(column);
      name_column<T>(place, with_pivot<T>(n, column, 0), n, 16, column);
      name_column<T>(place, with_pivot<T>(n, column, T(0.5)), n, 16, -1);
    }
  }
  // One that has overflowed; where only the right side overflows, no pivot is refused.
  for (const std::int64_t n : {2, 40, 128, 200}) {
    for (const std::int64_t column : {std::int64_t{1}, n / 2, n - 1}) {
      for (const bool on_the_right : {false, true}) {
        CAPTURE(column, on_the_right);
        name_column<T>(place, with_overflow<T>(n, column, on_the_right ? n : column), n, 64,
                       on_the_right ? -1 : column);
      }
    }
  }
  // Of two such pivots the first; and one that only rounding could tell from zero.
  constexpr T u = std::numeric_limits<T>::epsilon() / 2;
  constexpr std::int64_t n = 140;
  const auto named = [&](T seventh, T last, int wanted) {
    std::vector<T> rows = diagonal<T>(n, 4, 6, seventh);
    rows[135 * (n + 2)] = last;
    name_column<T>(place, rows, n, 64, wanted);
  };
  named(0, 0, 6);
  named(1, 4 * u, 135);
  named(1, -8 * u, -1);
  named(4 * u, 1, 6);
  constexpr T great = std::numeric_limits<T>::max() / 2;
  solve_equations<T>(place, {great, 0, 0, great / 2, great, 0}, 2, 64, [&](const Answer& answer) {
    CHECK(std::fabs(elements<T>(answer.at("lu"))[3] - T(0.5)) < T(1e-5));
  });
}

// The conductances of a grid of 10 x 20 nodes, each grounded: no pivot is small.
std::string network() {
  std::string text = "%%MatrixMarket matrix coordinate real symmetric\n200 200 570\n";
  for (int v = 1; v <= 200; ++v) {
    text += fmt::format("{0} {0} 4.25\n", v);
    if (v % 20 != 0) text += fmt::format("{} {} {}\n", v + 1, v, -(1 + v % 4) / 4.0);
    if (v + 20 <= 200) text += fmt::format("{} {} {}\n", v + 20, v, -(1 + v % 3) / 4.0);
  }
  return text;
}

TEST_CASE("gauss rule: an element less a multiple, rounded once; bad pivots; far rows", "[gauss]") {
  CHECK(multiplier(6.0, 4.0) == 1.5);
  CHECK(eliminate(1.0, 1.5, 4.0) == -5);
  // 1 - (1 + u)(1 - u) is u^2, which two roundings make 0.
  const double u = 0x1p-52;
  CHECK(eliminate(1.0, 1 + u, 1 - u) == u * u);
  CHECK(is_bad_pivot(0.0f, 0.0f));
  CHECK(is_bad_pivot(-1e-3f, 1e-3f));
  CHECK_FALSE(is_bad_pivot(-2e-3f, 1e-3f));
  CHECK(is_bad_pivot(std::nanf(""), 1e-3f));
  CHECK(is_bad_pivot(-std::numeric_limits<float>::infinity(), 1e-3f));
  CHECK_FALSE(is_bad_pivot(std::numeric_limits<float>::max(), 1e-3f));
  const System<float> s{nullptr, 131'072, 131'200, nullptr, 0, 64};
  CHECK(s.offset(131'071) == std::uint64_t{131'071} * 131'200);  // past 2^32 elements
}

TEST_CASE("gauss inputs: integers are products of one sign, diagonals outweigh", "[gauss]") {
  const Input integers = input_of(problem_of(20, "matrix=integer", ElementType::f32));
  for (std::int64_t i = 0; i < 20; ++i) {
    for (std::int64_t j = 0; j <= 20; ++j) {
      double sum = 0;
      for (std::int64_t k = 0; k <= std::min(i, j); ++k) {
        sum += static_cast<double>((k == i ? 1 : integers.element_of_l(i, k)) *
                                   integers.element_of_u(k, j));
      }
      CHECK(integers.at(i, j) == sum);
    }
  }
  // Of one sign, so that an element which has missed products, of any columns, is another one.
  const Input signs = input_of(problem_of(40, "matrix=integer", ElementType::f32));
  int wrong = 0;
  for (std::int64_t at = 0; at < 40 * 40; ++at) {
    const std::int64_t i = at / 40, j = at % 40 + 1, first = signs.element_of_l(i, 0);
    for (std::int64_t k = 0; k < std::min(i, j); ++k) {
      wrong +=
          signs.element_of_l(i, k) * signs.element_of_u(k, j) != first * signs.element_of_u(0, j);
    }
  }
  CHECK(wrong == 0);
  const Input input = input_of(problem_of(40, "", ElementType::f64));
  for (std::int64_t i = 0; i < 40; ++i) {
    double sum = 0;
    for (std::int64_t j = 0; j < 40; ++j) sum += i == j ? 0 : std::abs(input.at(i, j));
    CHECK(sum < std::abs(input.at(i, i)));
  }
}

TEST_CASE("gauss: an element is seen that is less than its row may err", "[gauss][kokkos]") {
  const Reference right(row(), problem_of(60, "", ElementType::f32));
  const auto wrong = static_cast<float>(input_of(right.problem).at(0, 30) + 1e-4);
  CHECK(mentions(right.fault(right.answer_with("lu", 30, wrong)), "(L U)[0][30] is"));
}

TEST_CASE("gauss: of integers every element is judged", "[gauss][kokkos]") {
  // 300 rows are more than are drawn of other matrices.
  for (const auto& [n, apart] : {std::pair(40, 1), {300, 97}}) {
    const Reference reference(row(), problem_of(n, "matrix=integer", ElementType::f32));
    Answer answer = reference.answer();
    const std::vector<float> right = elements<float>(answer.at("lu"));
    CHECK(reference.fault(answer) == "");
    int unseen = 0;
    for (std::size_t at = 0; at < right.size(); at += static_cast<std::size_t>(apart)) {
      answer = with_element(std::move(answer), "lu", at, right[at] + 1);
      const std::size_t columns = static_cast<std::size_t>(n) + 1;
      unseen += !mentions(reference.fault(answer),
                          fmt::format("lu[{}][{}] is ", at / columns, at % columns));
      answer = with_element(std::move(answer), "lu", at, right[at]);
    }
    CHECK(unseen == 0);
  }
}

// One equation, so that L U is the answer itself: 1 x = b, whose coefficient is wrong by 2^-23.
TEST_CASE("gauss: the judgement says how far L U is from the matrix", "[gauss][kokkos]") {
  const Reference right(row(), problem_of(1, "", ElementType::f32));
  const auto truth_with = [&](float factor) {
    const float wrong = right.elements_of<float>("lu")[0] * factor;
    return right.judgement(right.answer_with("lu", 0, wrong)).truth;
  };
  CHECK(mentions(truth_with(1), "largest error 0 of that, norm-wise backward error 0"));
  // Of 5 roundings of 2^-24 and 2^-8 more it is 2 / 5 / (1 + 2^-8).
  const double given = std::abs(input_of(right.problem).at(0, 1));
  CHECK(mentions(truth_with(1 + 0x1p-23f),
                 fmt::format("largest error 0.398 of that, norm-wise backward error {:.3g}",
                             0x1p-23 / (1 + given))));
}

TEST_CASE("gauss: answers that differ by more than rounding disagree", "[gauss][kokkos]") {
  const Reference right(row(), problem_of(60, "matrix=random", ElementType::f32));
  constexpr std::size_t at = 61 * 40 + 20;
  const float element = right.elements_of<float>("lu")[at];
  const auto text_with = [&](float factor) {
    return right.compared(right.answer_with("lu", at, element * factor), right.answer());
  };

  CHECK(text_with(1).empty());
  CHECK(text_with(1 + 0x1p-23f).empty());
  CHECK(mentions(text_with(1.01f), "row 40"));
}

TEST_CASE_IN_PLACES("gauss: {} variants agree at the borders of tiles, on all inputs",
                    "[gauss][kokkos]") {
  const ElementType type = GENERATE(ElementType::f32, ElementType::f64);
  for (const std::int64_t n : {1, 2, 31, 32, 33, 63, 64, 65, 127, 128, 129, 200}) {
    agree(place, n, n % 2 == 0 ? "matrix=integer,r1=8" : "matrix=integer", type);
    if (n % 3 == 0) agree(place, n, "r1=128", type);
  }
  agree(place, 65, "matrix=random,r1=1", type);
  agree(place, 129, "matrix=hilbert,r1=32", type);
  agree(place, 200, "matrix=random", type);
}

// More than two tiles of every step, and rounds of several tiles whose last is shorter.
TEST_CASE_IN_PLACES("gauss: {} variants agree on several tiles, in rounds of several",
                    "[gauss][kokkos]", "[slow]") {
  agree(place, 390, "matrix=integer,r1=128", ElementType::f32);
  agree(place, 515, "r1=256", ElementType::f64);
  if (place == Place::host) return;
  // The last tiles are factorised by another kernel.
  agree(place, 2177, "matrix=dominant", ElementType::f32);
  agree(place, 3137, "matrix=dominant", ElementType::f32);
  agree(place, 2053, "matrix=dominant", ElementType::f64);
}

TEST_CASE_IN_PLACES("gauss: {} variants name the column of a pivot that is refused",
                    "[gauss][kokkos]", "[slow]") {
  refuse_pivots<float>(place);
  refuse_pivots<double>(place);
}

TEST_CASE("gauss inputs: coefficients from a file, in place of the made-up ones", "[gauss]") {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.mtx");
  write_file(path, "%%MatrixMarket matrix coordinate real general\n3 3 3\n1 1 2\n2 3 0.1\n3 3 4\n");
  const Problem problem = problem_of(3, "file=" + path, ElementType::f64);

  row().validate(problem);
  const Input input = input_of(problem);

  CHECK((input.at(0, 0) == 2 && input.at(1, 2) == 0.1 && input.at(2, 2) == 4));
  CHECK((input.at(0, 1) == 0 && input.at(2, 1) == 0));
  CHECK(std::abs(input.at(1, 3)) <= 1);
  CHECK(input.at(1, 3) != input.at(2, 3));
}

TEST_CASE("gauss inputs: files that are not n x n, or no matrices, are refused", "[gauss]") {
  const TemporaryFolder folder;
  const auto check = [&](std::int64_t n, const std::string& text, std::string_view said) {
    const std::string path = folder.file("a" + std::to_string(folder.entries().size()) + ".mtx");
    write_file(path, "%%MatrixMarket matrix array real general\n" + text);
    check_throws<UsageError>(
        said, [&] { row().validate(problem_of(n, "file=" + path, ElementType::f32)); });
  };

  check(4096, "2 2\n1\n0\n0\n1\n", "where n=4096 has as many");
  check(4096, "2 2\n1\n0\n0\n1\n", "give --size n=2");
  check(2, "2 3\n1\n0\n0\n1\n1\n1\n", "2 rows and 3 columns");
  check(2, "2 2\n1\n0\nx\n1\n", ".mtx:5: value 'x'");
  check(2, "2 2\n1\n0\n1e39\n1\n", "1e39 is not finite in f32");
}

TEST_CASE("gauss: variants agree on a file's matrix, or name its exchange", "[gauss][kokkos]") {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.mtx");
  write_file(path, network());
  test::agree(row(), Place::host, problem_of(200, "file=" + path, ElementType::f64));

  const std::string exchanging = folder.file("b.mtx");
  write_file(exchanging, "%%MatrixMarket matrix array real general\n2 2\n0\n1\n1\n0\n");
  const Reference refused(row(), problem_of(2, "file=" + exchanging, ElementType::f64));
  CHECK(mentions(refused.fault(refused.answer()),
                 "column 0 is refused; where it is that small, the file is no input"));
}

TEST_CASE("gauss: LAPACK's LU takes only what needs no exchange of rows", "[gauss]") {
  for (const Variant& variant : row().variants) {
    const bool picky = variant.step == "lapack", in_f64 = variant.step == "tensor_cores";
    CAPTURE(variant_name(row(), variant));
    CHECK(variant.unfit(problem_of(65, "", ElementType::f32)).empty() != in_f64);
    for (const char* other : {"matrix=random", "matrix=hilbert", "matrix=integer"}) {
      CHECK(variant.unfit(problem_of(65, other, ElementType::f64)).empty() != picky);
    }
    if (!picky) continue;
    for (const std::int64_t n : {1, 2, 3, 64, 129, 300}) {
      for (const ElementType type : {ElementType::f32, ElementType::f64}) {
        const Problem problem = problem_of(n, "", type);
        const auto instance = row().make(problem, shared_stream(Place::host));
        CHECK(row()
                  .judge(problem, "lapack",
                         run_afresh(*instance, *variant.make(problem, *instance)), *instance)
                  .fault == "");
      }
    }
    const Problem random = problem_of(65, "matrix=random", ElementType::f64);
    const auto instance = row().make(random, shared_stream(Place::host));
    check_throws<Failure>("LAPACK has exchanged columns 0 and ",
                          [&] { run_afresh(*instance, *variant.make(random, *instance)); });
  }
}

TEST_CASE("gauss: a user's equations are given to the fastest step first", "[gauss]") {
  const EquationSolver& solver = *row().equation_solver;
  const Problem problem = solver.problem(100, ElementType::f64);
  const auto steps = solver.steps(problem, Model::cuda);
  CHECK(steps.front() == "whole_tile");  // of all records of GPUs
  CHECK(steps.back() == "panel");        // which every place has
  CHECK(solver.steps(problem, Model::reference) == std::vector<std::string_view>{"naive"});
}

#if PORTCOST_HAS_CUDA
// Steps whose launches overlap, by the truth alone: the reference would take minutes. In smaller
// problems a launch that should wait finds the rest of a round over.
bool overlaps(const Variant& variant) {
  return variant.step != "naive" && variant.step != "block_r1" && variant.step != "panel";
}
void hold(std::int64_t n, const char* parameters, ElementType type, const Wanted& wanted) {
  const Problem problem = problem_of(n, parameters, type);
  const auto instance = row().make(problem, shared_stream(Place::device));
  int seen = 0;
  CAPTURE(n, parameters);
  const auto check = [&](const Variant& variant, const Answer& answer) {
    CHECK(row().judge(problem, variant.step, answer, *instance).fault == "");
    ++seen;
  };
  for_answers(row(), Place::device, problem, *instance, check, wanted);
  CHECK(seen >= 10);
}

// In so large a matrix the bound of LU lets a tile pass that misses products. Integers must be
// right, all of them. (A library may multiply by inverses of tiles, which are not exact.)
TEST_CASE("gauss: device variants are exact on integers in long rounds", "[gauss][kokkos][gpu]") {
  need_device();
  const auto taken = [](const Variant& variant) {
    return overlaps(variant) && variant.model != Model::library;
  };
  hold(8192, "matrix=integer", ElementType::f32, taken);
  hold(6000, "matrix=integer", ElementType::f64, taken);
}

TEST_CASE("gauss: device variants hold the bound of LU in long rounds", "[gauss][kokkos][gpu]") {
  need_device();
  hold(8192, "matrix=dominant", ElementType::f32, overlaps);
  hold(6000, "matrix=dominant", ElementType::f64, overlaps);
}
#endif

constexpr int cell = SmallestShape::tile;

// The launches that are over when the next one on a stream begins, by their numbers.
using Timeline = std::unordered_set<int>;

// As GraphStreams and its Branch.
struct FakeBranch {
  Timeline& ahead;
  mutable Timeline own = {}, ended = {};

  void waits() const { own.insert(ahead.begin(), ahead.end()); }
  void ends() const { ended = own; }
  void joins() const { ahead.insert(ended.begin(), ended.end()); }
};
struct FakeStreams {
  mutable Timeline ahead = {};
  FakeBranch side{ahead}, soon{ahead}, rest{ahead};
};

// The matrix in cells of 32 x 32, and what launches do to it.
class Followed {
 public:
  explicit Followed(int n)
      : n_(n),
        rows_(tiles_of(n, cell)),
        cols_(tiles_of(n + 1, cell)),
        stored_rows_(static_cast<int>(padded(n)) / cell),
        stored_cols_(static_cast<int>(padded(n + 1)) / cell),
        cells_(static_cast<std::size_t>(rows_ * cols_)) {}

  // A launch on `stream` that takes the products over `columns` from tiles of `tile`.
  void product(Timeline& stream, const Region& region, int tile) {
    if (region.count() == 0) return;
    begin(stream);
    for_cells(region, tile, [&](int i, int j) { take(i, j, region.columns); });
    end(stream);
  }
  // Factorises tile k of `tile`, less the products over `columns`, if any.
  void factorise(Timeline& stream, int k, int tile, Columns columns = {}) {
    begin(stream);
    const Region alone{{}, {k, 1}, {k, 1}, {0, 0}, {0, 0}};
    for_cells(alone, tile, [&](int i, int j) {
      take(i, j, columns);
      finish(i, j, k * tile / cell);
    });
    end(stream);
  }
  // Solves for the cross of tile k.
  void solve(Timeline& stream, int k, int tile) {
    begin(stream);
    const Tiles tiles(n_, tile);
    const Region alone{{}, {k, 1}, {k, 1}, {0, 0}, {0, 0}};
    for_cells(alone, tile, [&](int i, int j) { read(i, j); });
    for_cells(tiles.cross(k, tiles.of(k)), tile,
              [&](int i, int j) { finish(i, j, k * tile / cell); });
    end(stream);
  }

  // What is wrong, and whether any cell is not finished.
  std::string faults() const {
    const bool finished = std::ranges::all_of(cells_, &Cell::finished);
    return fault_ + (finished ? "" : "a cell is never finished; ");
  }

 private:
  struct Cell {
    int writer = -1;
    std::vector<int> readers = {};
    int taken = 0;  // products: of the first so many cells before it
    bool finished = false;
  };

  Cell& at(int i, int j) { return cells_[static_cast<std::size_t>(i * cols_ + j)]; }
  void wrong(const std::string& what) {
    if (fault_.size() < 200) fault_ += what + "; ";
  }

  void begin(const Timeline& stream) {
    ++launch_;
    stream_ = &stream;
  }
  void end(Timeline& stream) const { stream.insert(launch_); }
  bool over(int launch) const {
    return launch < 0 || launch == launch_ || stream_->contains(launch);
  }

  void read(int i, int j) {
    Cell& one = at(i, j);
    if (!over(one.writer)) wrong("read before it is written");
    if (one.readers.empty() || one.readers.back() != launch_) one.readers.push_back(launch_);
  }
  void write(int i, int j) {
    Cell& one = at(i, j);
    if (!over(one.writer)) wrong("written by two at a time");
    for (const int reader : one.readers) {
      if (!over(reader)) wrong("written while it is read");
    }
    one.readers.clear();
    one.writer = launch_;
  }

  void take(int i, int j, Columns columns) {
    for (int k = columns.first / cell; k < columns.end / cell; ++k) {
      for (const auto& [row, col] : {std::pair(i, k), std::pair(k, j)}) {
        if (!at(row, col).finished) wrong("a factor of a product is not finished");
        read(row, col);
      }
      if (at(i, j).taken != k) wrong("products out of turn");
      at(i, j).taken = k + 1;
    }
    write(i, j);
  }
  // With its own tile's part, before which it must have all `products`.
  void finish(int i, int j, int products) {
    if (at(i, j).taken != products) wrong("products are missing");
    if (at(i, j).finished) wrong("finished twice");
    write(i, j);
    at(i, j).finished = true;
  }

  template <class Action>
  void for_cells(const Region& region, int tile, const Action& action) {
    const int times = tile / cell;
    for (int index = 0; index < region.count(); ++index) {
      const Tile of = region.at(index);
      for (int q = 0; q < times * times; ++q) {
        const int i = of.row * times + q / times, j = of.col * times + q % times;
        if (i >= stored_rows_ || j >= stored_cols_) wrong("a tile outside of the memory");
        if (i < rows_ && j < cols_) action(i, j);
      }
    }
  }

  int n_, rows_, cols_, stored_rows_, stored_cols_, launch_ = -1;
  std::vector<Cell> cells_;
  const Timeline* stream_ = nullptr;
  std::string fault_;
};

// The steps' launches, as variants/gauss/cuda.cu has them.
struct Launches {
  int n, wave;
  Followed matrix{n};
  FakeStreams on = {};

  template <bool priorities>
  void ahead(int first, int end, Columns taken) {
    order_ahead<priorities>(
        n, wave, on, first, end, taken, [&](int k, Columns columns) { next(k, columns); },
        [&](int k) { matrix.factorise(on.ahead, k, panel_tile); },
        [&](int k) { matrix.solve(on.ahead, k, panel_tile); },
        [&](const Region& region) { matrix.product(on.rest.own, region, panel_tile); });
  }
  template <bool priorities>
  void of_two(int count) {
    order_of_two<priorities>(
        n, wave, on, count, [&](int k, Columns columns) { next(k, columns); },
        [&](int k) { matrix.factorise(on.ahead, k, panel_tile); },
        [&](int k) { matrix.solve(on.ahead, k, panel_tile); },
        [&](const Region& region, const FakeBranch& to) {
          matrix.product(to.own, region, panel_tile);
        });
  }
  void narrow(Columns taken) {
    order_narrow(
        n, on, taken,
        [&](int k, Columns columns) { matrix.factorise(on.ahead, k, narrow_tile, columns); },
        [&](int k) { matrix.solve(on.ahead, k, narrow_tile); },
        [&](Columns columns) {
          matrix.product(on.side.own, narrow_cross(n, columns), SmallShape::tile);
        },
        [&](Columns columns) {
          matrix.product(on.rest.own, narrow_line(n, columns), SmallShape::tile);
          matrix.product(on.rest.own, narrow_rest(n, columns), panel_tile);
        });
  }

 private:
  void next(int k, Columns columns) {
    matrix.product(on.ahead, tile_alone(k, columns), SmallestShape::tile);
    matrix.product(on.side.own, cross_alone(n, k, columns), SmallShape::tile);
  }
};

TEST_CASE("gauss order: how many tiles are wide, and how many a launch has", "[gauss]") {
  for (const auto& [n, tiles] : {std::pair(1, 0), {3072, 0}, {3073, 1}, {4096, 8}}) {
    CHECK(wide_tiles(n) == tiles);
  }
  for (const auto& [n, tiles] : {std::pair(1, 0), {2048, 0}, {2049, 0}, {2177, 2}, {4096, 16}}) {
    CHECK(delayed_tiles(n) == tiles);  // an even number
  }
  const Region all = Tiles(100'000, panel_tile).rest(1, {0, 128});
  CHECK(in_waves(all, 231)[0].count() == 231);
  CHECK(in_waves(all, 1 << 30)[0].count() == all.count() / 2);
  CHECK(wave_beside(231, tile_alone(3, {0, 128})) == 231 - 16);
  CHECK(wave_beside(231, all) == 115);
}
TEST_CASE("gauss order: steps with overlapping launches use nothing too early", "[gauss]") {
  const int n = GENERATE(1, 63, 64, 65, 127, 128, 300, 640, 700, 1100, 1500);
  const int wave = GENERATE(1, 7, 231);
  const int wide = wide_tiles(n, 6), two = delayed_tiles(n, 4);
  CAPTURE(n, wave);
  Launches look_ahead{n, wave}, priorities{n, wave}, narrow{n, wave}, delayed{n, wave},
      whole{n, wave};
  look_ahead.ahead<false>(0, tiles_of(n, panel_tile), {});
  CHECK(look_ahead.matrix.faults() == "");
  priorities.ahead<true>(0, tiles_of(n, panel_tile), {});
  CHECK(priorities.matrix.faults() == "");
  narrow.ahead<false>(0, wide, {});
  narrow.narrow(wide > 0 ? Tiles(n, panel_tile).of(wide - 1) : Columns{});
  CHECK(narrow.matrix.faults() == "");
  delayed.of_two<false>(two);
  delayed.narrow(columns_of_two(two - 2));
  CHECK(delayed.matrix.faults() == "");
  whole.of_two<true>(two);
  whole.ahead<true>(two, tiles_of(n, panel_tile), columns_of_two(two - 2));
  CHECK(whole.matrix.faults() == "");
}

}  // namespace portcost::test::test_gauss
