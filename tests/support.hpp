// SPDX-License-Identifier: Apache-2.0
// Common to several tests: skipping, streams, folders that go away, running a variant afresh. A
// test does not include again what this header, or another header of the tests, includes.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <catch2/catch_approx.hpp>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/contract/algorithm.hpp"
#include "src/support/error.hpp"
#include "src/timing/stopwatch.hpp"
#include "variants/shared/kokkos_runtime.hpp"

namespace portcost::test {

using Catch::Approx;

/// A sanitizer makes everything slow: tests that repeat themselves do so less often then.
#ifdef PORTCOST_SANITIZED
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

/// Skips the test, or fails it where the environment says PORTCOST_NO_SKIP=1.
[[noreturn]] void skip_or_fail(const std::string& reason);
/// Goes on only where a device answers.
void need_device();
/// The same of a build that measures one, for work where Kokkos runs: as bench and a campaign have.
inline void need_measured_place() {
  if (PORTCOST_HAS_CUDA) need_device();
}

/// Registers a test that TEST_CASE does not, as one of each row of a table.
void register_test(const Catch::SourceLineInfo& line, const std::string& name,
                   const std::string& tags, const std::function<void()>& body);
/// A test of what runs on the host and, where this is built for a GPU, on the device, too:
/// registers `body` as a test of each place; `host_tags` are of the host's alone.
class InPlaces {
 public:
  InPlaces(const Catch::SourceLineInfo& line, void (*body)(Place), std::string_view name,
           std::string_view tags, std::string_view host_tags = {});
};

/// The one stream of a place that all tests share. Kokkos keeps an execution space for it, so it
/// outlives Kokkos.
Stream& shared_stream(Place place);
void end_shared_streams();

/// Kokkos's teams of so many threads on a host, where a missing barrier shows, for its lifetime.
class HostTeams : Uncopied {
 public:
  explicit HostTeams(int threads);
  ~HostTeams() { set_host_team_threads(1); }
};

/// An empty folder of its own, removed with everything in it at the end.
class TemporaryFolder : Uncopied {
 public:
  TemporaryFolder();
  ~TemporaryFolder();

  std::string file(std::string_view name) const { return (path_ / name).string(); }
  /// Names of what is in it, sorted.
  std::vector<std::string> entries() const;

 private:
  std::filesystem::path path_;
};

inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator(file), {}};
}
void write_file(const std::filesystem::path& path, std::string_view text);
std::vector<std::string> lines_of(const std::string& text);
inline bool mentions(std::string_view text, std::string_view part) {
  return text.find(part) != text.npos;
}

/// How often `part` is in `text`.
std::size_t count(std::string_view text, std::string_view part);

/// What `action` throws as an Error: its text, or "(nothing thrown)".
template <class Error, class Action>
std::string message_of(const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "(nothing thrown)";
}

/// Checks that `action` throws an Error whose text has `said`.
template <class Error, class Action>
void check_throws(std::string_view said, const Action& action) {
  const std::string text = message_of<Error>(action);
  CAPTURE(said, text);
  CHECK(mentions(text, said));
}

/// A text that is no right file, and of its refusal the beginning ("a.mtx:2: ") and another part.
struct Broken {
  std::string text, place, said;
};
/// Checks refusal(text) of each: one line; behind what is wrong stands what to do.
template <class Refusal>
void check_refusals(const std::vector<Broken>& all, const Refusal& refusal) {
  for (const auto& [text, place, said] : all) {
    const std::string message = refusal(text);
    CAPTURE(text, message);
    CHECK(message.starts_with(place));
    CHECK(mentions(message, said));
    CHECK(lines_of(message).size() == 1);
    CHECK(message.find_first_of(":?,", place.size()) != std::string::npos);
  }
}

/// A filter: the native variant of a step and the Kokkos one that is tuned, without other ways.
inline constexpr const char* naive_pair = "heat2d/naive/*[aps]";

/// Resets, runs all phases and returns the answer.
inline Answer run_afresh(Instance& instance, Execution& execution) {
  instance.reset();
  Subject{&instance, &execution, Sync::end}.run();
  return instance.answer();
}

/// 1, 2, ...
template <class T>
std::vector<T> ramp(std::size_t count) {
  std::vector<T> values(count);
  std::iota(values.begin(), values.end(), T(1));
  return values;
}

/// An answer of one array made of literal values, on the host; in rows of `row` elements, if given.
template <class T>
Answer answer_of(const std::vector<T>& values, std::size_t row = 0, std::string name = "out") {
  std::vector<std::size_t> shape{values.size()};
  if (row > 0) shape = {values.size() / row, row};
  Answer answer;
  answer.arrays.push_back({std::move(name), element_type_of<T>, shape,
                           Buffer<std::byte>(values.size() * sizeof(T), Place::host)});
  const Stream host(Place::host);
  copy_bytes(answer.arrays[0].bytes.data(), Place::host, values.data(), Place::host,
             values.size() * sizeof(T), host);
  return answer;
}

}  // namespace portcost::test

#define PORTCOST_TEST_CASE_IN_PLACES(function, ...)                            \
  static void function(portcost::Place place);                                 \
  static const portcost::test::InPlaces INTERNAL_CATCH_UNIQUE_NAME(in_places)( \
      CATCH_INTERNAL_LINEINFO, function, __VA_ARGS__);                         \
  static void function(portcost::Place place)

/// TEST_CASE_IN_PLACES(name, tags[, host_tags]) { ... place ... }: `{}` in the name is the place's
/// name; the device's test has the tag [gpu], and needs one.
#define TEST_CASE_IN_PLACES(...) \
  PORTCOST_TEST_CASE_IN_PLACES(INTERNAL_CATCH_UNIQUE_NAME(test_in_places), __VA_ARGS__)
