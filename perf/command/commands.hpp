// SPDX-License-Identifier: Apache-2.0
// What each subcommand of portcost does. Each returns the exit status: 0 done, 1 unequal answers;
// mistakes of the user and failures of the machine are thrown.
#pragma once

#include <exception>

#include "perf/command/campaign.hpp"

namespace CLI {
class App;
}

namespace portcost {

/// Of a command that one process does by itself, or several that a launcher has started together.
struct Together {
  const Ranks* ranks = nullptr;  // null: this process by itself
  bool share_gpus = false;       // ranks may take turns on a GPU: times then mean nothing
  double patience_s = 300;       // a process without a sign of life for so long is hung
  Watch* watch = nullptr;        // receives what is measured, checked or run; null: none

  const Ranks& all_ranks() const { return ranks != nullptr ? *ranks : alone(); }
};

struct ListOptions {
  std::vector<std::string> filters;
  bool json = false;
};
int list(const ListOptions& options);
/// What `list` shows of one algorithm: names, sizes, parameters, variants, and what is absent.
std::string list_text(const Choice& choice);
Json list_json(const Choice& choice);

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

struct CheckOptions : Together {
  std::vector<std::string> filters, sizes, types, parameters;
  std::uint64_t seed = 1;
  CheckProgress* progress = nullptr;  // goes on from there; null: from the beginning
  std::vector<Json> failures = {};    // variants that are left out (failure_of())
};
int check(const CheckOptions& options);

struct BenchOptions : Together {
  std::vector<std::string> filters;
  CampaignSettings settings;
  std::string out;                     // empty: no record
  bool resume = false;                 // go on with what `out` holds
  bool replace = false;                // an existing record may go
  std::string like;                    // a record whose fastest steps are taken; empty: none
  std::string command;                 // as typed, for the header
  std::vector<std::string> arguments;  // those that say what is measured and how
  bool again = false;                  // goes on after a crash: what was said is not said again
  bool temporary = false;              // `out` is removed when all is measured
  bool allow_debug = false;            // measures where falsifying() (machine.hpp) says why not
};
int bench(const BenchOptions& options);
/// Throws UsageError where `why` says what falsifies times (falsifying()), unless this is allowed.
void refuse_false_times(const std::string& why, bool allowed);
/// What is said of a campaign that stops with so many finished results: where they are and how to
/// go on; empty when there are none.
std::string kept_rows(const BenchOptions& options, std::size_t results);

struct DeriveOptions {
  std::vector<std::string> records;
  std::string format;  // "" for tables; json, google-benchmark, p3
  bool ask = false;    // check one record, print its rows, answer questions (derive.hpp)
  std::string out;     // the record of several processes together; empty: none
  bool replace = false;
  std::string command;  // as typed, for the header
};
/// Derives from the facts of one record, or of several processes' together, and prints it.
int derive(const DeriveOptions& options);

/// Hands what was printed to the system. Throws when the output cannot take it: a table
/// that nobody got must not end with 0.
void flush_output();

struct RunOptions {
  std::vector<std::string> filters;
  std::vector<std::string> parameters;  // a key may have several values (parse_parameter_sets)
  std::vector<std::string> sizes;       // else the algorithm's main size
  std::optional<std::string> type;      // else its first type
  int repeat = 3;
  std::uint64_t seed = 1;
};
/// Runs each chosen variant on one instance a problem, reset before each run, and nothing else. A
/// reference is run only when a filter is its whole name. On the device only the runs are shown to
/// a profiler that is off from the start.
int run_variants(const RunOptions& options);
/// Prints, in JSON lines, when each copy and kernel of the last of these runs began and ended, for
/// variants that tell. Returns 1 where an answer is wrong.
int timeline(const RunOptions& options);

struct SolveOptions : Together {  // ranks of grids alone
  std::string algorithm;
  std::string graph;             // of one that takes graphs
  bool paths = false;            // next hops, too
  std::string matrix, rhs;       // of one that takes equations; without rhs all unknowns are 1
  std::string size, parameters;  // of one that calculates a field; what is left out has a default
  std::string out;               // ends in .npy, of a field also in .raw; empty: nothing is written
  bool replace = false;          // existing files may go
  std::string type;              // empty: the algorithm's
  std::string model;             // empty: native, on the device where there is one
};
/// Runs an algorithm on a graph or equations that it reads, or on a grid, describes and writes what
/// it has calculated. Returns 1 where there is no such thing: of a negative cycle, say, or a pivot
/// of 0.
int solve(const SolveOptions& options);
/// Adds the command to `app`. Where it is given, `options`, which must outlive `app`, holds what it
/// is given with.
void add_solve(CLI::App& app, SolveOptions& options);

/// Throws UsageError, naming the variable, its value and the remedy, where OpenMP or Kokkos would
/// crash or pass over an environment variable: for what is no number or no known word, for more
/// threads than Kokkos can hold, and for stacks that no thread starts with. `value_of` returns a
/// variable's text, or null; `threads` is how many OpenMP would start.
void check_environment(const std::function<const char*(const char*)>& value_of, int threads);
/// The same for this process.
void check_environment();

struct MachineOptions : Together {  // ranks of limits alone
  std::vector<std::string> names;   // limits only
  bool json = false;
};
int limits(const MachineOptions& options);
int machine(const MachineOptions& options);

/// bench() in a process of its own, so that what a variant does to it ends no campaign. Where a
/// variant fails, the record gets a "failure" row and another child goes on without the variant.
int supervise(BenchOptions options);

/// check() likewise. Where a variant fails, a line says so, and another child goes on behind it.
int supervise(CheckOptions options);

// ---- The command as one of several processes that a launcher has started together.

/// Whether these words, or the environment, say that a launcher started this process to work with
/// others: `--ranks N`, mpirun's variables, or those of another launcher of more than one.
bool is_over_ranks(int argc, char** argv);

/// Runs `f` on all of them, by run_ranks(): one message and one status. Throws UsageError where
/// this build has no MPI. Ranks other than 0 write nothing to the standard output.
int do_over_ranks(int argc, char** argv, const std::function<int(const Ranks&)>& f);

/// Throws `error` again with more words: one that all ranks have thrown together stays such a one.
[[noreturn]] void throw_with(const std::exception& error, const std::string& more);

/// Refuses (on all ranks) other numbers of ranks than were `wanted` (0: any), builds, words and
/// variables that OpenMP reads. Collective.
void check_ranks(const Ranks& ranks, int wanted, const std::string& words);

/// Gives each rank a GPU, where this build measures GPUs, and returns its number. Throws UsageError
/// with the numbers where there are fewer, unless they may be `shared`. Collective.
std::optional<int> device_of(const Ranks& ranks, bool shared);

/// One line where the ranks of this computer have more threads than processors, or more than one of
/// them on a GPU; else empty. Collective.
std::string crowding(Place place, const Ranks& ranks, bool share_gpus);

/// What a record's header says of the ranks: how many, MPI, and of each its computer, processors,
/// threads and GPU; with GPUs also what halos=automatic is among them. Collective.
Json describe_ranks(const Ranks& ranks, std::optional<int> device);

/// The limits of a place by their names, and those of an exchange where there are several ranks.
std::vector<std::string> limit_names(Place place, const Ranks& ranks);
/// Measures one of them; of several ranks by all at the same time, of which the slowest counts.
/// Collective.
Limit limit_of(std::string_view name, const Stream& stream);

/// What rank 0's `record` (null: none is written) held when it was opened, on all. Collective.
RecordPart held_by_first(const Ranks& ranks, const RecordWriter* record);

}  // namespace portcost
