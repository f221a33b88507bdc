// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "variants/shared/data.hpp"
#include "variants/strides/problem.hpp"

namespace portcost::strides {

namespace {

constexpr std::int64_t main_n = std::int64_t{1} << 25;

constexpr std::array size_keys{
    SizeKey{"n", main_n, 1, most_elements, "elements copied"},
    SizeKey{"offset", 0, 0, most_offset, "elements before the first", false},
    SizeKey{"stride", 1, 1, most_stride, "elements from one to the next", false},
    SizeKey{"columns", 1023, 1, most_columns, "elements of a row (row steps)", false}};

template <class T>
struct Data final : DataOf<Copies<T>> {
  using DataOf<Copies<T>>::DataOf;
  Copies<T> work(int) const override {
    return {a.data(), b.data(), n, offset, stride, rows, columns, pitch_of(columns, sizeof(T))};
  }

  int n = this->size("n"), offset = this->size("offset"), stride = this->size("stride");
  int columns = this->size("columns");
  int rows = static_cast<int>(rows_of(this->problem()));
  Buffer<T> a = filled(length_of(this->problem()), this->stream(),
                       [this](std::uint64_t at) { return element<T>(this->seed(), at); });
  Output<T> b{*this, "out", {a.size()}};
};

}  // namespace

std::int64_t rows_of(const Problem& p) { return ceil_div(p.size.at("n"), p.size.at("columns")); }

std::int64_t length_of(const Problem& p) {
  const std::int64_t last = p.size.at("offset") + (p.size.at("n") - 1) * p.size.at("stride");
  const int columns = static_cast<int>(p.size.at("columns"));
  return std::max(last + 1, rows_of(p) * pitch_of(columns, static_cast<int>(bytes(p.type))));
}

Algorithm algorithm() {
  return {
      .name = "strides",
      .summary = "copies with an offset or a stride, and of rows that are padded or not",
      .size_keys = size_keys,
      .absent = {{"gather_texture", Model::kokkos,
                  "Kokkos has no textures, but the read-only path"}},
      // Both arrays and two answers.
      .footprint =
          [](const Problem& p) { return 4 * static_cast<double>(length_of(p)) * bytes(p.type); },
      // Every element is read once and written once. What a stride adds to that is the subject.
      .cost = [](const Problem& p) -> Cost {
        return {{2 * real(p, "n") * bytes(p.type), "copy"}};
      },
      // A host has a sixteenth of the elements: strides of 64 take as many times the memory.
      .measured =
          {.device = "2^25,0|1|8|16|32|33,1,1023 2^25,0,2|3|4|8|16|32|64,1023 2^25,0,1,33|1024",
           .device_full = "2^25,0,1,1023 2^25,1..33,1,1023 2^25,0,1..64,1023 2^25,0,1,33|1024",
           .host = "2^21,0|1|8|16|32|33,1,1023 2^21,0,2|3|4|8|16|32|64,1023 2^21,0,1,33|1024",
           .host_full = "2^21,0,1,1023 2^21,1..33,1,1023 2^21,0,1..64,1023 2^21,0,1,33|1024"},
      .checked =
          "1,0,1,1 1,33,64,1 1000,1,1,7 1025,0,2,7 3001,33,3,7 20000,17,64,7 1000,0,1,7 "
          "4099,0,1,33 40000,0,1,16 33000,0,1,1023 40000,0,1,20011",
      .drawn = {{1, 40'000, {1, 31, 32, 33, 1023, 1024, 1025, 16'384, 16'385}},
                {0, most_offset, {0, 0, 0, 0}},
                {1, most_stride, {1, 1, 1, 1}},
                {1, 300, {1, 15, 16, 17, 31, 32, 33, 64, 1000}}},
      .make = make_instance<Data, float, double>,
      .judge = judge,
      .one_answer = false,
      .in_default_campaign = false,
      .predicted = predicted,
  };
}

}  // namespace portcost::strides
