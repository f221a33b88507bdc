// SPDX-License-Identifier: Apache-2.0
// How far a check has come, where it outlives the process that checks.
#pragma once

namespace portcost {

/// How many answers came to what.
struct Tally {
  int equal = 0, unequal = 0, known = 0, failed = 0, skipped = 0, unfit = 0;
  int all() const { return equal + unequal + known + failed + skipped + unfit; }
  int checked() const { return all() - skipped - unfit; }
  void add(const Tally& other) {
    equal += other.equal;
    unequal += other.unequal;
    known += other.known;
    failed += other.failed;
    skipped += other.skipped;
    unfit += other.unfit;
  }
};

/// What is counted has been printed, too, so that a process that goes on prints nothing again.
struct CheckProgress {
  bool begun = false;
  int algorithms = 0;  // done
  Tally now;           // of the algorithm that is being checked
  Tally done;          // of those before
};

}  // namespace portcost
