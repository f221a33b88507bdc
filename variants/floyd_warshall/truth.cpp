// SPDX-License-Identifier: Apache-2.0
// The check of an answer, at any size and without a second Floyd and Warshall: distances from drawn
// vertices by Dijkstra's algorithm, or Bellman and Ford's where edges are negative; triangle
// inequalities; edges that attain a distance; drawn paths, followed hop by hop.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "src/contract/truth.hpp"
#include "variants/floyd_warshall/problem.hpp"

namespace portcost::floyd_warshall {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::size_t most_pairs = 4096, most_hops = 20'000;
constexpr double most_edges = 4e8;  // that are read for the drawn distances

// An edge in the answer's type.
template <class T>
double edge(const Input& input, std::int64_t i, std::int64_t j) {
  return static_cast<double>(
      static_cast<std::conditional_t<std::is_integral_v<T>, double, T>>(weight(input, i, j)));
}

template <class Action>
auto with_lengths(const Problem& problem, const Action& action) {
  return problem.type == ElementType::i32 ? action(int{}) : action(float{});
}

// Lengths from `source` to all vertices, by Dijkstra's algorithm in n^2 steps.
template <class T>
std::vector<double> dijkstra(const Input& input, std::int64_t source) {
  const auto n = static_cast<std::size_t>(input.n);
  std::vector<double> length(n, infinity);
  std::vector<char> done(n, 0);
  length[static_cast<std::size_t>(source)] = 0;
  for (;;) {
    std::size_t nearest = n;
    for (std::size_t v = 0; v < n; ++v) {
      if (!done[v] && length[v] < infinity && (nearest == n || length[v] < length[nearest])) {
        nearest = v;
      }
    }
    if (nearest == n) return length;
    done[nearest] = 1;
    for (std::size_t v = 0; v < n; ++v) {
      if (done[v]) continue;
      length[v] =
          std::min(length[v], length[nearest] + edge<T>(input, static_cast<std::int64_t>(nearest),
                                                        static_cast<std::int64_t>(v)));
    }
  }
}

// The same by Bellman and Ford: rounds over all edges until no length falls.
template <class T>
std::vector<double> bellman_ford(const Input& input, std::int64_t source) {
  const auto n = static_cast<std::size_t>(input.n);
  std::vector<double> length(n, infinity);
  length[static_cast<std::size_t>(source)] = 0;
  for (bool shorter = true; shorter;) {
    shorter = false;
    for (std::size_t i = 0; i < n; ++i) {
      if (length[i] == infinity) continue;
      for (std::size_t j = 0; j < n; ++j) {
        const double over =
            length[i] + edge<T>(input, static_cast<std::int64_t>(i), static_cast<std::int64_t>(j));
        if (over >= length[j]) continue;
        length[j] = over;
        shorter = true;
      }
    }
  }
  return length;
}

struct Row {
  std::int64_t from;
  std::vector<double> lengths;
};

template <class T>
std::vector<Row> true_rows(const Problem& problem) {
  const Input input = input_of(problem);
  const bool negative = input.kind == Kind::negative;
  const double edges = static_cast<double>(input.n * input.n) * (negative ? 12 : 1);
  const auto rows = static_cast<std::size_t>(std::clamp(most_edges / edges, 1.0, 16.0));
  std::vector<Row> result;
  for (const std::uint64_t from :
       drawn(static_cast<std::uint64_t>(input.n), std::max<std::size_t>(rows, 4), problem.seed)) {
    result.push_back({static_cast<std::int64_t>(from), {}});
  }
  std::rotate(result.begin(), result.begin() + static_cast<std::ptrdiff_t>(result.size() / 2),
              result.end());
  result.resize(std::min(result.size(), rows));
#pragma omp parallel for schedule(dynamic)
  for (std::size_t i = 0; i < result.size(); ++i) {
    Row& row = result[i];
    row.lengths = negative ? bellman_ford<T>(input, row.from) : dijkstra<T>(input, row.from);
  }
  return result;
}

// A row of an answer, as numbers with infinity.
template <class T>
std::vector<double> row_of(const Array& array, std::int64_t row, const Stream& stream) {
  const std::size_t n = array.shape[1];
  std::vector<double> result;
  for (const T element : on_host<T>(array, static_cast<std::size_t>(row) * n, n, stream)) {
    result.push_back(element == no_path<T> ? infinity : static_cast<double>(element));
  }
  return result;
}

bool equal(double found, double right, double allowed) {
  return found == right || std::abs(found - right) <= allowed;  // NaN is not
}

// Compares drawn rows with the truth. Then checks, for these and more rows, a[i][j] <= a[i][k] +
// a[k][j], with equality for some neighbour k of j.
template <class T>
std::string distance_fault(const Problem& problem, const std::vector<Row>& truth,
                           const Array& array, double allowed, const Stream& stream) {
  const Input input = input_of(problem);
  const std::int64_t n = input.n;
  for (const Row& row : truth) {
    const std::vector<double> found = row_of<T>(array, row.from, stream);
    for (std::size_t j = 0; j < found.size(); ++j) {
      if (equal(found[j], row.lengths[j], allowed)) continue;
      return fmt::format("distance[{}][{}] is {:.9g}, where {:.9g} is right", row.from, j, found[j],
                         row.lengths[j]);
    }
  }
  std::vector<Row> rows;
  for (const std::uint64_t i : drawn(static_cast<std::uint64_t>(n), 48, problem.seed + 1)) {
    rows.push_back(
        {static_cast<std::int64_t>(i), row_of<T>(array, static_cast<std::int64_t>(i), stream)});
  }
  for (const Row& first : rows) {
    for (const Row& second : rows) {
      const double to = first.lengths[static_cast<std::size_t>(second.from)];
      for (std::size_t j = 0; j < first.lengths.size(); ++j) {
        if (first.lengths[j] <= to + second.lengths[j] + allowed) continue;  // NaN is not
        return fmt::format("distance[{}][{}] is {:.9g}, and over vertex {} it is {:.9g}",
                           first.from, j, first.lengths[j], second.from, to + second.lengths[j]);
      }
    }
  }
  std::uint64_t pair = 0;
  for (const Row& row : rows) {
    for (int times = 0; times < 16; ++times) {
      const auto j = static_cast<std::int64_t>(random_bits(problem.seed + 2, pair++) %
                                               static_cast<std::uint64_t>(n));
      const double length = row.lengths[static_cast<std::size_t>(j)];
      if (j == row.from || length == infinity) continue;
      double attained = infinity;
      for (std::int64_t v = 0; v < n; ++v) {
        if (v == j) continue;
        attained =
            std::min(attained, row.lengths[static_cast<std::size_t>(v)] + edge<T>(input, v, j));
      }
      if (equal(length, attained, allowed)) continue;
      return fmt::format("distance[{}][{}] is {:.9g}, and the best last edge makes it {:.9g}",
                         row.from, j, length, attained);
    }
  }
  return {};
}

// Drawn pairs: a pair with a path has a next hop, whose edge and remaining distance add up to the
// distance.
template <class T>
std::string next_fault(const Problem& problem, const Answer& answer, double allowed,
                       const Stream& stream) {
  const Input input = input_of(problem);
  const Elements<T> lengths(answer.at("distance"), stream);
  const Elements<int> next(answer.at("next"), stream);
  const auto n = static_cast<std::uint64_t>(input.n);
  for (const std::uint64_t pair : drawn(n * n, most_pairs, problem.seed)) {
    const auto i = static_cast<std::int64_t>(pair / n), j = static_cast<std::int64_t>(pair % n);
    const int hop = next[pair];
    const T length = lengths[pair];
    const bool there = length != no_path<T>;
    if (hop < -1 || hop >= input.n || (hop >= 0) != there) {
      return fmt::format("next[{}][{}] is {}, and a path is {}", i, j, hop,
                         there ? "there" : "not there");
    }
    if (!there || i == j) continue;
    const double over =
        edge<T>(input, i, hop) +
        static_cast<double>(
            lengths[static_cast<std::uint64_t>(hop) * n + static_cast<std::uint64_t>(j)]);
    if (hop != i && equal(static_cast<double>(length), over, allowed)) continue;
    return fmt::format("next[{}][{}] is {}: over it the path is {:.9g}, and the distance {:.9g}", i,
                       j, hop, over, static_cast<double>(length));
  }
  return {};
}

// Drawn pairs: the edges along the hops add up to the distance.
template <class T>
std::string path_fault(const Problem& problem, const Answer& answer, double allowed,
                       const Stream& stream) {
  const Input input = input_of(problem);
  const Elements<T> lengths(answer.at("distance"), stream);
  const Elements<int> next(answer.at("next"), stream);
  const auto n = static_cast<std::uint64_t>(input.n);
  std::size_t hops = 0;
  for (const std::uint64_t pair : drawn(n * n, 256, problem.seed + 3)) {
    const auto i = static_cast<std::int64_t>(pair / n), j = static_cast<std::int64_t>(pair % n);
    const T length = lengths[pair];
    if (length == no_path<T>) continue;
    double sum = 0;
    std::int64_t at = i;
    for (std::uint64_t steps = 0; at != j; ++steps, ++hops) {
      if (steps == n) return fmt::format("the hops from {} to {} go round", i, j);
      const int hop = next[static_cast<std::uint64_t>(at) * n + static_cast<std::uint64_t>(j)];
      if (hop < 0 || hop >= input.n)
        return fmt::format("the hops from {} to {} end at {}", i, j, at);
      sum += edge<T>(input, at, hop);
      at = hop;
    }
    if (!equal(static_cast<double>(length), sum, allowed)) {
      return fmt::format("the hops from {} to {} make a path of {:.9g}, and the distance is {:.9g}",
                         i, j, sum, static_cast<double>(length));
    }
    if (hops > most_hops) break;
  }
  return {};
}

}  // namespace

double longest(const Array& distance, const Stream& stream) {
  if (distance.type != ElementType::f32) return 0;
  double most = 0;
  for (std::size_t row = 0; row < distance.shape[0]; ++row) {
    for (const double length : row_of<float>(distance, static_cast<std::int64_t>(row), stream)) {
      if (std::isfinite(length)) most = std::max(most, std::abs(length));
    }
  }
  return most;
}

double tolerance(const Problem& problem, double longest) {
  if (!input_of(problem).real) return 0;
  return 2 * static_cast<double>(problem.size.at("n")) * 0x1p-24 * longest;
}

std::string hop_fault(const Problem& problem, const Answer& answer, const Stream& stream) {
  const double allowed = tolerance(problem, longest(answer.at("distance"), stream));
  return with_lengths(problem,
                      [&]<class T>(T) { return next_fault<T>(problem, answer, allowed, stream); });
}

Judgement judge(const Problem& problem, std::string_view, const Answer& answer,
                const Instance& instance) {
  const Stream& stream = instance.stream();
  const Array& array = answer.at("distance");
  const auto n = static_cast<std::uint64_t>(problem.size.at("n"));
  const bool hops = problem.parameters.number_of("paths", off_on) == 1;
  static Remembered<std::vector<Row>> remembered;
  const std::vector<Row>& truth = remembered.of(problem, {}, [&] {
    return with_lengths(problem, [&]<class T>(T) { return true_rows<T>(problem); });
  });
  const bool negative = input_of(problem).kind == Kind::negative;
  Judgement result{
      fmt::format("distances from {} drawn vertices by {}, triangles over drawn vertices{}",
                  truth.size(), negative ? "Bellman and Ford" : "Dijkstra",
                  hops ? ", drawn paths followed" : ""),
      shape_fault(array, problem.type, n * n)};
  if (!result.fault.empty()) return result;
  if (const int vertex = Elements<int>(answer.at("negative_cycle"), stream)[0]; vertex != -1) {
    result.fault =
        fmt::format("vertex {} is said to lie on a negative cycle; there is none", vertex);
    return result;
  }
  const double allowed = tolerance(problem, input_of(problem).real ? longest(array, stream) : 0);
  result.fault = with_lengths(problem, [&]<class T>(T) {
    std::string fault = distance_fault<T>(problem, truth, array, allowed, stream);
    if (!fault.empty() || !hops) return fault;
    return first_fault([&] { return shape_fault(answer.at("next"), ElementType::i32, n * n); },
                       [&] { return hop_fault(problem, answer, stream); },
                       [&] { return path_fault<T>(problem, answer, allowed, stream); });
  });
  return result;
}

}  // namespace portcost::floyd_warshall
