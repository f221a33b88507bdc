// SPDX-License-Identifier: Apache-2.0
// Native CPU variants: each thread adds a chunk, then one thread adds up the partial sums. In
// reduce the compiler does both.
#include <algorithm>

#include "variants/sum/problem.hpp"

namespace portcost::sum {

namespace {

constexpr WideShape shape = wide_shape(Place::host);

// The sum of tiles [first, end): a vector register of numbers at a time, into independent
// accumulators. Two tiles are interleaved: the second is loaded while the first is added, which
// saves a fifth of the time where a core waits for cache lines.
template <class T>
T add_tiles(const T* in, std::uint64_t first, std::uint64_t end) {
  constexpr unsigned width = shape.sets * pack_width<T, Place::host>;
  constexpr unsigned tile = shape.loads * pack_width<T, Place::host>;
  static_assert(tile % width == 0);
  T sums[width] = {};
  const T* from = in + first * tile;
  const T* const last = in + end * tile;
  for (; last - from >= 2 * width; from += 2 * width) {
#pragma omp simd
    for (unsigned j = 0; j < width; ++j) sums[j] += from[j] + from[j + width];
  }
  for (; from < last; from += width) {
#pragma omp simd
    for (unsigned j = 0; j < width; ++j) sums[j] += from[j];
  }
  T total = 0;
  for (const T sum : sums) total += sum;
  return total;
}

// The sum of a team's tiles; for the last team also of the numbers after the last full tile.
template <class T>
T add_item(const Numbers<T>& s, const Plan& p, unsigned team) {
  const Tiles tiles = tiles_of<Place::host>(p, team, p.teams);
  T total = add_tiles(s.in, std::min(tiles.first, p.full), std::min(tiles.end, p.full));
  if (team + 1 == p.teams) {
    constexpr std::uint64_t tile = shape.loads * pack_width<T, Place::host>;
    for (std::uint64_t i = p.full * tile; i < s.n; ++i) total += s.in[i];
  }
  return total;
}

template <class T>
T add_all(const T* values, std::uint64_t count) {
  T total = 0;
  for (std::uint64_t i = 0; i < count; ++i) total += values[i];
  return total;
}

// One accumulator, stretch by stretch: the loop as anyone writes it first.
constexpr auto stretches = []<class T>(const Numbers<T>& s, const Stream&) {
  const std::uint64_t stretch = stretch_of(s.n);
  const auto count = static_cast<std::int64_t>(ceil_div(s.n, stretch));
  T total = 0;
#pragma omp parallel for schedule(static) reduction(+ : total) if (count > 8)
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint64_t begin = static_cast<std::uint64_t>(i) * stretch;
    total += add_all(s.in + begin, std::min(s.n - begin, stretch));
  }
  *s.out = total;
};

// OpenMP's reduction clause, threads and vectors left to the compiler.
constexpr auto reduce = []<class T>(const Numbers<T>& s, const Stream&) {
  const T* const in = s.in;
  const auto n = static_cast<std::int64_t>(s.n);
  T total = 0;
#pragma omp parallel for simd schedule(static) reduction(+ : total)
  for (std::int64_t i = 0; i < n; ++i) total += in[i];
  *s.out = total;
};

// f(team, its sum) for all teams of a plan, by threads.
template <class T, class F>
void for_teams(const Numbers<T>& s, const Plan& p, const F& f) {
  const auto teams = static_cast<int>(p.teams);
  const int used = std::min(teams, s.processors);
#pragma omp parallel for schedule(static) num_threads(used) if (used > 1)
  for (int team = 0; team < teams; ++team) f(team, add_item(s, p, static_cast<unsigned>(team)));
}

// A single thread adds the partial sums when all are there.
constexpr auto wide_loads = []<class T>(const Numbers<T>& s, const Stream&) {
  const Plan p = plan<T, Place::host>(s.n, s.processors);
  for_teams(s, p, [&](int team, T sum) { s.partials[0][team] = sum; });
  *s.out = add_all(s.partials[0], p.teams);
};

constexpr auto atomic_blocks = []<class T>(const Numbers<T>& s, const Stream&) {
  T total = 0;
  for_teams(s, plan<T, Place::host>(s.n, s.processors), [&](int, T sum) {
#pragma omp atomic
    total += sum;
  });
  *s.out = total;
};

constexpr auto locked_blocks = []<class T>(const Numbers<T>& s, const Stream&) {
  T total = 0;
  for_teams(s, plan<T, Place::host>(s.n, s.processors), [&](int, T sum) {
#pragma omp critical
    total += sum;
  });
  *s.out = total;
};

// The thread that arrives last adds the partials, in their order whoever it is.
constexpr auto single_pass = []<class T>(const Numbers<T>& s, const Stream&) {
  const Plan p = plan<T, Place::host>(s.n, s.processors);
  for_teams(s, p, [&](int team, T sum) {
    s.partials[0][team] = sum;
    unsigned ticket;
#pragma omp atomic capture acq_rel
    ticket = (*s.arrived)++;
    if (ticket + 1 == p.teams) {
      *s.out = add_all(s.partials[0], p.teams);
      *s.arrived = 0;
    }
  });
};

// The slides' four kernels: a thread takes teams in turn, and all items of a team's tree.
enum class Tree { interleaved, strided, sequential };
template <Tree tree, unsigned numbers>
constexpr auto slides = []<class T>(const Numbers<T>& s, const Stream&) {
  launch_until_one(
      s, [](std::uint64_t count) { return ceil_div(count, numbers * threads); },
      [](const Launched<T>& one, int teams) {
#pragma omp parallel for schedule(static) if (teams > 1)
        for (int team = 0; team < teams; ++team) {
          const std::uint64_t first =
                                  std::uint64_t{numbers * threads} * static_cast<unsigned>(team),
                              end = std::min(one.count, first + numbers * threads);
          T partial[threads];
          for (unsigned id = 0; id < threads; ++id) {
            T sum = 0;
            for (std::uint64_t i = first + id; i < end; i += threads) sum += one.in[i];
            partial[id] = sum;
          }
          for (unsigned step = 1; step < threads; step *= 2) {
            const unsigned stride = tree == Tree::sequential ? threads / 2 / step : step;
            for (unsigned id = 0; id < threads; ++id) {
              const unsigned at = tree == Tree::strided ? 2 * stride * id : id;
              const bool adds = tree == Tree::interleaved
                                    ? id % (2 * stride) == 0
                                    : at < (tree == Tree::strided ? threads : stride);
              if (adds) partial[at] += partial[at + stride];
            }
          }
          one.out[team] = partial[0];
        }
      });
};

}  // namespace

Rungs openmp_rungs() {
  return {rung(works, "stretches", stretches),
          rung(works, "reduce", reduce),
          rung(works, "interleaved", slides<Tree::interleaved, one_number>),
          rung(works, "strided", slides<Tree::strided, one_number>),
          rung(works, "sequential", slides<Tree::sequential, one_number>),
          rung(works, "first_add", slides<Tree::sequential, two_numbers>),
          rung(works, "wide_loads", wide_loads),
          rung(works, "atomic_blocks", atomic_blocks),
          rung(works, "locked_blocks", locked_blocks),
          rung(works, "single_pass", single_pass)};
}

}  // namespace portcost::sum
