// SPDX-License-Identifier: Apache-2.0
// The contract between the instrument and the catalogue. An algorithm makes Instances (one problem
// in the memory of one place); a variant makes Executions on them. All variants that run in one
// place work on the same bytes of one Instance.
#pragma once

#include <any>
#include <concepts>

#include "src/contract/agreement.hpp"
#include "src/contract/settings.hpp"

namespace portcost {

class Timeline;  // src/timing/timeline.hpp

enum class Model { reference, openmp, cuda, kokkos, library };

constexpr std::string_view name(Model model) {
  constexpr std::array<std::string_view, 5> names{"reference", "openmp", "cuda", "kokkos",
                                                  "library"};
  return names.at(static_cast<std::size_t>(model));
}

/// How a Kokkos variant is written: tuned for one backend by named tricks; by the book (TeamPolicy,
/// scratch, documented API only); as the official tutorials teach first.
enum class Way { tuned, book, usual };
constexpr std::string_view name(Way way) {
  return way == Way::tuned ? "tuned" : way == Way::book ? "book" : "usual";
}

/// So many bytes or operations, and the measured limit that they cannot pass: "read", "copy",
/// "fma f32", "link to device pinned", ... (limits.hpp), of the place where the work runs.
/// Amounts of one path come one after the other, so that their times add up: a pipeline's first
/// piece must be there before its second stage has anything to do. Without a path, an amount is one
/// of its own.
struct Amount {
  double amount;
  std::string limit;
  int path = -1;
};
/// What one run must at least do. It takes at least as long as its slowest path alone.
using Cost = std::vector<Amount>;

/// Everything that fixes a problem: equal Problems have equal inputs, to the bit, in every place.
struct Problem {
  Size size;
  Parameters parameters;
  ElementType type = ElementType::f32;
  std::uint64_t seed = 1;
  /// How many processes share it, by MPI. 0: it is one process's by itself. Inputs and answer are
  /// the same for any number.
  int ranks = 0;
};

/// The data of one problem in one place. Not thread-safe; all work goes to one stream. Variants get
/// at it through an InstanceOf (rung.hpp).
class Instance : Uncopied {
 public:
  explicit Instance(Stream& stream) : stream_(&stream) {}
  virtual ~Instance() = default;

  /// Enqueues the restoring of inputs (work in place: by a copy that was kept) and the poisoning of
  /// outputs. Not timed.
  virtual void reset() = 0;
  /// Waits for the work and returns a dense copy of the outputs.
  virtual Answer answer() = 0;
  /// True when run() may follow run() without a reset between them, at the same cost.
  virtual bool repeatable() const = 0;
  /// Whether Sync::transfers works: send() enqueues copies of the inputs from page-locked memory of
  /// the host, fetch() copies of the answer to such memory.
  virtual bool crosses() const { return false; }
  virtual void send() {}
  virtual void fetch() {}

  Stream& stream() const { return *stream_; }

 private:
  Stream* stream_;
};

/// One variant made ready on an Instance. A run is the phases 0 .. phases()-1 in order, each of
/// which only enqueues. Between two phases the harness may synchronise (global synchronisation by
/// the host); nobody else does, but ends().
class Execution {
 public:
  virtual ~Execution() = default;
  virtual int phases() const { return 1; }
  virtual void run(int phase) = 0;
  /// Asked after each phase: true ends the run before its last phase, because it has converged. To
  /// know, it may wait for the work.
  virtual bool ends(int) { return false; }
  /// False where ends() waits, so that a run's launches cannot be queued ahead of the device.
  virtual bool queued_ahead() const { return true; }
  /// From now on runs write into `timeline`, which outlives this, when each of their copies and
  /// kernels began and ended. False where a variant has nothing to write.
  virtual bool write_to(Timeline&) { return false; }
};

/// Why a variant does not take a problem, in a few words; empty where it does: a function that
/// gives a std::string_view or, with numbers of the problem, a std::string.
class Unfit {
 public:
  Unfit() = default;
  template <std::invocable<const Problem&> F>
  Unfit(F why_not) : why_not_([=](const Problem& p) { return std::string(why_not(p)); }) {}
  std::string operator()(const Problem& p) const { return why_not_ ? why_not_(p) : std::string(); }

 private:
  std::function<std::string(const Problem&)> why_not_;
};

/// One row of an algorithm's table.
struct Variant {
  std::string_view step;
  Model model = Model::reference;
  Place place = Place::host;
  /// Does all allocation that the variant needs beyond the Instance.
  std::function<std::unique_ptr<Execution>(const Problem&, Instance&)> make;
  Way way = Way::tuned;  // of a Kokkos variant
  /// Documented settings that are not as by default, "tile=64x4", or a trick, "trick=team_size".
  std::string_view dials = {};
  bool portable = false;  // written in Kokkos; of peers, too
  /// Counted by perf/portcost count-lines; absent where nobody has counted these sources.
  std::optional<int> lines_of_code = {};
  /// The functions that `make` runs (Launch<Work>, rung.hpp), for tests with data of their own.
  std::vector<std::any> launches = {};
  /// Of one that cannot take every problem. Who has one measured, checked or run says so instead.
  Unfit unfit = {};
  bool over_ranks = false;  // work of any number of processes that a launcher has started together
};

/// A variant that this build does not have, and why, in a few words.
struct Absence {
  std::string_view step;
  Model model;
  std::string_view reason;
};

/// Work that the team kernels of a step cannot share with its native side, and why; perf/portcost
/// explain says it of a pair whose counters differ.
struct UnequalWork {
  std::string_view step;
  std::string_view what;    // bytes, loads, barriers, atomic operations or launches
  std::string_view reason;  // after "because"
};

/// What theory says a hardware counter of a run is, by its key in perf/portcost explain
/// ("read_bytes").
struct Prediction {
  std::string_view counter;
  double value;
};

/// A known defect of a library: where the answer of a peer is wrong, and why. Such an answer gets
/// no time, is shown wherever the peer is, and fails nothing. Any other wrong answer still does.
struct KnownDefect {
  std::string_view step;  // of the peer, whose model is `library`
  Place place;
  bool (*concerns)(const Problem&);  // the sizes, types and parameters at which it shows
  std::string_view library;          // as the build's description names it: "kokkos_kernels"
  std::string_view first_version, last_version;  // those known to have it; both ends included
  std::string_view what;                         // what is wrong, in one sentence
  std::string_view reason;                       // why, with file and line of such a version
  std::string_view reproducer;                   // its folder, from the root
};

/// What an answer was compared with, in a few words, and what is wrong with it, in one line; empty
/// when nothing is.
struct Judgement {
  std::string truth;
  std::string fault;
};

enum class Campaign { standard, full };

/// A size without its keys: the numbers in the order of the algorithm's size_keys.
using Numbers = std::vector<std::int64_t>;

/// Sizes, each once; also from text without keys: "64,64,4 127,93,3". For a number stands a list
/// ("1|2|8"), a range ("0..5"; "2^10..2^28" of powers), or "=", the number before. Of several lists
/// every combination is taken; the first key varies slowest.
struct Sizes : std::vector<Numbers> {
  using vector::vector;
  Sizes(const char* text);
};

/// The sizes that campaigns measure: the main one first; then the sweep. Hosts without sizes take a
/// device's, a full campaign without any those of the standard one.
struct MeasuredSizes {
  Sizes device, device_full = {}, host = {}, host_full = {};

  const Sizes& operator()(Campaign campaign, Place place) const;
};

/// Steps by the place where they run.
struct Headline {
  std::vector<std::string_view> device = {}, host = {};

  const auto& operator()(Place place) const { return place == Place::device ? device : host; }
};

/// Sizes among which the default campaign takes its main one on a host, ascending; and how long a
/// block of its slowest pair takes, in the least times that the measured limits allow.
struct HostSizes {
  Sizes sizes = {};
  double block = 0;
};

/// How tests draw one number of a size: every other one from `corners` (sizes of tiles and packs,
/// one less, one more, primes), the rest from `least` to `most`. Without corners, all from the
/// range; with an empty range (most < least), all from the corners.
struct Draw {
  std::int64_t least = 0, most = -1;
  std::vector<std::int64_t> corners = {};
};

struct GraphSolver;  // solvers.hpp
struct EquationSolver;
struct FieldSolver;

inline constexpr std::array real_types{ElementType::f32, ElementType::f64};

/// One algorithm: a row of the catalogue.
struct Algorithm {
  std::string_view name;
  std::string_view summary;
  std::span<const SizeKey> size_keys;
  std::span<const ParameterKey> parameter_keys = {};
  std::span<const ElementType> types = real_types;
  std::vector<Absence> absent = {};                 // what one would look for among the variants
  std::span<const KnownDefect> known_defects = {};  // of its peers
  std::vector<UnequalWork> unequal_work = {};

  /// Throws UsageError when sizes and parameters do not go together (stability bounds, say).
  void (*validate)(const Problem&) = [](const Problem&) {};
  /// Bytes an Instance and the answers kept beside it take, for the check against free memory. Of
  /// several ranks: those of the one that takes most.
  double (*footprint)(const Problem&);
  /// Of several ranks: what the one that has most to do must do, beside the others.
  Cost (*cost)(const Problem&);
  /// The same of a run on a device, where that has more to do than one on a host; null: it has not.
  Cost (*device_cost)(const Problem&) = nullptr;
  MeasuredSizes measured;
  /// Without any, a host's main size is the first of `measured`, too.
  HostSizes host_sizes = {};
  /// Sizes small enough for the serial reference, used by `check`.
  Sizes checked;
  /// How the tests draw sizes, a Draw for each key.
  std::vector<Draw> drawn;
  std::unique_ptr<Instance> (*make)(const Problem&, Stream&);
  /// The same for variants over ranks: this process's share of the data of `Problem::ranks`
  /// processes, those of Stream::ranks(). Its constructor, reset(), answer(), and runs are
  /// collective. answer() has the whole answer on rank 0, and no arrays on others; compare() and
  /// judge() are called on rank 0 alone. Null where no variant is over ranks.
  std::unique_ptr<Instance> (*make_over_ranks)(const Problem&, Stream&) = nullptr;
  /// Bit for bit, unless an algorithm has a rule of its own.
  Disagreement (*compare)(const Problem&, const Answer&, const Answer&, const Stream&) =
      [](const Problem&, const Answer& left, const Answer& right, const Stream& stream) {
        return compare_exact(left, right, stream);
      };
  std::string_view agreement = "bit for bit";  // the rule in words
  /// Holds an answer to `step`, of any size, against what no variant computes and no shape that
  /// variants share goes into: elements recomputed from the inputs (all or drawn ones), a residual,
  /// an invariant, a bound. The instance is one of the problem, with its inputs.
  Judgement (*judge)(const Problem&, std::string_view step, const Answer&, const Instance&);
  /// False where steps are no rungs of a ladder but different work with answers of their own: each
  /// then has its own reference, and the best step of one model is not compared with the other's.
  bool one_answer = true;
  /// Steps of a ladder whose answer is nevertheless not that of the rest, such as a copy beside
  /// transposes: each has its own reference, and is in no best against best.
  std::vector<std::string_view> other_answers = {};
  /// False where only a filter or the full campaign measures it: the default is to take minutes.
  bool in_default_campaign = true;
  /// The steps that the default campaign has in a place, where all would take too long; empty: all.
  Headline headline = {};
  /// How it is run on a graph of the user's; null where that has no meaning.
  const GraphSolver* graph_solver = nullptr;
  /// The same on a system of equations of the user's.
  const EquationSolver* equation_solver = nullptr;
  /// How what it leaves on a grid is written to a file.
  const FieldSolver* field_solver = nullptr;

  // From the tables of the models' files, by assembled() (rung.hpp).
  std::vector<std::string_view> steps = {};  // the ladder, in order
  std::vector<Variant> variants = {};
  /// Those that are work of several processes (Variant::over_ranks), by themselves: without a
  /// launcher nobody can run them.
  std::vector<Variant> over_ranks = {};

  /// What theory says of a variant's counters at this problem, for an algorithm whose subject they
  /// are; `run` prints it, and perf/portcost explain shows it beside what is counted.
  std::vector<Prediction> (*predicted)(const Problem&, const Variant&) =
      [](const Problem&, const Variant&) { return std::vector<Prediction>(); };

  Cost cost_in(Place place, const Problem& problem) const;
  /// By make() or make_over_ranks(), as the problem says.
  std::unique_ptr<Instance> instance(const Problem& problem, Stream& stream) const;
  /// Whether a step's answer is that of the ladder.
  bool shares_answer(std::string_view step) const;
  std::vector<Size> sizes(Campaign campaign, Place place) const;
  std::vector<Size> sizes_of_host() const;
  std::vector<Size> check_sizes() const;
  /// The same for the same seed, on every machine.
  Size random_size(std::uint64_t seed) const;
};

/// The reference that answers `step`: the one of that step, or else the first.
const Variant& reference_of(const Algorithm& algorithm, std::string_view step);

/// "heat2d/naive/cuda"; a way of writing and its dials are a suffix of the model:
/// "sum/reduce/kokkos.usual:index=int64".
std::string variant_name(const Algorithm& algorithm, const Variant& variant);
/// ".usual:index=int64"; empty for a variant that is tuned, or not in Kokkos, without dials.
std::string way_suffix(const Variant& variant);
std::string variant_name(const Algorithm& algorithm, const Absence& absence);

/// True when `version` is a version ("4.6.1", or "4.6.01" for the same) from `first` to `last`.
bool version_within(std::string_view version, std::string_view first, std::string_view last);

/// The first defect listed for `variant` at `problem` whose library has a listed version in this
/// build; null when there is none.
const KnownDefect* known_defect(const Algorithm& algorithm, const Variant& variant,
                                const Problem& problem);

/// What a record says of a defect.
struct DefectText {
  std::string what, reason, reproducer;
};
DefectText texts_of(const KnownDefect& defect);
/// What is wrong, why, and where the reproducer is, in one line.
std::string text_of(const DefectText& defect);
/// What is said where a listed defect does not show.
std::string not_seen(const DefectText& defect);

}  // namespace portcost
