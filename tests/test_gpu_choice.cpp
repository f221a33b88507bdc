// SPDX-License-Identifier: Apache-2.0
// Which GPU each rank of a computer takes.
#include <catch2/catch_test_macros.hpp>

#include "src/distributed/gpu_choice.hpp"

namespace portcost::test::gpu_choice {

using distributed::gpus_of_ranks;

namespace {

using Seen = std::vector<std::vector<std::string>>;
using Chosen = std::vector<std::optional<int>>;

}  // namespace

TEST_CASE("ranks that see the same GPUs take one each", "[distributed]") {
  const std::vector<std::string> all{"a", "b", "c"};
  CHECK(gpus_of_ranks({all, all, all}, false) == Chosen{0, 1, 2});
  CHECK(gpus_of_ranks({all, all}, true) == Chosen{0, 1});
  CHECK(gpus_of_ranks({{"a"}, {"a"}}, false) == Chosen{0, {}});
  CHECK(gpus_of_ranks({{}, {}}, true) == Chosen{{}, {}});
}

TEST_CASE("ranks that were given GPUs of their own take these", "[distributed]") {
  CHECK(gpus_of_ranks({{"a"}, {"b"}, {"c"}}, false) == Chosen{0, 0, 0});
  CHECK(gpus_of_ranks({{"a"}, {"b"}, {"c"}}, true) == Chosen{0, 0, 0});
  const Seen near{{"a", "b"}, {"a", "b"}, {"c", "d"}, {"c", "d"}, {"c", "d"}};
  CHECK(gpus_of_ranks(near, false) == Chosen{0, 1, 0, 1, {}});
}

TEST_CASE("ranks that share GPUs are spread over them", "[distributed]") {
  const std::vector<std::string> two{"a", "b"};
  CHECK(gpus_of_ranks({two, two, two, two, two}, true) == Chosen{0, 1, 0, 1, 0});
  CHECK(gpus_of_ranks({{"a"}, {"a"}, two}, true) == Chosen{0, 0, 1});
}

}  // namespace portcost::test::gpu_choice
