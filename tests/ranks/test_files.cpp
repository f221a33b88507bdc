// SPDX-License-Identifier: Apache-2.0
// Files of distributed arrays: the same bytes for any number of processes.
#include "src/distributed/files.hpp"
#include "tests/ranks/support.hpp"

namespace portcost::test::files {

using namespace portcost::distributed;
using distributed::Array;

// The bytes that a serial program writes.
std::string serial(const Index& global, const std::string& header) {
  std::string result = header;
  for_points({{}, global}, [&](const Index& point) {
    const double number = number_of(point);
    result.append(reinterpret_cast<const char*>(&number), sizeof number);
  });
  return result;
}

TEST_CASE("a file has the bytes of a serial program's, and is read back", "[files]") {
  const SharedFolder folder;
  for_settings([&](const Processors& processors) {
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
      CHECK_ON_ALL(read_file(path) == serial(global, header));
      CHECK_ON_ALL(!std::filesystem::exists(path + ".part"));
      // By other processors, in another distribution.
      const Processors others(all_ranks(), Processor{});
      const Shape other{Distribution(global, others.count(), {{1, 0, 1}}), {}};
      Array<double> again(others, other);
      again.fill(-1);
      scatter(again, path, static_cast<std::int64_t>(header.size()));
      CHECK_ON_ALL(all_are(again, number_of));
      array.fill(-1);
      scatter(array, path, static_cast<std::int64_t>(header.size()));
      CHECK_ON_ALL(all_are(array, number_of));
    }
  });
}

TEST_CASE("a file that is not the array's is refused on all ranks alike", "[files]") {
  const SharedFolder folder;
  const Processors processors(all_ranks(), Processor{});
  Array<double> array(processors, {Distribution({1, 64, 10}, all_ranks().size())});
  array.fill(number_of);
  gather(array, folder.file("array"));
  const auto check_refused = [](const std::string& said, const auto& action) {
    const std::string text = message_of<UsageError>(action);
    CHECK_ON_ALL(mentions(text, said));
  };
  check_refused("has 5120 bytes, not the 5128 of 1 x 64 x 10 elements of 8 bytes",
                [&] { scatter(array, folder.file("array"), 8); });
  check_refused("cannot open", [&] { scatter(array, folder.file("nothing")); });
  check_refused("cannot create", [&] { gather(array, folder.file("no/folder")); });
  check_refused("is a folder", [&] { gather(array, folder.file("")); });
}

}  // namespace portcost::test::files
