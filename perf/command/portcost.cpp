// SPDX-License-Identifier: Apache-2.0
// The command: its options, and what goes wrong as one line and an exit status.
#include <CLI/CLI.hpp>

#include "perf/command/commands.hpp"
#include "perf/command/resume.hpp"
#include "perf/command/watch.hpp"
#include "variants/shared/kokkos_runtime.hpp"

namespace {

using namespace portcost;

constexpr const char* filter_help =
    "Globs over algorithm/step/model, for example 'heat2d/*/kokkos'; an algorithm's name alone "
    "means all of it";
constexpr const char* parameters_help =
    "key=value,... ; may be repeated: each value of a key goes with each value of the other keys";

// Throws a UsageError that names the nearest word when `text` is not a key of `known`.
template <class T>
T choose(const std::string& what, const std::string& text, const std::map<std::string, T>& known) {
  const auto found = known.find(text);
  if (found != known.end()) return found->second;
  std::vector<std::string> names;
  for (const auto& entry : known) names.push_back(entry.first);
  reject("{} '{}' is unknown: {}", what, text, did_you_mean(text, names));
}

// A whole number of at most so many digits, from 0 or 1 on.
std::uint64_t whole_number(const char* option, const std::string& text, std::size_t digits,
                           std::uint64_t least) {
  const bool all_digits = text.find_first_not_of("0123456789") == std::string::npos;
  if (text.empty() || text.size() > digits || !all_digits || std::stoull(text) < least) {
    reject("{} {} is no whole number from {} to {}", option, text, least, std::string(digits, '9'));
  }
  return std::stoull(text);
}

// `wanted`: how many, as typed; empty: not said.
void add_ranks(CLI::App* sub, std::string& wanted, Together& together) {
  sub->add_option("--ranks", wanted,
                  "How many processes a launcher has started together (mpirun -n N portcost ... "
                  "--ranks N): others are refused. Work over processes alone is then done");
  sub->add_flag("--share-gpus", together.share_gpus,
                "Processes may take turns on a GPU where there are more of them: for tests, times "
                "mean nothing");
}

// For a command that several processes may do; by itself none is looked at.
void add_patience(CLI::App* sub, Together& together) {
  sub->add_option("--patience", together.patience_s,
                  "Of several processes together: seconds without a sign of life (an exchange) "
                  "after which one of them has hung, which ends all")
      ->capture_default_str();
}

void check_patience(double patience_s) {
  if (patience_s >= 0.1 && patience_s <= 86400) return;
  reject("--patience {} is out of range: 0.1 to 86400 seconds", patience_s);
}

// Before several processes do anything: refuses commands that are work of one, and ranks of other
// builds, with other words or in another number than was wanted. Collective.
void join_ranks(const CLI::App& chosen, const Ranks& ranks, const std::string& wanted,
                const std::vector<std::string>& words) {
  const std::string name = chosen.get_name();
  const int count = wanted.empty() ? 0 : static_cast<int>(whole_number("--ranks", wanted, 6, 1));
  check_ranks(ranks, count, joined(words, " "));
  if (name == "bench" || name == "check" || name == "limits" || name == "solve") return;
  reject("portcost {} is work of one process: {}", name, without_launcher);
}

// The words that the record at `path` was begun with, read by rank 0, whose record it is.
// Collective.
std::vector<std::string> arguments_to_resume(const Ranks& ranks, const std::string& path) {
  Json words = Json::array();
  ranks.together([&] {
    if (ranks.is_first()) words = arguments_of_record(path);
  });
  return Json::parse(ranks.from_first(words.dump())).get<std::vector<std::string>>();
}

// An option whose value, `what`, is not empty.
void add_named(CLI::App* sub, const char* name, std::string& value, const char* what,
               const char* help) {
  const auto take = [&value, name, what](const std::string& text) {
    if (text.empty()) reject("{} is empty: name {}", name, what);
    value = text;
  };
  sub->add_option_function<std::string>(name, take, help);
}

// An option that may be repeated, of one value each time.
void several(CLI::App* sub, const char* name, std::vector<std::string>& values, const char* help) {
  sub->add_option(name, values, help)->allow_extra_args(false);
}

class Cli {
 public:
  /// One of several processes, or by itself where there are no `ranks`.
  explicit Cli(const Ranks* ranks = nullptr) {
    ranks_ = bench_.settings.ranks = bench_.ranks = check_.ranks = ranks;
    machine_.ranks = solve_.ranks = ranks;
    app_.name("portcost");
    app_.require_subcommand(1);
    app_.set_version_flag("--version", fmt::format("portcost {} ({})", version(), commit()));
    app_.footer(
        "Exit status: 0 done; 1 answers differ, a variant failed, or a graph or system has no "
        "solution; 2 a mistake in the command; 3 the machine failed.\n"
        "Start with `portcost list`, or with perf/run for everything.");
    add_list();
    add_check();
    add_bench();
    add_derive();
    add_run("run",
            "Run variants and nothing else: no timing, no comparison; for profilers, debuggers",
            run_variants);
    add_run("timeline",
            "Print when each copy and kernel of a run began and ended; perf/portcost draw-timeline "
            "draws it",
            timeline);
    add_solve(app_, solve_);
    CLI::App* const sub = app_.get_subcommand("solve");
    add_ranks(sub, wanted_, solve_);
    add_patience(sub, solve_);
    does(sub, [this] { return by_launcher(solve_, solve); });
    add_limits();
    add_machine();
  }

  int run(int argc, char** argv) {
    for (int i = 0; i < argc; ++i) {
      bench_.command += fmt::format("{}{}", i == 0 ? "" : " ", i == 0 ? "portcost" : argv[i]);
      check_text(argv[i]);
    }
    derive_.command = bench_.command;
    try {
      app_.parse(argc, argv);
    } catch (const CLI::Success& done) {
      return app_.exit(done);  // --help, --version
    } catch (const CLI::ParseError& error) {
      throw UsageError(explain(error, argc, argv));
    }
    arguments_.assign(argv + std::min(argc, 1), argv + argc);
    check_environment();
    if (ranks_ != nullptr) {
      join_ranks(*app_.get_subcommands().front(), *ranks_, wanted_, arguments_);
    }
    return action_();
  }

 private:
  // A record is text, and holds the command: better said now than after measuring.
  static void check_text(const std::string& word) {
    try {
      static_cast<void>(Json(word).dump());
    } catch (const Json::exception&) {
      reject("{} is not UTF-8 text: write it in UTF-8",
             Json(word).dump(-1, ' ', false, Json::error_handler_t::replace));
    }
  }

  // CLI11 says "The following argument was not expected: bnech"; a known name nearby is more use.
  std::string explain(const CLI::ParseError& error, int argc, char** argv) const {
    std::string text = error.what();
    // Scripts, which perf/portcost calls: the table of perf/setup/tool.
    std::vector<std::string> known = {"report",      "compare", "versions",      "explain",
                                      "curves",      "scaling", "draw-timeline", "locality",
                                      "count-lines", "code",    "overview"};
    for (const CLI::App* sub : app_.get_subcommands(nullptr)) known.push_back(sub->get_name());
    if (argc > 1 && argv[1][0] != '-' && std::ranges::find(known, argv[1]) == known.end()) {
      return fmt::format("unknown command '{}': {}", argv[1], did_you_mean(argv[1], known));
    }
    if (argc > 1 && argv[1][0] == '-') {
      return fmt::format("unknown option '{}' before any command; see `portcost --help`", argv[1]);
    }
    std::ranges::replace(text, '\n', ' ');
    return text + "; see `portcost --help`";
  }

  // What is done where `sub` is given, once all of the command line has been read.
  void does(CLI::App* sub, std::function<int()> action) {
    sub->callback([this, action = std::move(action)] { action_ = action; });
  }

  // As words, or as perf/run has them.
  static void add_filters(CLI::App* sub, std::vector<std::string>& filters) {
    sub->add_option("FILTER", filters, filter_help);
    sub->add_option_function<std::vector<std::string>>(
           "--filter",
           [&filters](const std::vector<std::string>& more) {
             filters.insert(filters.end(), more.begin(), more.end());
           },
           "The same; may be repeated")
        ->allow_extra_args(false);
  }

  void add_list() {
    CLI::App* sub = app_.add_subcommand("list", "Show algorithms, their sizes and variants");
    add_filters(sub, list_.filters);
    sub->add_flag("--json", list_.json, "As JSON");
    does(sub, [this] { return list(list_); });
  }

  void add_check() {
    CLI::App* sub =
        app_.add_subcommand("check", "Compare every variant's answer with the serial reference");
    add_filters(sub, check_.filters);
    several(sub, "--size", check_.sizes,
            "key=value,... ; may be repeated. Keys left out keep their default; values such as "
            "1000, 2^20, 4Ki, 1e6");
    several(sub, "--type", check_.types,
            "f32, f64, i32; may be repeated (default: all of the algorithm's)");
    several(sub, "--parameter", check_.parameters, parameters_help);
    sub->add_option("--seed", seed_, "Seed of the inputs, a whole number")->capture_default_str();
    add_ranks(sub, wanted_, check_);
    add_supervision(sub, check_);
    does(sub, [this] {
      check_.seed = seed();
      check_patience(check_.patience_s);
      return supervised() ? supervise(check_) : by_launcher(check_, check);
    });
  }

  void add_bench() {
    CLI::App* sub =
        app_.add_subcommand("bench", "Measure Kokkos against native code, pair by pair");
    CampaignSettings& s = bench_.settings;
    add_filters(sub, bench_.filters);
    several(sub, "--size", s.sizes,
            "key=value,... ; may be repeated (default: the campaign's); values such as 1000, "
            "2^20, 4Ki, 1e6");
    several(sub, "--type", s.types,
            "f32, f64, i32; may be repeated (default: all of the algorithm's; in the "
            "default campaign the first, and all at the main size on a GPU)");
    several(sub, "--parameter", s.parameters, parameters_help);
    several(sub, "--regime", regimes_, "cold (last cache emptied) or hot; may be repeated");
    sub->add_option("--campaign", campaign_,
                    "default or full: which sizes and regimes, where none are named")
        ->capture_default_str();
    sub->add_option(
           "--sync", sync_,
           "end: wait after the run; phase: after every step, as the lecture does; transfers: "
           "each run copies its inputs to the GPU and its answer back (heat2d, jacobi, "
           "floyd_warshall, gauss)")
        ->capture_default_str();
    sub->add_option("--seconds", seconds_,
                    "Time for one pair, half of it for a variant alone; up to three times that "
                    "where an interval needs it")
        ->capture_default_str();
    sub->add_option("--seed", seed_, "Seed of inputs and block order, a whole number")
        ->capture_default_str();
    add_named(sub, "--out", bench_.out, "a file that ends in .jsonl",
              "Record to write, ending in .jsonl; samples go to a .csv beside it");
    add_named(sub, "--resume", resume_, "a file that ends in .jsonl.part",
              "Go on with this record, which a stopped bench has left (FILE.jsonl.part): alone, or "
              "with the same options as then");
    add_named(sub, "--like", bench_.like, "a record of the same campaign",
              "Take noise floor and best against best of the same steps as this record of another "
              "process, so that the two can be combined");
    sub->add_flag("--force", bench_.replace, "Replace the record if it exists");
    sub->add_flag("--allow-debug", bench_.allow_debug,
                  "Measure although this build's checks or missing optimisation make every time "
                  "worthless; the record says so");
    add_ranks(sub, wanted_, bench_);
    add_supervision(sub, bench_);
    does(sub, [this] { return run_bench(); });
  }

  void add_supervision(CLI::App* sub, Together& together) {
    sub->add_option("--patience", together.patience_s,
                    "Seconds without a sign of life (a sample, a run) after which a variant has "
                    "hung: it is ended, reported and left out; of several processes together one "
                    "that hangs ends all")
        ->capture_default_str();
    sub->add_flag("--no-supervisor", no_supervisor_,
                  "Run variants in this process, for a debugger: one that crashes or hangs takes "
                  "the rest with it");
  }

  void add_derive() {
    CLI::App* sub = app_.add_subcommand(
        "derive",
        "Tables, ratios and verdicts from the samples of a record, or of several processes that "
        "measured the same");
    sub->add_option("RECORD", derive_.records,
                    "A record (.jsonl), or complete records of one campaign to be combined")
        ->required();
    sub->add_option("--format", derive_.format,
                    "json (rows), google-benchmark or p3 (for p3-analysis), instead of tables");
    sub->add_flag(
        "--ask", derive_.ask,
        "For programs: refuse a record that says what its samples do not, print its rows, "
        "then answer questions from standard input, a JSON object a line");
    add_named(sub, "--out", derive_.out, "a file that ends in .jsonl",
              "Record of several processes to write, ending in .jsonl");
    sub->add_flag("--force", derive_.replace, "Replace the record if it exists");
    does(sub, [this] { return derive(derive_); });
  }

  void add_run(const char* name, const char* what, int (*f)(const RunOptions&)) {
    CLI::App* sub = app_.add_subcommand(name, what);
    sub->add_option("FILTER", run_.filters, filter_help)->required();
    several(sub, "--size", run_.sizes,
            "key=value,... Keys left out keep their default; may be repeated (default: the "
            "main size); values such as 1000, 2^20, 4Ki, 1e6");
    sub->add_option("--type", run_.type, "f32, f64 or i32 (default: the algorithm's first)");
    several(sub, "--parameter", run_.parameters,
            "key=value,... of the algorithm's parameters; may be repeated: a key with "
            "several values takes each of them");
    sub->add_option("--repeat", repeat_, "How often, inputs restored before each run")
        ->capture_default_str();
    sub->add_option("--seed", seed_, "Seed of the inputs, a whole number")->capture_default_str();
    does(sub, [this, f] {
      run_.seed = seed();
      run_.repeat = static_cast<int>(whole_number("--repeat", repeat_, 6, 1));
      return f(run_);
    });
  }

  void add_limits() {
    CLI::App* sub = app_.add_subcommand("limits", "Measure the machine's ceilings");
    sub->add_option("NAME", machine_.names, "Globs over the limits' names (default: all)");
    sub->add_flag("--json", machine_.json, "As JSON");
    add_ranks(sub, wanted_, machine_);
    add_patience(sub, machine_);
    does(sub, [this] { return by_launcher(machine_, limits); });
  }

  void add_machine() {
    CLI::App* sub = app_.add_subcommand("machine", "Show processor and build");
    sub->add_flag("--json", machine_.json, "As JSON");
    does(sub, [this] { return machine(machine_); });
  }

  std::uint64_t seed() const { return whole_number("--seed", seed_, 19, 0); }

  int run_bench() {
    CampaignSettings& s = bench_.settings;
    s.campaign = choose<Campaign>("campaign", campaign_,
                                  {{"default", Campaign::standard}, {"full", Campaign::full}});
    s.sync =
        choose<Sync>("sync", sync_,
                     {{"end", Sync::end}, {"phase", Sync::phase}, {"transfers", Sync::transfers}});
    if (s.sync == Sync::transfers && kokkos_place() == Place::host) {
      throw UsageError("--sync transfers needs a GPU: a run on a host copies nothing");
    }
    for (const std::string& text : regimes_) {
      const auto regime =
          choose<Regime>("regime", text, {{"cold", Regime::cold}, {"hot", Regime::hot}});
      if (std::ranges::find(s.regimes, regime) != s.regimes.end()) {
        reject("regime '{}' is named twice: once is enough", text);
      }
      s.regimes.push_back(regime);
    }
    if (!(seconds_ > 0) || seconds_ > 86400) {
      reject("--seconds {} is out of range: more than 0, at most 86400", seconds_);
    }
    s.sampler.seconds = seconds_;
    check_patience(bench_.patience_s);
    s.sampler.seed = seed();
    bench_.arguments = measuring_words(arguments_);
    return resume_.empty() ? start_bench() : resume_bench();
  }

  bool supervised() const { return !no_supervisor_ && ranks_ == nullptr; }

  // As a launcher ends all ranks with one that ends, it is enough that one that hangs does.
  template <class Options>
  int by_launcher(const Options& options, int (*f)(const Options&)) const {
    check_patience(options.patience_s);
    if (no_supervisor_ || ranks_ == nullptr) return f(options);
    return watched(*ranks_, options.patience_s, [&](Watch& watch) {
      Options own = options;
      own.watch = &watch;
      return f(own);
    });
  }

  int start_bench() const { return supervised() ? supervise(bench_) : by_launcher(bench_, bench); }

  int resume_bench() {
    const std::string name = record_name(resume_);
    if (!bench_.out.empty() && bench_.out != name) {
      reject("--out {} is not what --resume {} goes on with: leave --out away", bench_.out,
             resume_);
    }
    bench_.out = name;
    bench_.resume = true;
    if (!bench_.arguments.empty()) return start_bench();
    // Alone: with the options of then.
    std::vector<std::string> words{"portcost", "bench"};
    for (const std::string& word : arguments_to_resume(bench_.all_ranks(), resume_))
      words.push_back(word);
    if (words.size() == 2) return start_bench();
    words.insert(words.end(), {"--resume", resume_});
    if (!bench_.like.empty()) words.insert(words.end(), {"--like", bench_.like});
    if (bench_.replace) words.push_back("--force");
    if (no_supervisor_) words.push_back("--no-supervisor");
    words.push_back(fmt::format("--patience={}", bench_.patience_s));
    if (!wanted_.empty()) words.push_back("--ranks=" + wanted_);
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    return Cli(ranks_).run(static_cast<int>(pointers.size()), pointers.data());
  }

  CLI::App app_{"What does it cost to write a GPU algorithm once in Kokkos instead of by hand?"};
  ListOptions list_;
  CheckOptions check_;
  BenchOptions bench_;
  DeriveOptions derive_;
  RunOptions run_;
  SolveOptions solve_;
  MachineOptions machine_;
  const Ranks* ranks_ = nullptr;  // those that a launcher has started; null: this process by itself
  std::string wanted_;
  std::vector<std::string> regimes_;
  std::vector<std::string> arguments_;
  std::string resume_;
  std::string campaign_ = "default", sync_ = "end", seed_ = "1", repeat_ = "3";
  double seconds_ = kokkos_place() == Place::device ? 0.5 : SamplerSettings().seconds;
  bool no_supervisor_ = false;
  std::function<int()> action_;
};

// In one line.
std::string line_of(const UsageError& error) {
  std::string line = error.what();
  std::ranges::replace_if(
      line, [](unsigned char c) { return c < ' '; }, ' ');
  return line;
}

int run(int argc, char** argv, const Ranks* ranks) {
  const int status = Cli(ranks).run(argc, argv);
  flush_output();
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (!is_over_ranks(argc, argv)) return run(argc, argv, nullptr);
    return do_over_ranks(argc, argv, [&](const Ranks& ranks) { return run(argc, argv, &ranks); });
  } catch (const UsageError& error) {
    fmt::print(stderr, "portcost: {}\n", line_of(error));
    return 2;
  } catch (const std::exception& error) {
    fmt::print(stderr, "portcost: failed: {}\n", error.what());
    return 3;
  }
}
