// SPDX-License-Identifier: Apache-2.0
// The catalogue of the command portcost_made_up, of which the default campaign has `fragile` alone:
// its variants do what none should, as parameters say. `made_up` has peers that are wrong by a
// listed defect, listed but right, and wrong by a defect that is listed for another version; a peer
// of `with_picky_peer` takes small problems only. `three_loops` solves graphs and `elimination`
// equations of files, `no_graph` neither; another algorithm is left out.
#include <signal.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <limits>
#include <stdexcept>
#include <thread>

#include "src/contract/solvers.hpp"
#include "src/files/graph.hpp"
#include "variants/catalogue.hpp"
#include "variants/shared/data.hpp"

namespace portcost {

namespace {

constexpr std::array size_keys{SizeKey{"n", 1000, 8, 1 << 20, "numbers, vertices or unknowns"}};
constexpr std::array types{ElementType::i32};

struct Work {
  int* out;
  std::int64_t n;
};

class Doubled final : public DataOf<Work> {
 public:
  Doubled(const Problem& problem, Stream& stream)
      : DataOf(stream), out_(*this, "out", {count(problem, "n")}) {}
  Work work(int) const override { return {out_.data(), static_cast<std::int64_t>(out_.size())}; }

 private:
  Output<int> out_;
};

void twice(const Work& work, const Stream&) {
  for (std::int64_t i = 0; i < work.n; ++i) work.out[i] = static_cast<int>(2 * i);
}

Judgement judge(const Problem&, std::string_view, const Answer& answer, const Instance&) {
  const Array& out = answer.at("out");
  const int* const numbers = reinterpret_cast<const int*>(out.bytes.data());
  for (int i = 0; i < static_cast<int>(out.count()); ++i) {
    if (numbers[i] == 2 * i) continue;
    return {"all numbers", "element [" + std::to_string(i) + "] is " + std::to_string(numbers[i]) +
                               " and not " + std::to_string(2 * i)};
  }
  return {"all numbers", ""};
}

Algorithm doubling(std::string_view name) {
  return {
      .name = name,
      .summary = "twice the first n numbers",
      .size_keys = size_keys,
      .types = types,
      .footprint = [](const Problem&) { return 1e6; },
      .cost =
          [](const Problem&) {
            return Cost({{4e3, "copy"}});
          },
      .measured = {{{1000}}},
      .checked = {{1000}},
      .drawn = {{1000, 1000}},
      .make = make_instance<Doubled>,
      .agreement = "equal",
      .judge = judge,
  };
}

// ---- Variants that crash, hang or throw.

constexpr std::array<std::string_view, 12> faults{"none",       "abort",   "segfault", "hang",
                                                  "error",      "wrong",   "no_make",  "end",
                                                  "no_release", "no_data", "slow",     "mixed"};

constexpr std::array fault_keys{
    ParameterKey::choice("fault", faults, "what the second step does"),
    ParameterKey::whole("on", 1, "in which variants: the sum of 1 kokkos, 2 openmp, 4 reference"),
    // By default behind all runs that are no samples and do not precede them.
    ParameterKey::whole("from", 12, "from which run on: segfault, error and hang"),
    ParameterKey::path("input", "a file, which is not read")};

// Also where a sanitizer would end the program in its own way.
void crash(int number) {
  signal(number, SIG_DFL);
  raise(number);
}

// Not for ever: where nobody ends it, a test fails and leaves nothing behind.
void hang() {
  std::this_thread::sleep_for(std::chrono::seconds(100));
  _exit(9);
}

class Doubling final : public Execution {
 public:
  Doubling(const Work& work, std::string fault, std::int64_t from)
      : work_(work), fault_(std::move(fault)), from_(from) {
    if (fault_ == "no_make") crash(SIGBUS);
  }
  ~Doubling() override {
    if (fault_ == "no_release") crash(SIGFPE);
  }
  void run(int) override {
    twice(work_, Stream(Place::host));
    ++runs_;
    if (fault_ == "abort") crash(SIGABRT);
    if (fault_ == "end") _exit(0);
    if (fault_ == "wrong") work_.out[7] = -1;
    if (fault_ == "slow") std::this_thread::sleep_for(std::chrono::milliseconds(80));
    if (runs_ < from_) return;
    if (fault_ == "segfault") crash(SIGSEGV);
    if (fault_ == "error") throw std::runtime_error("an illegal address");
    if (fault_ == "hang") hang();
  }

 private:
  Work work_;
  std::string fault_;
  std::int64_t from_, runs_ = 0;
};

enum Side { none = 0, kokkos = 1, openmp = 2, reference = 4 };  // none: of a step without a fault

template <Side side>
std::unique_ptr<Execution> make(const Problem& problem, Instance& instance) {
  const bool here = (problem.parameters.whole("on") & side) != 0;
  std::string fault = here ? problem.parameters.text_of("fault") : "none";
  if (fault == "mixed") fault = side == kokkos ? "abort" : "wrong";
  return std::make_unique<Doubling>(dynamic_cast<Doubled&>(instance).work(0), fault,
                                    problem.parameters.whole("from"));
}

Algorithm fragile() {
  Algorithm row = doubling("fragile");
  row.parameter_keys = fault_keys;
  row.make = [](const Problem& problem, Stream& stream) -> std::unique_ptr<Instance> {
    if (problem.parameters.text_of("fault") == "no_data") crash(SIGILL);
    return std::make_unique<Doubled>(problem, stream);
  };
  row.steps = {"first", "second", "third"};
  row.variants = {{"first", Model::reference, Place::host, make<reference>},
                  {"first", Model::openmp, Place::host, make<none>},
                  {"first", Model::kokkos, Place::host, make<none>},
                  {"second", Model::openmp, Place::host, make<openmp>},
                  {"second", Model::kokkos, Place::host, make<kokkos>},
                  {"third", Model::openmp, Place::host, make<none>},
                  {"third", Model::kokkos, Place::host, make<none>}};
  row.variants[1].lines_of_code = 12;  // first/openmp; nobody has counted the others
  row.variants[3].lines_of_code = 34;
  return row;
}

// ---- Peers with defects.

constexpr std::int64_t first_listed = 1000, first_elsewhere = 2000, first_unfit = 100;

template <std::int64_t first_wrong>
void wrong_from(const Work& work, const Stream& stream) {
  twice(work, stream);
  if (work.n >= first_wrong) work.out[work.n - 1] = -1;
}

constexpr Works<Work> works;

bool is_listed(const Problem& problem) { return problem.size.at("n") >= first_listed; }

constexpr KnownDefect defect_of(std::string_view step, std::string_view last_version) {
  return {step,
          Place::host,
          is_listed,
          "kokkos",
          "0",
          last_version,
          "the last number is wrong",
          "it is made up",
          "tests/made_up"};
}
constexpr std::array known_defects{defect_of("listed", "999"), defect_of("mended", "999"),
                                   defect_of("elsewhere", "0.1")};

Algorithm with_peers(std::string_view name, Rungs peers) {
  Algorithm row = doubling(name);
  row.in_default_campaign = false;
  row.unequal_work = {{"plain", "barriers", "it is made up"}};
  const Table reference{Model::reference, Place::host, false, {rung(works, "plain", twice)}};
  Table openmp = reference;
  openmp.model = Model::openmp;
  return assembled(
      std::move(row),
      std::vector{reference, openmp, {Model::library, Place::host, false, std::move(peers)}});
}

Algorithm made_up() {
  Algorithm row = with_peers(
      "made_up", {rung(works, "listed", wrong_from<first_listed>), rung(works, "mended", twice),
                  rung(works, "elsewhere", wrong_from<first_elsewhere>)});
  row.known_defects = known_defects;
  return row;
}

Algorithm with_picky_peer() {
  const auto why_not = [](const Problem& problem) -> std::string_view {
    return problem.size.at("n") < first_unfit ? "" : "it counts up to 99";
  };
  return with_peers("with_picky_peer", {rung(works, "picky", twice).unless(why_not)});
}

// ---- Of files. Next hops go round cycles of length 0; from `lies` vertices on a diagonal is
// wrong, and from `large` on more memory is asked for than any machine has. With `doubled` unknowns
// the last one is twice as large, `overflowing` ones leave infinity, `forgotten` ones no
// multipliers; only the step "faster" takes `refused` ones, and no others.

constexpr std::int64_t lies = 40, large = 50, doubled = 30, overflowing = 31, refused = 33,
                       forgotten = 34;

constexpr std::array paths_choices{std::string_view("off"), std::string_view("on")};
constexpr std::array paths_keys{ParameterKey::choice("paths", paths_choices, "next hops")};
constexpr std::array all_types{ElementType::f32, ElementType::i32, ElementType::f64};

// A matrix that is worked on in place, and whole numbers: next hops, or the column of a bad pivot.
template <class T>
struct Given {
  T* a;
  std::int32_t* out;
  std::int64_t n;
};

template <class T, bool graph>
class Data final : public DataOf<Given<T>> {
 public:
  Data(const Problem& problem, const T* given, Stream& stream)
      : DataOf<Given<T>>(stream),
        n_(count(problem, "n")),
        a_(*this, graph ? "distance" : "lu",
           filled(n_ * (n_ + (graph ? 0 : 1)), stream, [&](std::uint64_t i) { return given[i]; })),
        out_(*this, graph ? "next" : "bad_pivot",
             graph ? std::vector{n_, n_} : std::vector<std::size_t>{1}) {}
  Given<T> work(int) const override {
    return {a_.data(), out_.data(), static_cast<std::int64_t>(n_)};
  }

 private:
  std::size_t n_;
  Restored<T> a_;
  Output<std::int32_t> out_;
};

template <class T>
void send_round(const Given<T>& w) {
  for (std::int64_t u = 0; u < w.n; ++u) {
    for (std::int64_t v = 0; v < w.n; ++v) {
      if (u == v || w.a[u * w.n + v] == no_path<T>) continue;
      const T there = w.a[u * w.n + v], back = w.a[v * w.n + u];
      if (back == no_path<T> || there + back != 0) continue;
      for (std::int64_t j = 0; j < w.n; ++j) {
        if (j != u && j != v && w.a[u * w.n + j] != no_path<T>) {
          w.out[u * w.n + j] = w.out[u * w.n + v];
        }
      }
    }
  }
}

template <class T>
void three_loops(const Given<T>& w, const Stream&) {
  const std::int64_t n = w.n;
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      w.out[i * n + j] = w.a[i * n + j] == no_path<T> ? -1 : static_cast<std::int32_t>(j);
    }
  }
  for (std::int64_t k = 0; k < n; ++k) {
    for (std::int64_t i = 0; i < n; ++i) {
      const T first = w.a[i * n + k];
      for (std::int64_t j = 0; j < n; ++j) {
        const T second = w.a[k * n + j];
        if (first == no_path<T> || second == no_path<T>) continue;
        if (!(first + second < w.a[i * n + j])) continue;
        w.a[i * n + j] = first + second;
        w.out[i * n + j] = w.out[i * n + k];
      }
    }
  }
  send_round(w);
  if (n >= lies) w.a[n * n - 1] = T(-1);
}

constexpr Works<Given<float>, Given<double>, Given<std::int32_t>> graphs;

Problem problem_of(std::int64_t n, ElementType type, bool paths) {
  return {Size({{"n", n}}), Parameters({{"paths", Parameter(std::string(paths ? "on" : "off"))}}),
          type, 1};
}

// Of the T among `Ts` that is the problem's type, with what a file gives.
template <bool graph, class... Ts>
std::unique_ptr<Instance> made(const Problem& problem, std::span<const std::byte> given,
                               Stream& stream) {
  std::unique_ptr<Instance> result;
  const auto attempt = [&]<class T>(std::type_identity<T>) {
    if (problem.type != element_type_of<T>) return;
    result =
        std::make_unique<Data<T, graph>>(problem, reinterpret_cast<const T*>(given.data()), stream);
  };
  (attempt(std::type_identity<Ts>()), ...);
  return result;
}

std::vector<std::string_view> steps(const Problem&, Model) { return {"faster", "plain"}; }

constexpr GraphSolver solver{.most_vertices = 60,
                             .standard_type = ElementType::f32,
                             .problem = problem_of,
                             .make = made<true, float, double, std::int32_t>,
                             .steps = steps,
                             .longest_whole_path = 1 << 20};

template <class T>
void eliminate(const Given<T>& s, const Stream&) {
  const std::int64_t n = s.n, row = n + 1;
  *s.out = -1;
  for (std::int64_t k = 0; k < n; ++k) {
    if (s.a[k * row + k] == 0) {
      *s.out = static_cast<std::int32_t>(k);
      return;
    }
    for (std::int64_t i = k + 1; i < n; ++i) {
      const T times = s.a[i * row + k] / s.a[k * row + k];
      for (std::int64_t j = k + 1; j <= n; ++j) s.a[i * row + j] -= times * s.a[k * row + j];
      s.a[i * row + k] = n == forgotten ? std::numeric_limits<T>::quiet_NaN() : times;
    }
  }
  if (n == doubled) s.a[n * row - 1] *= 2;
  if (n == overflowing) s.a[n - 1] = std::numeric_limits<T>::infinity();
}

constexpr Works<Given<float>, Given<double>> systems;

constexpr EquationSolver equation_solver{
    .most_unknowns = 60,
    .standard_type = ElementType::f64,
    .problem = [](std::int64_t n, ElementType type) { return problem_of(n, type, false); },
    .make = made<false, float, double>,
    .steps = steps};

Algorithm of_files(std::string_view name) {
  Algorithm row = doubling(name);
  row.parameter_keys = paths_keys;
  row.types = all_types;
  row.in_default_campaign = false;
  row.checked = {};
  row.footprint = [](const Problem& p) { return p.size.at("n") < large ? 1e6 : 1e15; };
  return row;
}

Algorithm three_loops_of(std::string_view name, const GraphSolver* solved_by) {
  const Rungs plain{
      rung(graphs, "plain", [](const auto& w, const Stream& on) { three_loops(w, on); })};
  Algorithm row = of_files(name);
  row.graph_solver = solved_by;
  return assembled(std::move(row), std::vector<Table>{{Model::reference, Place::host, false, plain},
                                                      {Model::openmp, Place::host, false, plain}});
}

Algorithm elimination() {
  const auto plain = [](const auto& work, const Stream& on) { eliminate(work, on); };
  const auto too_many = [](const Problem& p) {
    return std::string_view(p.size.at("n") == refused ? "it does not count to 33" : "");
  };
  const auto others = [](const Problem& p) {
    return std::string_view(p.size.at("n") == refused ? "" : "it takes 33 only");
  };
  Algorithm row = of_files("elimination");
  row.equation_solver = &equation_solver;
  return assembled(
      std::move(row),
      std::vector<Table>{
          {Model::reference, Place::host, false, {rung(systems, "plain", plain).unless(too_many)}},
          {Model::openmp,
           Place::host,
           false,
           {rung(systems, "plain", plain), rung(systems, "faster", plain).unless(others)}}});
}

}  // namespace

std::span<const Algorithm* const> catalogue() {
  static const std::array<Algorithm, 6> all{
      fragile(),         made_up(),
      with_picky_peer(), three_loops_of("three_loops", &solver),
      elimination(),     three_loops_of("no_graph", nullptr)};
  static const std::array<const Algorithm*, 6> rows{&all[0], &all[1], &all[2],
                                                    &all[3], &all[4], &all[5]};
  return rows;
}

std::span<const LeftOut> left_out() {
  static constexpr std::array rows{LeftOut{"lost", false}};
  return rows;
}

}  // namespace portcost
