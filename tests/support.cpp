// SPDX-License-Identifier: Apache-2.0
// Common to several tests.
#include "tests/support.hpp"

#include <unistd.h>

#include <cstdlib>
#include <sstream>

namespace portcost::test {

namespace {

std::unique_ptr<Stream> host_stream, device_stream;

class Test final : public Catch::ITestInvoker {
 public:
  explicit Test(std::function<void()> body) : body_(std::move(body)) {}
  void invoke() const override { body_(); }

 private:
  std::function<void()> body_;
};

}  // namespace

void skip_or_fail(const std::string& reason) {
  const char* const forbidden = std::getenv("PORTCOST_NO_SKIP");
  if (forbidden != nullptr && std::string_view(forbidden) == "1") {
    FAIL("would be skipped, and PORTCOST_NO_SKIP=1: " << reason);
  }
  SKIP(reason);
  std::abort();  // not reached: both macros throw
}

void need_device() {
  if (!device_present()) skip_or_fail("no CUDA device answers");
}

Stream& shared_stream(Place place) {
  auto& stream = place == Place::host ? host_stream : device_stream;
  if (!stream) stream = std::make_unique<Stream>(place);
  return *stream;
}

void end_shared_streams() {
  host_stream.reset();
  device_stream.reset();
}

HostTeams::HostTeams(int threads) {
  if (set_host_team_threads(threads) == threads) return;
  set_host_team_threads(1);
  skip_or_fail("Kokkos has fewer threads than such a team: set OMP_NUM_THREADS=4");
}

TemporaryFolder::TemporaryFolder() {
  std::string path = (std::filesystem::temp_directory_path() / "portcost-test-XXXXXX").string();
  REQUIRE(mkdtemp(path.data()) != nullptr);
  path_ = path;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::vector<std::string> TemporaryFolder::entries() const {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(path_)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

void write_file(const std::filesystem::path& path, std::string_view text) {
  std::ofstream(path) << text;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
  return found;
}

void register_test(const Catch::SourceLineInfo& line, const std::string& name,
                   const std::string& tags, const std::function<void()>& body) {
  Catch::AutoReg(Catch::Detail::make_unique<Test>(body), line, {}, {name, tags});
}

InPlaces::InPlaces(const Catch::SourceLineInfo& line, void (*body)(Place), std::string_view name,
                   std::string_view tags, std::string_view host_tags) {
  for (const Place place : {Place::host, Place::device}) {
    if (place == Place::device && !PORTCOST_HAS_CUDA) continue;
    std::string own_name(name);
    own_name.replace(name.find("{}"), 2, portcost::name(place));
    register_test(line, own_name,
                  std::string(tags).append(place == Place::device ? "[gpu]" : host_tags), [=] {
                    if (place == Place::device) need_device();
                    body(place);
                  });
  }
}

}  // namespace portcost::test
