// SPDX-License-Identifier: Apache-2.0
// Files of distributed arrays: the same bytes for any number of processes.
#include <filesystem>
#include <fstream>
#include <iterator>

#include "src/distributed/files.hpp"
#include "src/support/error.hpp"
#include "tests/ranks/support.hpp"
#include "tests/support.hpp"

namespace portcost::test::files {

using namespace portcost::distributed;
using distributed::Array;

namespace {

std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The bytes that a serial program writes.
std::string serial(const Index& global, const std::string& header) {
  std::string result = header;
  for (std::int64_t p = 0; p < global[0]; ++p) {
    for (std::int64_t r = 0; r < global[1]; ++r) {
      for (std::int64_t c = 0; c < global[2]; ++c) {
        const double number = number_of({p, r, c});
        result.append(reinterpret_cast<const char*>(&number), sizeof number);
      }
    }
  }
  return result;
}

bool holds_numbers(const Array<double>& array) {
  for (const Part& part : array.parts()) {
    const Box& box = part.layout.corners;
    std::vector<double> dense(static_cast<std::size_t>(box.volume()));
    download(array, part, box, dense.data());
    std::size_t i = 0;
    for (std::int64_t p = box.begin[0]; p < box.end[0]; ++p) {
      for (std::int64_t r = box.begin[1]; r < box.end[1]; ++r) {
        for (std::int64_t c = box.begin[2]; c < box.end[2]; ++c, ++i) {
          if (dense[i] != number_of({p, r, c})) return false;
        }
      }
    }
  }
  return true;
}

}  // namespace

TEST_CASE("a file has the bytes of a serial program's, and is read back", "[files]") {
  const SharedFolder folder;
  for (const Setting& setting : settings()) {
    INFO(setting.name);
    const Processors processors(all_ranks(), setting.mine);
    const int parts = processors.count();
    for (const Index global : {Index{1, 3 * parts + 1, 17}, Index{5, 2 * parts, 2 * parts + 3}}) {
      const std::string header = global[0] == 1 ? "" : "a header of 24 bytes....";
      const Shape shape{
          Distribution(global, parts, {{}, Sharing::even, processors.weights()}), {{0, 1, 1}}, 4};
      Array<double> array(processors, shape, device_stream());
      array.fill(-1);
      array.fill(number_of);
      const std::string path = folder.file("array");
      gather(array, path, header);
      CHECK_ON_ALL(read(path) == serial(global, header));
      CHECK_ON_ALL(!std::filesystem::exists(path + ".part"));
      // By other processors, in another distribution.
      const Processors others(all_ranks(), Processor{});
      const Shape other{Distribution(global, others.count(), {{1, 0, 1}}), {}};
      Array<double> again(others, other);
      again.fill(-1);
      scatter(again, path, static_cast<std::int64_t>(header.size()));
      CHECK_ON_ALL(holds_numbers(again));
      array.fill(-1);
      scatter(array, path, static_cast<std::int64_t>(header.size()));
      CHECK_ON_ALL(holds_numbers(array));
    }
  }
}

TEST_CASE("a file that is not the array's is refused on all ranks alike", "[files]") {
  const SharedFolder folder;
  const Processors processors(all_ranks(), Processor{});
  Array<double> array(processors, {Distribution({1, 64, 10}, all_ranks().size())});
  array.fill(number_of);
  gather(array, folder.file("array"));
  const std::string length =
      message_of<UsageError>([&] { scatter(array, folder.file("array"), 8); });
  CHECK_ON_ALL(mentions(length, "has 5120 bytes, not the 5128 of 1 x 64 x 10 elements of 8 bytes"));
  const std::string absent =
      message_of<UsageError>([&] { scatter(array, folder.file("nothing")); });
  CHECK_ON_ALL(mentions(absent, "cannot open"));
  const std::string nowhere =
      message_of<UsageError>([&] { gather(array, folder.file("no/folder")); });
  CHECK_ON_ALL(mentions(nowhere, "cannot create"));
  const std::string taken = message_of<UsageError>([&] { gather(array, folder.file("")); });
  CHECK_ON_ALL(mentions(taken, "is a folder"));
}

}  // namespace portcost::test::files
