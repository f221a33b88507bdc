// SPDX-License-Identifier: Apache-2.0
// Files of matrices and vectors: what is read, and the one line that is said of each that is none.
#include "src/files/matrix_market.hpp"

#include "src/files/npy.hpp"
#include "tests/support.hpp"

namespace portcost::test::test_matrix_market {

namespace {

using Elements = std::vector<double>;

std::string with(const std::string& words, const std::string& rest) {
  return "%%MatrixMarket matrix " + words + "\n" + rest;
}

// Rows of a file's matrix, with `gap` elements of 9 behind each.
Elements elements_of(const std::string& text, ElementType type = ElementType::f64,
                     std::int64_t gap = 0) {
  const MatrixFile file(text, "m");
  const std::int64_t pitch = file.columns() + gap;
  Elements result(static_cast<std::size_t>(file.rows() * pitch), 9);
  file.write(result, pitch, type);
  return result;
}

MatrixFile::Written written(const std::string& text) {
  const MatrixFile file(text, "m");
  Elements elements(static_cast<std::size_t>(file.rows() * file.columns()));
  return file.write(elements, file.columns(), ElementType::f64);
}

std::string refusal(const std::string& text, ElementType type = ElementType::f64) {
  return message_of<UsageError>([&] { elements_of(text, type); });
}

void check_refused(const std::vector<Broken>& all) {
  check_refusals(all, [](const std::string& text) { return refusal(text); });
}

}  // namespace

TEST_CASE("matrix market: coordinates, with comments, blank lines and any letters",
          "[matrix_market]") {
  CHECK(elements_of(with("coordinate real general",
                         "% a comment\n\n2 3 3\n1 2 0.5\n  2   3\t-3e-1 \n% another\n2 1 +2\n")) ==
        Elements{0, 0.5, 0, 2, 0, -0.3});
  CHECK(elements_of("%%matrixmarket MATRIX Coordinate INTEGER General\r\n1 1 1\r\n1 1 7\r\n") ==
        Elements{7});
  CHECK(elements_of(with("coordinate pattern general", "2 2 2\n1 2\n2 2")) == Elements{0, 1, 0, 1});
  CHECK(elements_of(with("coordinate real general", "1 2 0\n")) == Elements{0, 0});
}

TEST_CASE("matrix market: symmetric and skew-symmetric matrices have both sides",
          "[matrix_market]") {
  CHECK(elements_of(with("coordinate real symmetric", "2 2 2\n1 1 3\n2 1 5\n")) ==
        Elements{3, 5, 5, 0});
  CHECK(elements_of(with("coordinate real skew-symmetric", "2 2 1\n2 1 5\n")) ==
        Elements{0, -5, 5, 0});
  CHECK(elements_of(with("coordinate pattern symmetric", "2 2 1\n2 1\n")) == Elements{0, 1, 1, 0});
}

TEST_CASE("matrix market: arrays go column by column", "[matrix_market]") {
  CHECK(elements_of(with("array real general", "2 3\n1\n2\n3\n4\n5\n6\n")) ==
        Elements{1, 3, 5, 2, 4, 6});
  CHECK(elements_of(with("array integer symmetric", "3 3\n1\n2\n3\n4\n5\n6\n")) ==
        Elements{1, 2, 3, 2, 4, 5, 3, 5, 6});
  CHECK(elements_of(with("array real skew-symmetric", "3 3\n2\n3\n5\n")) ==
        Elements{0, -2, -3, 2, 0, -5, 3, 5, 0});
  CHECK(elements_of(with("array real skew-symmetric", "1 1\n")) == Elements{0});
}

TEST_CASE("matrix market: what lies between rows stays", "[matrix_market]") {
  CHECK(elements_of(with("array real general", "2 2\n1\n2\n3\n4\n"), ElementType::f64, 1) ==
        Elements{1, 3, 9, 2, 4, 9});
}

TEST_CASE("matrix market: entries of one element are added up, and counted", "[matrix_market]") {
  const std::string text = with("coordinate real general", "2 2 4\n1 1 3\n2 2 1\n1 1 4\n2 1 0\n");
  CHECK(elements_of(text) == Elements{7, 0, 0, 1});
  CHECK(written(text).nonzeros == 2);
  CHECK(written(text).repeated == 1);
  CHECK(written(with("coordinate real symmetric", "2 2 1\n2 1 5\n")).nonzeros == 2);
  for (const char* symmetry : {"symmetric", "skew-symmetric"}) {
    const std::string twice =
        with(std::string("coordinate real ") + symmetry, "2 2 2\n2 1 5\n2 1 1\n");
    CHECK(written(twice).repeated == 1);
    CHECK(elements_of(twice).at(2) == 6);
  }
  CHECK(written(with("array real general", "1 2\n0\n5\n")).repeated == 0);
  // By its place, not by the value that is there.
  const std::string after_zero = with("coordinate real general", "2 2 3\n1 1 0\n1 1 2\n2 2 4\n");
  CHECK(elements_of(after_zero) == Elements{2, 0, 0, 4});
  CHECK(written(after_zero).repeated == 1);
}

TEST_CASE("matrix market: elements must be finite in the type", "[matrix_market]") {
  const std::string large = with("coordinate real general", "1 1 1\n1 1 1e39\n");
  CHECK(elements_of(large) == Elements{1e39});
  CHECK(mentions(refusal(large, ElementType::f32), "m:3: value 1e39 is not finite in f32"));
  CHECK(elements_of(with("array real general", "1 1\n0.1\n"), ElementType::f32) == Elements{0.1});
  check_refused({
      {with("array real general", "1 1\nnan\n"), "m:3: ", "NaN"},
      {with("array real general", "1 1\n-inf\n"), "m:3: ", "-inf is not finite"},
      {with("coordinate real general", "1 1 1\n1 1 1e999\n"), "m:3: ", "1e999 is not finite"},
      {with("coordinate real general", "1 1 2\n1 1 1e308\n1 1 1e308\n"), "m:4: ", "added up"},
  });
}

TEST_CASE("matrix market: integers are whole numbers, in any form", "[matrix_market]") {
  CHECK(elements_of(with("array integer general", "3 1\n-2\n3.0\n1e3\n")) == Elements{-2, 3, 1000});
  check_refused({
      {with("array integer general", "2 1\n1\n2.5\n"), "m:4: value 2.5 is not whole", "'real'"},
      {with("coordinate integer symmetric", "2 2 1\n2 1 -1e-3\n"), "m:3: value -1e-3", "correct"},
      {with("array integer general", "1 1\nnan\n"), "m:3: ", "NaN"},
  });
}

TEST_CASE("matrix market: kinds that are not read are named", "[matrix_market]") {
  const std::string size = "1 1 1\n1 1 1\n";
  check_refused({
      {with("coordinate complex general", size), "m:1: 'complex' numbers are not read", "real"},
      {with("coordinate complex hermitian", size), "m:1: 'complex'", "integer"},
      {with("coordinate real hermitian", size), "m:1: 'hermitian' is not read", "symmetric"},
      {with("array pattern general", size), "m:1: an array has values", "coordinate"},
      {with("elemental real general", size), "m:1: 'elemental'", "array"},
      {with("coordinate real", size), "m:1: the banner has no symmetry", "write"},
      {"%%MatrixMarket vector array real general\n", "m:1: 'vector'", "matrix"},
      {"1 2 3\n", "m:1: '1 2 3' does not begin", "convert"},
      {"", "m:1: the file is empty", "no matrix"},
      {"\x1F\x8B\x08", "m:1: the file is compressed", "gunzip"},
      {"PK\x03\x04.", "m:1: the file is a ZIP archive", "unzip"},
      {std::string("\xFF\xFE%\0%\0", 6), "m:1: the file is UTF-16", "UTF-8"},
  });
}

TEST_CASE("matrix market: broken files are named with their line", "[matrix_market]") {
  const std::string general = "coordinate real general";
  check_refused({
      {with(general, ""), "m:1: the file ends before ROWS COLUMNS ENTRIES", "truncated"},
      {with("array real general", "% x\n"), "m:2: the file ends before ROWS COLUMNS:", "truncated"},
      {with(general, "0 1 0\n"), "m:2: the number of rows is '0'", "from 1"},
      {with(general, "1 x 0\n"), "m:2: the number of columns is 'x'", "from 1"},
      {with(general, "1 1\n"), "m:2: the number of entries is missing", "add"},
      {with("array real general", "1 1 1\n"), "m:2: '1' is too much", "end"},
      {with(general, "3000000000 1 0\n"), "m:2: 3000000000 rows are more", "smaller matrix"},
      {with("coordinate real symmetric", "2 3 0\n"), "m:2: a matrix of 2 rows and 3", "general"},
      {with("array real skew-symmetric", "2 3\n"), "m:2: a matrix of 2 rows", "not skew-symmetric"},
      {with(general, "2 3 1\n3 1 1\n"), "m:3: row 3 is out of range", "there are 2"},
      {with(general, "2 3 1\n1 4 1\n"), "m:3: column 4 is out of range", "there are 3"},
      {with(general, "2 3 1\n1 x 1\n"), "m:3: column 'x' is no whole number",
       "columns from 1 to 3"},
      {with(general, "2 3 1\n1\n"), "m:3: a column is missing", "ROW COLUMN VALUE"},
      {with(general, "2 3 1\n1 1\n"), "m:3: the value is missing", "ROW COLUMN VALUE"},
      {with(general, "2 3 1\n1 1 1 1\n"), "m:3: '1' is too much", "end"},
      {with("coordinate pattern general", "2 3 1\n1 1 1\n"), "m:3: '1' is too much", "end"},
      {with(general, "2 3 2\n1 1 1\n"), "m:3: the file ends after 1 of 2", "truncated"},
      {with(general, "2 3 1\n1 1 1\n1 2 1\n"), "m:4: the header says 1", "remove"},
      {with("array real general", "2 1\n1\n"), "m:3: the file ends after 1 of 2", "truncated"},
      {with("array real general", "1 1\n1\n2\n"), "m:4: the header says 1", "remove"},
      {with("array real symmetric", "2 2\n1\n2\n3\n4\n"), "m:6: the header says 3", "remove"},
      {with("coordinate real symmetric", "2 2 1\n1 2 1\n"), "m:3: an entry above", "below"},
      {with("coordinate real skew-symmetric", "2 2 1\n1 1 1\n"), "m:3: the diagonal", "remove"},
  });
}

TEST_CASE("matrix market: vectors of one column or one row", "[matrix_market]") {
  const TemporaryFolder folder;
  const std::string path = folder.file("v.mtx");
  const auto vector = [&](const std::string& text, std::int64_t count) {
    write_file(path, text);
    return read_vector(path, count, ElementType::f64);
  };
  const auto message = [&](const std::string& text, std::int64_t count) {
    return message_of<UsageError>([&] { vector(text, count); });
  };

  CHECK(vector(with("array real general", "3 1\n1\n2\n3\n"), 3) == Elements{1, 2, 3});
  CHECK(vector(with("coordinate real general", "1 3 1\n1 2 5\n"), 3) == Elements{0, 5, 0});
  CHECK(vector(with("array real general", "1 1\n4\n"), 1) == Elements{4});
  CHECK(mentions(message(with("array real general", "2 2\n1\n2\n3\n4\n"), 2), "is no vector"));
  CHECK(mentions(message(with("array real general", "3 1\n1\n2\n3\n"), 4),
                 "has 3 elements, where 4 are needed"));
  CHECK(mentions(message(with("array real general", "1 1\nx\n"), 1), "v.mtx:3: value 'x'"));
}

TEST_CASE("matrix market: vectors of NumPy's", "[matrix_market]") {
  const TemporaryFolder folder;
  const std::string path = folder.file("v.npy");
  const auto save = [&](const Elements& values) {
    NpyFile file(path, true);
    file.write(values);
    file.finish();
  };
  const auto message = [&](std::int64_t count, ElementType type) {
    return message_of<UsageError>([&] { read_vector(path, count, type); });
  };

  save({1, -0.5, 1e39});
  CHECK(read_vector(path, 3, ElementType::f64) == Elements{1, -0.5, 1e39});
  CHECK(mentions(message(2, ElementType::f64), "has 3 elements, where 2 are needed"));
  CHECK(mentions(message(3, ElementType::f32), "element 2 (from 0) is 1e+39"));
  save({1, std::nan("")});
  CHECK(mentions(message(2, ElementType::f64), "element 1 (from 0) is nan"));
}

}  // namespace portcost::test::test_matrix_market
