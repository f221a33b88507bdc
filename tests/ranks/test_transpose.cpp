// SPDX-License-Identifier: Apache-2.0
// transpose over processes: every step has the bytes of the serial reference, for any number of
// processes, chunks and late ranks; blocks in the middle of matrices; and what is refused.
#include "tests/ranks/path_checks.hpp"
#include "variants/transpose/ranks.hpp"
#include "variants/transpose/ranks_launches.hpp"

namespace portcost::test::test_ranks_transpose {

using namespace transpose;
using distributed::Box;

const Algorithm& row() { return *find_algorithm("transpose"); }

// Two ways of Kokkos and OpenMP, three steps each.
void check_all(const std::string& size, const std::string& parameters = "") {
  check_all_steps(row(), 9, size, parameters);
}

Problem problem(const std::string& size, const std::string& parameters = "") {
  Problem result = problem_of(row(), size, parameters, ElementType::f64);
  result.ranks = all_ranks().size();
  return result;
}

struct Model {
  const char* name;
  ModelLaunches launches;
  Place place;
};
std::vector<Model> models() {
  std::vector<Model> result{{"openmp", openmp_launches(), Place::host}};
#if PORTCOST_HAS_CUDA
  result.push_back({"cuda", cuda_launches(), Place::device});
#endif
  result.push_back({"kokkos", kokkos_launches(), kokkos_place()});
  result.push_back({"kokkos.book", kokkos_launches_by_the_book(), kokkos_place()});
  return result;
}

// Two matrices `before` elements behind their memory's begin, in rows that are longer by `beside`.
struct Place2D {
  int before, nx, ny, beside;
  int pitch() const { return nx + beside; }
  int plane() const { return pitch() * (ny + 2); }
  int at(int m, int i, int j) const { return before + m * plane() + i * pitch() + j; }
  int elements() const { return 2 * plane() + before + 64; }
};

// Wrong elements of the target, those around the block among them, which must stay as they are.
template <class T>
int wrong_after(const Model& model, const Place2D& a, const Place2D& b) {
  const Stream& stream = shared_stream(model.place);
  std::vector<T> given(a.elements()), right(b.elements(), T(-1));
  for (std::size_t i = 0; i < given.size(); ++i) given[i] = static_cast<T>(i + 1);
  for (int m = 0; m < 2; ++m) {
    for (int i = 0; i < a.ny; ++i) {
      for (int j = 0; j < a.nx; ++j) right[b.at(m, j, i)] = given[a.at(m, i, j)];
    }
  }
  Buffer<T> from(given.size(), model.place), to(right.size(), model.place);
  from.upload(given, stream);
  to.upload(std::vector<T>(right.size(), T(-1)), stream);
  const Submatrix<T> block{from.data() + a.at(0, 0, 0),
                           to.data() + b.at(0, 0, 0),
                           a.nx,
                           a.ny,
                           a.pitch(),
                           b.pitch(),
                           a.plane(),
                           b.plane()};
  std::get<Transpose<Submatrix, T>>(model.launches)(block, 2, stream);
  const std::vector<T> found = to.download(stream);
  int wrong = 0;
  for (std::size_t i = 0; i < right.size(); ++i) wrong += found[i] != right[i];
  return wrong;
}

TEST_CASE("ranks: transpose's steps have the reference's bytes", "[transpose][ranks]") {
  for (const char* size : {"nx=131,ny=97", "nx=517,ny=300,batch=2", "nx=64,ny=1031",
                           "nx=71,ny=8,batch=3", "nx=8,ny=8", "nx=1,ny=1,batch=5"}) {
    check_all(size);
  }
  const int ranks = all_ranks().size();
  for (const int more : {0, 1, ranks - 1, ranks}) {
    check_all(fmt::format("nx={},ny={}", ranks, ranks + more));
    check_all(fmt::format("nx={},ny={},batch=2", ranks + more, ranks));
  }
  for (const int chunks : {1, 3, 64}) {
    check_all("nx=150,ny=213", fmt::format("chunks={},path=host_memory", chunks));
  }
}

TEST_CASE("ranks: transpose waits for a rank that is late", "[transpose][ranks]") {
  for (const char* path : {"path=automatic", "path=direct_loads"}) {
    Problem given = problem("nx=97,ny=131", path);
    given.ranks = 0;
    const Answer right = right_answer(row(), given);
    given.ranks = all_ranks().size();
    for (const Variant& variant : row().over_ranks) {
      if (variant.place == Place::device && device_stream() == nullptr) continue;
      if (!variant.unfit(given).empty()) continue;
      const Answer found = answer_of(row(), given, variant, all_ranks().size() - 1);
      INFO(variant_name(row(), variant) << " " << path);
      CHECK_ON_ALL(all_ranks().rank() != 0 ||
                   compare_exact(found, right, shared_stream(Place::host)).text.empty());
    }
  }
}

TEST_CASE("ranks: transpose's blocks have equal heights, the last no more", "[transpose][ranks]") {
  const int ranks = all_ranks().size(), rank = all_ranks().rank();
  // Of 9 and 13 for each of three ranks even shares would be 3, 3, 3 and 5, 4, 4.
  const int nx = 3 * ranks, ny = 5 * ranks - 2;
  RanksData<double> data(problem(fmt::format("nx={},ny={}", nx, ny)), shared_stream(Place::host));
  const int height = (ny + ranks - 1) / ranks, last = ny - (ranks - 1) * height;
  const Box given = data.given().parts()[0].layout.corners;
  const Box transposed = data.transposed().parts()[0].layout.corners;
  const Box packed = data.packed().parts()[0].layout.corners;
  CHECK_ON_ALL(given.extent(1) == (rank == ranks - 1 ? last : height) && given.extent(2) == nx);
  CHECK_ON_ALL(transposed.extent(1) == 3 && transposed.extent(2) == ny);
  CHECK_ON_ALL(packed.begin[2] == given.begin[1] && packed.end[2] == given.end[1]);
}

TEST_CASE("ranks: transpose refuses too many processes with the numbers", "[transpose][ranks]") {
  const int ranks = all_ranks().size();
  if (ranks == 1) return;
  for (const auto& [form, axis] : {std::pair{"nx=50,ny={}", "rows"}, {"nx={},ny=50", "columns"}}) {
    const std::string size = fmt::format(fmt::runtime(form), ranks - 1);
    const std::string text = message_of<UsageError>(
        [&] { RanksData<double>(problem(size), shared_stream(Place::host)); });
    INFO(text);
    CHECK(mentions(text, fmt::format("Cannot distribute, too many processors: {} {} for {} of them",
                                     ranks - 1, axis, ranks)));
    CHECK(too_many_ranks(problem(size)) == text);
  }
  CHECK(too_many_ranks(problem(fmt::format("nx={},ny={}", ranks, ranks))).empty());
}

TEST_CASE("ranks: transpose's steps on hosts take no path of GPUs", "[transpose][ranks]") {
  const int ranks = all_ranks().size();
  const std::string size = fmt::format("nx={},ny={}", ranks, ranks);
  for (const Variant& variant : row().over_ranks) {
    INFO(variant_name(row(), variant));
    const bool direct = variant.step.starts_with("direct");
    CHECK(variant.unfit(problem(size, "path=host_memory")).empty() != direct);
    if (direct) {
      CHECK(variant.unfit(problem(size, "path=direct_loads")).empty());
      continue;
    }
    const std::string why = variant.unfit(problem(size, "path=device_pointers"));
    CHECK((variant.place == Place::host) == (why.find("on hosts take automatic") != why.npos));
  }
}

TEST_CASE("ranks: transpose is right by each path of GPUs", "[transpose][paths][gpu][ranks]") {
  SKIP_WITHOUT_GPU();
  for (const distributed::Path path : paths::paths_between()) {
    const std::string parameters = fmt::format("path={}", name(path));
    // CUDA's and both of Kokkos's, in two types, with the two that are of direct loads alone.
    const int steps = path == distributed::Path::direct_loads ? 5 : 3;
    if (kokkos_place() == Place::device) {
      CHECK(check_all_steps(row(), 9, "nx=131,ny=97", parameters) == 3 * 2 * steps);
    }
    // By two processes, 186 rows are 93 each: an odd number, and more than a tile has.
    for (const char* size : {"nx=256,ny=512", "nx=100,ny=186", "nx=71,ny=83,batch=3",
                             "nx=8,ny=1031", "nx=1031,ny=8"}) {
      check_all_steps(row(), 9, size, parameters);
    }
  }
}

// Three ranks with 5, 5 and 3 rows of 7 elements, of which those from column 1 on are wanted.
struct ThreeRanks {
  static constexpr int share = 5, rest = 3, pitch = 7, last = 2, rows = last * share + rest;
  std::array<std::array<float, 2 * share * pitch>, last + 1> memory{};

  // The first element that is wanted of a row of a matrix.
  float* at(int matrix, int i) {
    const int rank = i < 5 ? 0 : i < 10 ? 1 : 2;
    const int before = matrix * (rank == 2 ? 3 : 5) + i - 5 * rank;
    return memory[rank].data() + before * pitch + 1;
  }
  template <class T>
  RowsWithRanks<T> known() {
    RowsWithRanks<T> result{};
    for (int rank = 0; rank <= last; ++rank) {
      result.begin[rank] = memory[rank].data() + 1;
    }
    result.pitch = pitch;
    result.share = share;
    result.rest = rest;
    result.last = last;
    return result;
  }
};

TEST_CASE("ranks: transpose finds the rows of each rank, goes down them, and past no end",
          "[transpose]") {
  ThreeRanks ranks;
  RowsOfRanks<float> from{};
  from.a = ranks.known<const float>();
  for (int matrix = 0; matrix < 2; ++matrix) {
    for (int i = 0; i < ThreeRanks::rows; ++i) {
      CHECK(from.a.row(matrix, i) == ranks.at(matrix, i));
      CHECK(from.rows_of_a(matrix, i, 0, 2, 1).row == ranks.at(matrix, i) + 2);
    }
  }
  from.ny = 13;
  from.stride_b = 13 * 4;
  from.b = ranks.at(0, 0);
  CHECK(from.rows_of_b(1, 2, 1).row == ranks.at(0, 0) + 52 + 26);
  // Kernels take their rows from up to 7 above the first, in steps of 8, to behind the last.
  for (const int up : {0, 3, 7}) {
    auto down = from.rows_of_a(1, 2, up, 4, 8);
    for (int i = 2 - up; i < 32; i += 8, down.next()) {
      CHECK(down.row == ranks.at(1, std::clamp(i, 0, ThreeRanks::rows - 1)) + 4);
    }
  }
  RowsToRanks<float> to{};
  to.b = ranks.known<float>();
  auto down = to.rows_of_b(1, 3, 8);
  for (int j = 3; j < 32; j += 8, down.next()) {
    CHECK(down.row == ranks.at(1, std::min(j, ThreeRanks::rows - 1)));
  }
  // Its own rows: of 13 elements, in matrices that are 91 apart.
  to.a = ranks.at(0, 0);
  to.nx = 13;
  to.stride_a = 91;
  auto own = to.rows_of_a(1, 5, 2, 4, 8);
  CHECK(own.row == ranks.at(0, 0) + 91 + 3 * 13 + 4);
  own.next();
  CHECK(own.row == ranks.at(0, 0) + 91 + 11 * 13 + 4);
  // Of one rank alone, which is the last.
  from.a.last = 0;
  from.a.share = from.a.rest = 13;
  CHECK(from.a.row(1, 12) == ranks.at(0, 0) + 25 * ThreeRanks::pitch);
}

TEST_CASE("ranks: transpose's cost is what the first process has and sends", "[transpose][ranks]") {
  Problem given = problem("nx=100,ny=33,batch=4");
  given.ranks = 7;
  const Cost cost = row().cost(given);
  // Rows of 33: 5 each; columns of 100: 15 each, and 85 go to others.
  REQUIRE(cost.size() == 2);
  CHECK(cost[0].amount == (5 * 100 + 15 * 33) * 4 * 8);
  CHECK(cost[1].amount == 5 * 85 * 4 * 8);
  CHECK(cost[1].limit == "exchange");
  CHECK(row().footprint(given) ==
        (2 * (5 * 100 + 15 * 33) * 4 + 6 * 5 * 85 * 4 + 2 * 100 * 33 * 4) * 8);
}

TEST_CASE("ranks: a block amid matrices is transposed, nothing beside it", "[transpose][ranks]") {
  for (const Model& model : models()) {
    if (model.place == Place::device && device_stream() == nullptr) continue;
    INFO(model.name);
    int wrong = 0;
    for (const int n : {1, 7, 16, 63, 64, 65, 130}) {
      for (const int before : {0, 1, 4, 7}) {
        for (const int beside : {0, 3, 8}) {
          const Place2D wide{0, 300, n, 5}, of_wide{before, n, 300, beside};
          const Place2D high{before, n, 300, beside}, of_high{3, 300, n, 2};
          for (const auto& [a, b] : {std::pair{wide, of_wide}, {high, of_high}}) {
            wrong += wrong_after<float>(model, a, b) + wrong_after<double>(model, a, b);
          }
        }
      }
    }
    CHECK_ON_ALL(wrong == 0);
  }
}

}  // namespace portcost::test::test_ranks_transpose
