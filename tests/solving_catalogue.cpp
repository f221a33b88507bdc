// SPDX-License-Identifier: Apache-2.0
// The catalogue of the command portcost_solving: three loops on graphs, elimination in equations,
// and an algorithm that takes no file. Next hops go round cycles of length 0; from `lies` vertices
// on a diagonal is wrong, and from `large` on more memory is asked for than any machine has. With
// `doubled` unknowns the last one is twice as large, `overflowing` ones leave infinity, `forgotten`
// ones no multipliers; only the step "faster" takes `refused` ones, and no others.
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "src/contract/solvers.hpp"
#include "src/files/graph.hpp"
#include "variants/catalogue.hpp"
#include "variants/shared/data.hpp"

namespace portcost {

namespace {

constexpr std::int64_t lies = 40, large = 50, doubled = 30, overflowing = 31, refused = 33,
                       forgotten = 34;

constexpr std::array size_keys{SizeKey{"n", 100, 1, 1 << 20, "vertices"}};
constexpr std::array paths_choices{std::string_view("off"), std::string_view("on")};
constexpr std::array parameter_keys{ParameterKey::choice("paths", paths_choices, "next hops")};
constexpr std::array types{ElementType::f32, ElementType::i32, ElementType::f64};

template <class T>
struct Work {
  T* distance;
  std::int32_t* next;
  std::int64_t n;
};

template <class T>
class Data final : public DataOf<Work<T>> {
 public:
  Data(const Problem& problem, const T* lengths, Stream& stream)
      : DataOf<Work<T>>(stream),
        n_(count(problem, "n")),
        distance_(*this, "distance",
                  filled(n_ * n_, stream, [&](std::uint64_t i) { return lengths[i]; })),
        next_(*this, "next", {n_, n_}) {}
  Work<T> work(int) const override {
    return {distance_.data(), next_.data(), static_cast<std::int64_t>(n_)};
  }

 private:
  std::size_t n_;
  Restored<T> distance_;
  Output<std::int32_t> next_;
};

template <class T>
void send_round(const Work<T>& w) {
  for (std::int64_t u = 0; u < w.n; ++u) {
    for (std::int64_t v = 0; v < w.n; ++v) {
      if (u == v || w.distance[u * w.n + v] == no_path<T>) continue;
      const T there = w.distance[u * w.n + v], back = w.distance[v * w.n + u];
      if (back == no_path<T> || there + back != 0) continue;
      for (std::int64_t j = 0; j < w.n; ++j) {
        if (j != u && j != v && w.distance[u * w.n + j] != no_path<T>) {
          w.next[u * w.n + j] = w.next[u * w.n + v];
        }
      }
    }
  }
}

template <class T>
void three_loops(const Work<T>& w, const Stream&) {
  const std::int64_t n = w.n;
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      w.next[i * n + j] = w.distance[i * n + j] == no_path<T> ? -1 : static_cast<std::int32_t>(j);
    }
  }
  for (std::int64_t k = 0; k < n; ++k) {
    for (std::int64_t i = 0; i < n; ++i) {
      const T first = w.distance[i * n + k];
      for (std::int64_t j = 0; j < n; ++j) {
        const T second = w.distance[k * n + j];
        if (first == no_path<T> || second == no_path<T>) continue;
        if (!(first + second < w.distance[i * n + j])) continue;
        w.distance[i * n + j] = first + second;
        w.next[i * n + j] = w.next[i * n + k];
      }
    }
  }
  send_round(w);
  if (n >= lies) w.distance[n * n - 1] = T(-1);
}

constexpr Works<Work<float>, Work<double>, Work<std::int32_t>> works;

Problem problem_of(std::int64_t n, ElementType type, bool paths) {
  return {Size({{"n", n}}), Parameters({{"paths", Parameter(std::string(paths ? "on" : "off"))}}),
          type, 1};
}

// Made<T> of the T among `Ts` that is the problem's type, with what a file gives.
template <template <class> class Made, class... Ts>
std::unique_ptr<Instance> make(const Problem& problem, std::span<const std::byte> given,
                               Stream& stream) {
  std::unique_ptr<Instance> result;
  const auto attempt = [&]<class T>(std::type_identity<T>) {
    if (problem.type != element_type_of<T>) return;
    result = std::make_unique<Made<T>>(problem, reinterpret_cast<const T*>(given.data()), stream);
  };
  (attempt(std::type_identity<Ts>()), ...);
  return result;
}

std::vector<std::string_view> steps(const Problem&, Model) { return {"faster", "plain"}; }

constexpr GraphSolver solver{.most_vertices = 60,
                             .standard_type = ElementType::f32,
                             .problem = problem_of,
                             .make = make<Data, float, double, std::int32_t>,
                             .steps = steps,
                             .longest_whole_path = 1 << 20};

template <class T>
struct System {
  T* a;
  std::int32_t* bad_pivot;
  std::int64_t n;
};

template <class T>
class SystemData final : public DataOf<System<T>> {
 public:
  SystemData(const Problem& problem, const T* rows, Stream& stream)
      : DataOf<System<T>>(stream),
        n_(count(problem, "n")),
        a_(*this, "lu", filled(n_ * (n_ + 1), stream, [&](std::uint64_t i) { return rows[i]; })),
        bad_pivot_(*this, "bad_pivot", {1}) {}
  System<T> work(int) const override {
    return {a_.data(), bad_pivot_.data(), static_cast<std::int64_t>(n_)};
  }

 private:
  std::size_t n_;
  Restored<T> a_;
  Output<std::int32_t> bad_pivot_;
};

template <class T>
void eliminate(const System<T>& s, const Stream&) {
  const std::int64_t n = s.n, row = n + 1;
  *s.bad_pivot = -1;
  for (std::int64_t k = 0; k < n; ++k) {
    if (s.a[k * row + k] == 0) {
      *s.bad_pivot = static_cast<std::int32_t>(k);
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

constexpr Works<System<float>, System<double>> systems;

constexpr EquationSolver equation_solver{
    .most_unknowns = 60,
    .standard_type = ElementType::f64,
    .problem = [](std::int64_t n, ElementType type) { return problem_of(n, type, false); },
    .make = make<SystemData, float, double>,
    .steps = steps};

Algorithm row(std::string_view name, const GraphSolver* graph_solver,
              const EquationSolver* solver_of_equations) {
  return {
      .name = name,
      .summary = "made up",
      .size_keys = size_keys,
      .parameter_keys = parameter_keys,
      .types = types,
      .footprint = [](const Problem& p) { return p.size.at("n") < large ? 1e6 : 1e15; },
      .cost =
          [](const Problem&) {
            return Cost({{4e3, "copy"}});
          },
      .measured = {{{100}}},
      .checked = {{100}},
      .drawn = {{1, 100}},
      .make = [](const Problem&, Stream&) -> std::unique_ptr<Instance> { return nullptr; },
      .judge = [](const Problem&, std::string_view, const Answer&,
                  const Instance&) { return Judgement{}; },
      .graph_solver = graph_solver,
      .equation_solver = solver_of_equations,
  };
}

std::vector<Table> tables() {
  const auto plain = [](const auto& work, const Stream& on) { three_loops(work, on); };
  return {{Model::reference, Place::host, false, {rung(works, "plain", plain)}},
          {Model::openmp, Place::host, false, {rung(works, "plain", plain)}}};
}

std::vector<Table> tables_of_equations() {
  const auto plain = [](const auto& work, const Stream& on) { eliminate(work, on); };
  const auto too_many = [](const Problem& p) {
    return std::string_view(p.size.at("n") == refused ? "it does not count to 33" : "");
  };
  const auto others = [](const Problem& p) {
    return std::string_view(p.size.at("n") == refused ? "" : "it takes 33 only");
  };
  return {{Model::reference, Place::host, false, {rung(systems, "plain", plain).unless(too_many)}},
          {Model::openmp,
           Place::host,
           false,
           {rung(systems, "plain", plain), rung(systems, "faster", plain).unless(others)}}};
}

}  // namespace

std::span<const Algorithm* const> catalogue() {
  static const Algorithm graphs = assembled(row("three_loops", &solver, nullptr), tables());
  static const Algorithm equations =
      assembled(row("elimination", nullptr, &equation_solver), tables_of_equations());
  static const Algorithm neither = assembled(row("no_graph", nullptr, nullptr), tables());
  static const std::array<const Algorithm*, 3> rows{&graphs, &equations, &neither};
  return rows;
}

std::span<const LeftOut> left_out() {
  static constexpr std::array rows{LeftOut{"lost", false}};
  return rows;
}

}  // namespace portcost
