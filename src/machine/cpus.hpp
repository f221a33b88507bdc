// SPDX-License-Identifier: Apache-2.0
// Which processors this process may use, and how many threads it puts on them.
#pragma once

#include <string>
#include <vector>

namespace portcost {

struct Cpus {
  std::vector<int> allowed;  // numbers of the logical processors, as affinity has them
  double quota = 0;          // processors' worth of time that a control group grants; 0: no limit
  int cores = 0;             // cores behind the allowed processors: hardware threads count once
  int threads = 1;           // OpenMP threads of a parallel region
  std::string binding;       // how OpenMP binds them: "false", "close", "spread", ...

  /// How many threads can run at a time, at least 1.
  int usable() const;
};

Cpus find_cpus();

/// "0-3,8" for 0, 1, 2, 3, 8.
std::string ranges_text(const std::vector<int>& numbers);
std::vector<int> numbers_of(const std::string& ranges);

/// One line when there are more threads than processors for them, else empty.
std::string oversubscription(const Cpus& cpus);

}  // namespace portcost
