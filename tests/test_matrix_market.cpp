// SPDX-License-Identifier: Apache-2.0
// Files of matrices and vectors: what is read, and the one line that is said of each that is none.
// NumPy's are looked at byte by byte; tests/scripts/test_solve.py reads them with NumPy itself.
#include "src/files/matrix_market.hpp"
#include "src/files/npy.hpp"
#include "tests/support.hpp"

namespace portcost::test::test_matrix_market {

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

template <class T>
std::span<const std::byte> bytes_of(const std::vector<T>& values) {
  return std::as_bytes(std::span(values));
}

std::string opening_refusal(const std::string& path, bool replace = false) {
  return message_of<UsageError>([&] { const NpyFile file(path, replace); });
}

TEST_CASE("matrix market: coordinates, symmetric matrices, arrays by columns", "[matrix_market]") {
  CHECK(elements_of(with("coordinate real general",
                         "% a comment\n\n2 3 3\n1 2 0.5\n  2   3\t-3e-1 \n% another\n2 1 +2\n")) ==
        Elements{0, 0.5, 0, 2, 0, -0.3});
  CHECK(elements_of("\xEF\xBB\xBF%%matrixmarket MATRIX Coordinate INTEGER General\r\n1 1 1\r\n"
                    "1\t1\t7\t\r\n") == Elements{7});
  CHECK(elements_of(with("coordinate pattern general", "2 2 2\n1 2\n2 2")) == Elements{0, 1, 0, 1});
  CHECK(elements_of(with("coordinate real general", "1 2 0\n")) == Elements{0, 0});
  CHECK(elements_of(with("coordinate real symmetric", "2 2 2\n1 1 3\n2 1 5\n")) ==
        Elements{3, 5, 5, 0});
  CHECK(elements_of(with("coordinate real skew-symmetric", "2 2 1\n2 1 5\n")) ==
        Elements{0, -5, 5, 0});
  CHECK(elements_of(with("coordinate pattern symmetric", "2 2 1\n2 1\n")) == Elements{0, 1, 1, 0});
  CHECK(elements_of(with("array real general", "2 3\n1\n2\n3\n4\n5\n6\n")) ==
        Elements{1, 3, 5, 2, 4, 6});
  CHECK(elements_of(with("array integer symmetric", "3 3\n1\n2\n3\n4\n5\n6\n")) ==
        Elements{1, 2, 3, 2, 4, 5, 3, 5, 6});
  CHECK(elements_of(with("array real skew-symmetric", "3 3\n2\n3\n5\n")) ==
        Elements{0, -2, -3, 2, 0, -5, 3, 5, 0});
  CHECK(elements_of(with("array real skew-symmetric", "1 1\n")) == Elements{0});
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

TEST_CASE("matrix market: elements are finite, integers whole in any form", "[matrix_market]") {
  const std::string large = with("coordinate real general", "1 1 1\n1 1 1e39\n");
  CHECK(elements_of(large) == Elements{1e39});
  CHECK(mentions(refusal(large, ElementType::f32), "m:3: value 1e39 is not finite in f32"));
  CHECK(elements_of(with("array real general", "1 1\n0.1\n"), ElementType::f32) == Elements{0.1});
  check_refused({
      {with("array real general", "1 1\nnan\n"), "m:3: ", "NaN"},
      {with("array real general", "1 1\n-inf\n"), "m:3: ", "-inf is not finite"},
      {with("coordinate real general", "1 1 1\n1 1 1e999\n"), "m:3: ", "1e999 is not finite"},
      {with("array real general", "1 1\n" + std::string(100000, '9')), "m:3: ", "is not finite"},
      {with("coordinate real general", "1 1 2\n1 1 1e308\n1 1 1e308\n"), "m:4: ", "added up"},
  });
  CHECK(elements_of(with("array integer general", "3 1\n-2\n3.0\n1e3\n")) == Elements{-2, 3, 1000});
  check_refused({
      {with("array integer general", "2 1\n1\n2.5\n"), "m:4: value 2.5 is not whole", "'real'"},
      {with("coordinate integer symmetric", "2 2 1\n2 1 -1e-3\n"), "m:3: value -1e-3", "correct"},
      {with("array integer general", "1 1\nnan\n"), "m:3: ", "NaN"},
  });
}

TEST_CASE("matrix market: other kinds are named, broken files by their line", "[matrix_market]") {
  const std::string size = "1 1 1\n1 1 1\n", general = "coordinate real general";
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
      {with(general, "1 1 9223372036854775808\n1 1 1\n"), "m:2: ", "more than can be counted"},
      {with(general, "1 1 1\n1 1 2" + std::string(1, '\0')), "m:3: value '2?' is no", "write"},
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

TEST_CASE("npy: a vector is written in one dimension, and read again", "[npy]") {
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
  const std::string text = read_file(path);
  CHECK(text.starts_with(npy_header(ElementType::f64, 3)));
  CHECK(mentions(text, "'shape': (3,), }"));
  CHECK(text.size() == 128 + 24);
  CHECK((is_npy(text) && !is_npy("%%MatrixMarket")));
  CHECK(read_vector(path, 3, ElementType::f64) == Elements{1, -0.5, 1e39});
  CHECK(mentions(message(2, ElementType::f64), "has 3 elements, where 2 are needed"));
  CHECK(mentions(message(3, ElementType::f32), "element 2 (from 0) is 1e+39"));
  save({1, std::nan("")});
  CHECK(mentions(message(2, ElementType::f64), "element 1 (from 0) is nan"));
}

TEST_CASE("npy: the header is NumPy's, and elements follow it at a multiple of 64 bytes", "[npy]") {
  // The bytes that numpy.save writes before the elements of numpy.zeros((2, 3), numpy.float32).
  const std::string text = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
  const std::string expected = std::string("\x93NUMPY\x01\x00\x76\x00", 10) + text +
                               std::string(117 - text.size(), ' ') + "\n";

  CHECK(npy_header(ElementType::f32, 2, 3) == expected);
  CHECK(expected.size() == 128);
  CHECK(mentions(npy_header(ElementType::f64, 1, 1), "'<f8'"));
  CHECK(mentions(npy_header(ElementType::i32, 20000, 30000), "'<i4'"));
  CHECK(mentions(npy_header(ElementType::i32, 20000, 30000), "(20000, 30000)"));
  for (const std::int64_t n : {std::int64_t{1}, std::int64_t{99999}, std::int64_t{2147483647}}) {
    const std::string header = npy_header(ElementType::f64, n, n);
    CHECK(header.size() % 64 == 0);
    CHECK(header.back() == '\n');
    CHECK(static_cast<unsigned char>(header[8]) + 256 * static_cast<unsigned char>(header[9]) +
              10 ==
          static_cast<int>(header.size()));
  }
}

TEST_CASE("npy: a file is there when it is finished, and nothing else", "[npy]") {
  const TemporaryFolder folder;
  const std::vector<std::int32_t> values{1, -2, 3, 4, 5, 2147483647};
  {
    NpyFile file(folder.file("d.npy"), false);
    CHECK(folder.entries().empty());
    CHECK_THROWS_AS(file.write(ElementType::f64, 2, 2, bytes_of(Elements{1, 2, 3})), Failure);
    file.write(ElementType::i32, 2, 3, bytes_of(values));
    CHECK(folder.entries() == std::vector<std::string>{"d.npy.part"});
  }
  CHECK(folder.entries().empty());
  NpyFile file(folder.file("d.npy"), false);
  file.write(ElementType::i32, 2, 3, bytes_of(values));
  file.finish();
  CHECK(folder.entries() == std::vector<std::string>{"d.npy"});

  const std::string text = read_file(folder.file("d.npy"));
  const std::string header = npy_header(ElementType::i32, 2, 3);
  REQUIRE(text.size() == header.size() + 24);
  CHECK(text.starts_with(header));
  CHECK(std::memcmp(text.data() + header.size(), values.data(), 24) == 0);
}

TEST_CASE("npy: a file that exists, or appears meanwhile, is kept unless replaced", "[npy]") {
  const TemporaryFolder folder;
  const std::string path = folder.file("d.npy");
  {
    NpyFile late(path, false);
    late.write(ElementType::f64, 1, 1, bytes_of(Elements{1}));
    write_file(path, "old");
    CHECK_THROWS_AS(late.finish(), UsageError);
  }
  CHECK(mentions(opening_refusal(path), "exists: name another file, or let it be replaced"));
  NpyFile file(path, true);
  file.write(ElementType::f64, 1, 1, bytes_of(Elements{1}));
  CHECK(read_file(path) == "old");
  file.finish();
  CHECK(read_file(path).size() == 136);
}

TEST_CASE("npy: names that cannot be written are refused at once", "[npy]") {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.file("a.npy"));

  CHECK(mentions(opening_refusal(folder.file("d.txt")), "must end in .npy"));
  CHECK(mentions(opening_refusal(folder.file(".npy")), "must end in .npy"));
  CHECK(mentions(opening_refusal(""), "must end in .npy"));
  CHECK(mentions(opening_refusal(folder.file("a.npy"), true), "it is a folder: name a file"));
  CHECK(mentions(opening_refusal(folder.file("missing/d.npy")), "No such file or directory"));
  std::filesystem::create_symlink("/dev/full", folder.file("b.npy.part"));
  CHECK(mentions(opening_refusal(folder.file("b.npy")), "b.npy.part' (it is no regular file)"));
  CHECK(folder.entries() == std::vector<std::string>{"a.npy", "b.npy.part"});
}

TEST_CASE("npy: vectors of other shapes, types and versions", "[npy]") {
  const auto with = [](const std::string& description, const std::string& elements,
                       const std::string& version = std::string("\x01\x00", 2)) {
    std::string length(version[0] == 1 ? 2 : 4, '\0');
    length[0] = static_cast<char>(description.size());
    return "\x93NUMPY" + version + length + description + elements;
  };
  const std::vector<float> narrow{0.5f, 3};
  const std::string f4(reinterpret_cast<const char*>(narrow.data()), 8);
  const auto described = [](const std::string& type, const std::string& shape) {
    return "{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape + ", }\n";
  };

  for (const char* shape : {"(2,)", "(2, 1)", "(1, 2)"}) {
    CHECK(npy_vector(with(described("<f4", shape), f4), "v") == std::vector<double>{0.5, 3});
  }
  CHECK(npy_vector(with(described("<f4", "(2,)"), f4, std::string("\x02\x00", 2)), "v") ==
        std::vector<double>{0.5, 3});
  CHECK(npy_vector(with(described("<f8", "(0,)"), ""), "v").empty());
  const std::string named = "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,), }";
  const std::vector<std::pair<std::string, std::string>> refused{
      {with(described("<f4", "(2, 2)"), f4 + f4),
       "v.npy: an array of the shape (2, 2) is no vector"},
      {with(described("<f4", "()"), f4), "shape () is no vector"},
      {with(described("<i8", "(1,)"), f4), "type '<i8' are not read: save"},
      {with(described(">f8", "(1,)"), f4), "astype('f8')"},
      {with(described("<f4", "(3,)"), f4), "8 bytes of elements, where 3"},
      {with(described("<f4", "(1,)"), f4), "truncated"},
      {with(described("<f8", "(1,)"), f4 + "x"), "9 bytes"},
      // An extent below 0 whose double 64 bits do not hold, and one that they do not hold itself.
      {with(described("<f4", "(-9223372036854775808, 2)"), f4), "is no vector"},
      {with(described("<f4", "(99999999999999999999,)"), f4), "is no vector"},
      {with(named, f4), "v.npy: elements of the type [('a', '<f8')] are not"},
      {with(described("<f4", "(2,)"), f4).substr(0, 20),
       "v.npy: the file ends after 20 bytes, in its header of 68 or more: is it"},
      {"\x93NUMPY", "v.npy: the file ends after 6 bytes, in its header of 10"},
      {std::string("\x93NUMPY\x02\0\1\0", 10), "ends after 10 bytes"},
      {std::string("\x93NUMPY\x09\0\0\0", 10), "v.npy: version 9 of NumPy's"},
      {with("{'shape': (1,)}", f4), "has no 'descr': save it with numpy.save"},
      {with("{'descr': '<f4'}", f4), "'{'descr': '<f4'}' has no 'shape'"},
  };
  for (const auto& [text, said] : refused) {
    CAPTURE(text);
    CHECK(mentions(message_of<UsageError>([&] { npy_vector(text, "v.npy"); }), said));
  }
}

}  // namespace portcost::test::test_matrix_market
