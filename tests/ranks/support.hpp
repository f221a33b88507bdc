// SPDX-License-Identifier: Apache-2.0
// Common to tests that run as several processes.
#pragma once

#include "src/distributed/array.hpp"
#include "tests/matrix_checks.hpp"
#include "tests/points.hpp"

namespace portcost::test {

/// All ranks of the test program.
const distributed::Communicator& all_ranks();

/// Checks a condition on every rank; fails on all, and names the first. Collective.
void check_on_all(bool condition, const std::string& what);
#define CHECK_ON_ALL(...) ::portcost::test::check_on_all((__VA_ARGS__), #__VA_ARGS__)

/// Where parts lie: one processor a rank on the host, several on some ranks, on GPUs, by turns.
struct Setting {
  std::string name;
  std::vector<distributed::Processor> mine;
};
std::vector<Setting> settings();
/// check(processors) in each setting.
template <class Check>
void for_settings(const Check& check) {
  for (const Setting& setting : settings()) {
    INFO(setting.name);
    check(distributed::Processors(all_ranks(), setting.mine));
  }
}
/// The stream of the GPU; null where there is none.
const Stream* device_stream();

/// A number for each point, different from all others and no power of two away from them.
double number_of(const distributed::Index& point);

/// All elements of a part, downloaded: ghost points too, dense.
template <class T>
std::vector<T> ghosted(const distributed::Array<T>& array, const distributed::Part& part) {
  std::vector<T> result(static_cast<std::size_t>(part.layout.ghost_corners.volume()));
  distributed::download(array, part, part.layout.ghost_corners, result.data());
  return result;
}

/// Whether all points that parts own have the values right(point).
template <class T, class Right>
bool all_are(const distributed::Array<T>& array, const Right& right) {
  bool held = true;
  for (const distributed::Part& part : array.parts()) {
    const distributed::Box& box = part.layout.corners;
    std::vector<T> found(static_cast<std::size_t>(box.volume()));
    distributed::download(array, part, box, found.data());
    std::size_t i = 0;
    for_points(box, [&](const auto& point) { held &= found[i++] == static_cast<T>(right(point)); });
  }
  return held;
}

/// A path that all ranks agree on, in a folder that goes away.
class SharedFolder {
 public:
  SharedFolder();
  ~SharedFolder();
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

// ---- Variants over processes.

/// What the serial reference answers, on every rank.
Answer right_answer(const Algorithm& row, const Problem& problem);

/// What a step over processes answers, on rank 0. Rank `late` begins each run after the others.
Answer answer_of(const Algorithm& row, const Problem& problem, const Variant& variant,
                 int late = -1);

/// Checks that every step over processes which takes the problem agrees with the reference, in all
/// types, and that there are `least` such steps. How many have run, a step in two types being two.
int check_all_steps(const Algorithm& row, std::size_t least, const std::string& size,
                    const std::string& parameters = "");

}  // namespace portcost::test
