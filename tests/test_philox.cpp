// SPDX-License-Identifier: Apache-2.0
// Philox4x32-10 against the known answers that its authors publish (Random123, kat_vectors).
#include "tests/support.hpp"
#include "variants/shared/philox.hpp"

namespace portcost::test::test_philox {

void check_words(const RandomWords& words, const std::array<std::uint32_t, 4>& expected) {
  for (int i = 0; i < 4; ++i) CHECK(words.at[i] == expected[i]);
}

TEST_CASE("philox: the published known answers", "[random]") {
  check_words(philox(0, 0), {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  check_words(philox(~0ull, ~0ull, ~0ull), {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  check_words(philox(0x85a308d3243f6a88, 0x299f31d0a4093822, 0x0370734413198a2e),
              {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("philox: uniform numbers are exact and below 1", "[random]") {
  const RandomWords most{{~0u, ~0u, ~0u, ~0u}}, some{{0x80000000u, 0, 0x00000100u, 0x000007ffu}};
  CHECK(uniform<float>(most, 3) == 1 - 0x1p-24f);
  CHECK(uniform<double>(most, 1) == 1 - 0x1p-53);
  CHECK(uniform<float>(some, 0) == 0.5f);
  CHECK(uniform<float>(some, 2) == 0x1p-24f);
  CHECK(uniform<float>(some, 3) == 7 * 0x1p-24f);
  CHECK(uniform<double>(some, 0) == 0.5);
  CHECK(uniform<double>(some, 1) == 0x1p-24);
}

}  // namespace portcost::test::test_philox
