// SPDX-License-Identifier: Apache-2.0
// Files of NumPy's, byte by byte; tests/scripts/test_solve.py reads them with NumPy itself.
#include "src/files/npy.hpp"

#include "tests/support.hpp"

namespace portcost::test::test_npy {

namespace {

template <class T>
std::span<const std::byte> bytes_of(const std::vector<T>& values) {
  return std::as_bytes(std::span(values));
}

std::string refusal(const std::string& path, bool replace = false) {
  return message_of<UsageError>([&] { const NpyFile file(path, replace); });
}

}  // namespace

TEST_CASE("npy: the header is NumPy's", "[npy]") {
  // The bytes that numpy.save writes before the elements of numpy.zeros((2, 3), numpy.float32).
  const std::string text = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
  const std::string expected = std::string("\x93NUMPY\x01\x00\x76\x00", 10) + text +
                               std::string(117 - text.size(), ' ') + "\n";

  CHECK(npy_header(ElementType::f32, 2, 3) == expected);
  CHECK(expected.size() == 128);
  CHECK(mentions(npy_header(ElementType::f64, 1, 1), "'<f8'"));
  CHECK(mentions(npy_header(ElementType::i32, 20000, 30000), "'<i4'"));
  CHECK(mentions(npy_header(ElementType::i32, 20000, 30000), "(20000, 30000)"));
}

TEST_CASE("npy: elements follow the header, to a multiple of 64 bytes", "[npy]") {
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
    file.write(ElementType::i32, 2, 3, bytes_of(values));
    CHECK(folder.entries() == std::vector<std::string>{"d.npy.part"});
    file.finish();
  }
  CHECK(folder.entries() == std::vector<std::string>{"d.npy"});

  const std::string text = read_file(folder.file("d.npy"));
  const std::string header = npy_header(ElementType::i32, 2, 3);
  REQUIRE(text.size() == header.size() + 24);
  CHECK(text.starts_with(header));
  CHECK(std::memcmp(text.data() + header.size(), values.data(), 24) == 0);
}

TEST_CASE("npy: what is not finished goes away", "[npy]") {
  const TemporaryFolder folder;
  {
    NpyFile file(folder.file("d.npy"), false);
    file.write(ElementType::f32, 1, 1, bytes_of(std::vector<float>{1}));
  }
  CHECK(folder.entries().empty());
}

TEST_CASE("npy: as many elements as the shape says, or none", "[npy]") {
  const TemporaryFolder folder;
  NpyFile file(folder.file("d.npy"), false);
  CHECK_THROWS_AS(file.write(ElementType::f64, 2, 2, bytes_of(std::vector<double>{1, 2, 3})),
                  Failure);
}

TEST_CASE("npy: a file that exists is kept, unless it may be replaced", "[npy]") {
  const TemporaryFolder folder;
  write_file(folder.file("d.npy"), "old");

  CHECK(
      mentions(refusal(folder.file("d.npy")), "exists: name another file, or let it be replaced"));
  CHECK(read_file(folder.file("d.npy")) == "old");

  NpyFile file(folder.file("d.npy"), true);
  file.write(ElementType::f64, 1, 1, bytes_of(std::vector<double>{1}));
  CHECK(read_file(folder.file("d.npy")) == "old");
  file.finish();
  CHECK(read_file(folder.file("d.npy")).size() == 136);
}

TEST_CASE("npy: a file that appeared meanwhile is kept", "[npy]") {
  const TemporaryFolder folder;
  NpyFile file(folder.file("d.npy"), false);
  file.write(ElementType::f32, 1, 1, bytes_of(std::vector<float>{1}));
  write_file(folder.file("d.npy"), "new");

  CHECK_THROWS_AS(file.finish(), UsageError);

  CHECK(read_file(folder.file("d.npy")) == "new");
}

TEST_CASE("npy: names that cannot be written are refused at once", "[npy]") {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.file("a.npy"));

  CHECK(mentions(refusal(folder.file("d.txt")), "must end in .npy"));
  CHECK(mentions(refusal(folder.file(".npy")), "must end in .npy"));
  CHECK(mentions(refusal(""), "must end in .npy"));
  CHECK(mentions(refusal(folder.file("a.npy"), true), "it is a folder: name a file"));
  CHECK(mentions(refusal(folder.file("missing/d.npy")), "No such file or directory"));
  CHECK(folder.entries() == std::vector<std::string>{"a.npy"});
}

TEST_CASE("npy: a vector is written in one dimension, and read again", "[npy]") {
  const TemporaryFolder folder;
  const std::vector<double> values{0.1, -2, 1e300};
  NpyFile file(folder.file("x.npy"), false);
  file.write(values);
  file.finish();

  const std::string text = read_file(folder.file("x.npy"));

  CHECK(text.starts_with(npy_header(ElementType::f64, 3)));
  CHECK(mentions(text, "'shape': (3,), }"));
  CHECK(text.size() == 128 + 24);
  CHECK(is_npy(text));
  CHECK(npy_vector(text, "x") == values);
  CHECK_FALSE(is_npy("%%MatrixMarket"));
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
  const auto refusal = [&](const std::string& text) {
    return message_of<UsageError>([&] { npy_vector(text, "v.npy"); });
  };

  for (const char* shape : {"(2,)", "(2, 1)", "(1, 2)"}) {
    CHECK(npy_vector(with(described("<f4", shape), f4), "v") == std::vector<double>{0.5, 3});
  }
  CHECK(npy_vector(with(described("<f4", "(2,)"), f4, std::string("\x02\x00", 2)), "v") ==
        std::vector<double>{0.5, 3});
  CHECK(npy_vector(with(described("<f8", "(0,)"), ""), "v").empty());
  CHECK(mentions(refusal(with(described("<f4", "(2, 2)"), f4 + f4)),
                 "v.npy: an array of the shape (2, 2) is no vector"));
  CHECK(mentions(refusal(with(described("<f4", "()"), f4)), "shape () is no vector"));
  CHECK(mentions(refusal(with(described("<i8", "(1,)"), f4)), "type '<i8' are not read: save"));
  CHECK(mentions(refusal(with(described(">f8", "(1,)"), f4)), "astype('f8')"));
  CHECK(mentions(refusal(with(described("<f4", "(3,)"), f4)), "8 bytes of elements, where 3"));
  CHECK(mentions(refusal(with(described("<f4", "(1,)"), f4)), "truncated"));
  CHECK(mentions(refusal(with(described("<f8", "(1,)"), f4 + "x")), "9 bytes"));
  // An extent below 0 whose double 64 bits do not hold, and one that they do not hold itself.
  CHECK(mentions(refusal(with(described("<f4", "(-9223372036854775808, 2)"), f4)), "is no vector"));
  CHECK(mentions(refusal(with(described("<f4", "(99999999999999999999,)"), f4)), "is no vector"));
  const std::string named = "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,), }";
  CHECK(mentions(refusal(with(named, f4)), "v.npy: elements of the type [('a', '<f8')] are not"));
  CHECK(mentions(refusal(with(described("<f4", "(2,)"), f4).substr(0, 20)),
                 "v.npy: the file ends after 20 bytes, in its header of 68 or more: is it"));
  CHECK(mentions(refusal("\x93NUMPY"), "v.npy: the file ends after 6 bytes, in its header of 10"));
  CHECK(mentions(refusal(std::string("\x93NUMPY\x02\0\1\0", 10)), "ends after 10 bytes"));
  CHECK(mentions(refusal(std::string("\x93NUMPY\x09\0\0\0", 10)), "v.npy: version 9 of NumPy's"));
  CHECK(mentions(refusal(with("{'shape': (1,)}", f4)), "has no 'descr': save it with numpy.save"));
  CHECK(mentions(refusal(with("{'descr': '<f4'}", f4)), "'{'descr': '<f4'}' has no 'shape'"));
}

TEST_CASE("npy: the file beside", "[npy]") {
  CHECK(beside("out/roads.npy", "next") == "out/roads.next.npy");
}

}  // namespace portcost::test::test_npy
