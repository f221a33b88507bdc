// SPDX-License-Identifier: Apache-2.0
// The rules of layout as functions over file names and texts, so that a planted violation can show
// that they work. Each returns a line a violation.
#pragma once

#include "tests/support.hpp"

namespace portcost::test {

/// Paths from the repository's root, with their text.
using Sources = std::map<std::string, std::string>;
using Violations = std::vector<std::string>;

/// C++ and CUDA sources, headers and the README files of src, variants, perf and tests.
Sources read_sources(const std::string& root);

/// Kokkos and CUDA headers only where they may be; dependencies point one way: perf and tests to
/// variants to src; no algorithm includes another's files.
Violations include_violations(const Sources& sources);
/// src names no algorithm, comments apart.
Violations naming_violations(const Sources& sources, const std::vector<std::string>& algorithms);
/// Every algorithm's folder has the files it must have and only those it may have.
Violations folder_violations(const Sources& sources, const std::vector<std::string>& algorithms);
/// No variant asks whether it runs on a host: in an algorithm's folder kokkos_shapes is an
/// argument, of a function or a template, and nothing else. Kokkos sources compare no place with
/// another, but for a function that returns the shape of a place, and ask neither kokkos_on_host
/// nor what they are compiled for. What a place changes is a shape (such a function, ShapeIn), or a
/// step that only one place has (host_step, device_step, host_row).
Violations place_violations(const Sources& sources);
/// Every source starts with its licence.
Violations licence_violations(const Sources& sources);

}  // namespace portcost::test
