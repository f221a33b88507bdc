// SPDX-License-Identifier: Apache-2.0
#include "tests/book/alone.hpp"
#include "variants/strides/kokkos/book.hpp"

using namespace portcost::strides;

void run() {
  constexpr int n = 3001, offset = 5, stride = 3, columns = 70, rows = 37, pitch = 80;
  const book::Space space;
  const int team = alone::team_size(8);
  Kokkos::View<float*, book::Space> a("a", offset + n * stride), b("b", offset + n * stride);
  const auto given = alone::filled(a, [](int i) { return static_cast<float>(i); });
  const book::Dense<const float> from(a.data(), n);
  const book::Dense<float> to(b.data(), n);
  const Kokkos::LayoutStride apart(n, stride);
  const book::Strided<const float> strided_from(a.data() + offset, apart);
  const book::Strided<float> strided_to(b.data() + offset, apart);

  // Runs f: each element of b is then as source(i) says, or as it was.
  const auto check = [&](const char* step, const auto& f, const auto& source) {
    Kokkos::deep_copy(b, -1.0f);
    f();
    const auto found = alone::on_host(b);
    for (int i = 0; i < static_cast<int>(found.extent(0)); ++i) {
      const int at = source(i);
      alone::expect(found(i) == (at < 0 ? -1 : given(at)), step);
    }
  };
  const auto element_of = [](int i) {
    return i >= offset && (i - offset) % stride == 0 ? (i - offset) / stride : -1;
  };
  check(
      "reads", [&] { book::copy_line<256, 4>(space, team, strided_from, to); },
      [](int i) { return i < n ? offset + i * stride : -1; });
  check(
      "writes", [&] { book::copy_line<100, 1>(space, team, from, strided_to); },
      [&](int i) { return element_of(i) < n ? element_of(i) : -1; });
  check(
      "both", [&] { book::copy_line<256, 4>(space, team, strided_from, strided_to); },
      [&](int i) { return element_of(i) >= 0 && element_of(i) < n ? i : -1; });
  check(
      "rows",
      [&] {
        book::copy_rows<32, 8, 4, float>(space, team, columns,
                                         book::Rows<const float>(a.data(), rows, pitch),
                                         book::Rows<float>(b.data(), rows, pitch));
      },
      [](int i) { return i % pitch < columns && i / pitch < rows ? i : -1; });
}
