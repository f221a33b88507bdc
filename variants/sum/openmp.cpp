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

// The slides' four kernels: a thread takes teams in turn, and all 256 items of a team's tree.
template <unsigned numbers, class T, class Tree>
void trees(const Numbers<T>& s, const Tree& tree) {
  launch_until_one(
      s, [](std::uint64_t count) { return ceil_div(count, numbers * threads); },
      [&](const Launched<T>& l, int teams) {
#pragma omp parallel for schedule(static) if (teams > 1)
        for (int team = 0; team < teams; ++team) {
          const std::uint64_t first =
                                  std::uint64_t{numbers * threads} * static_cast<unsigned>(team),
                              end = std::min(l.count, first + numbers * threads);
          T partial[threads];
          for (unsigned id = 0; id < threads; ++id) {
            T sum = 0;
            for (std::uint64_t i = first + id; i < end; i += threads) sum += l.in[i];
            partial[id] = sum;
          }
          tree(partial);
          l.out[team] = partial[0];
        }
      });
}

constexpr auto interleaved = []<class T>(const Numbers<T>& s, const Stream&) {
  trees<one_number>(s, [](T* partial) {
    for (unsigned stride = 1; stride < threads; stride *= 2) {
      for (unsigned id = 0; id < threads; ++id) {
        if (id % (2 * stride) == 0) partial[id] += partial[id + stride];
      }
    }
  });
};

constexpr auto strided = []<class T>(const Numbers<T>& s, const Stream&) {
  trees<one_number>(s, [](T* partial) {
    for (unsigned stride = 1; stride < threads; stride *= 2) {
      for (unsigned id = 0; id < threads; ++id) {
        const unsigned index = 2 * stride * id;
        if (index < threads) partial[index] += partial[index + stride];
      }
    }
  });
};

// sequential; after two numbers an item first_add.
template <unsigned numbers>
constexpr auto halving = []<class T>(const Numbers<T>& s, const Stream&) {
  trees<numbers>(s, [](T* partial) {
    for (unsigned stride = threads / 2; stride > 0; stride /= 2) {
      for (unsigned id = 0; id < threads; ++id) {
        if (id < stride) partial[id] += partial[id + stride];
      }
    }
  });
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

// A single thread adds the partial sums when all are there.
constexpr auto wide_loads = []<class T>(const Numbers<T>& s, const Stream&) {
  const Plan p = plan<T, Place::host>(s.n, s.processors);
  const auto teams = static_cast<int>(p.teams);
  const int used = std::min(teams, s.processors);
#pragma omp parallel for schedule(static) num_threads(used) if (used > 1)
  for (int team = 0; team < teams; ++team) {
    const T sum = add_item(s, p, static_cast<unsigned>(team));
    s.partials[0][team] = sum;
  }
  *s.out = add_all(s.partials[0], p.teams);
};

// Each thread adds its sums to the total, by an atomic addition or in turn.
template <bool locked>
constexpr auto one_total = []<class T>(const Numbers<T>& s, const Stream&) {
  const Plan p = plan<T, Place::host>(s.n, s.processors);
  const auto teams = static_cast<int>(p.teams);
  const int used = std::min(teams, s.processors);
  *s.out = 0;
#pragma omp parallel for schedule(static) num_threads(used) if (used > 1)
  for (int team = 0; team < teams; ++team) {
    const T sum = add_item(s, p, static_cast<unsigned>(team));
    if constexpr (locked) {
#pragma omp critical
      *s.out += sum;
    } else {
#pragma omp atomic
      *s.out += sum;
    }
  }
};

// The thread that arrives last adds the partials, in their order whoever it is.
constexpr auto single_pass = []<class T>(const Numbers<T>& s, const Stream&) {
  const Plan p = plan<T, Place::host>(s.n, s.processors);
  const auto teams = static_cast<int>(p.teams);
  const int used = std::min(teams, s.processors);
#pragma omp parallel for schedule(static) num_threads(used) if (used > 1)
  for (int team = 0; team < teams; ++team) {
    const T sum = add_item(s, p, static_cast<unsigned>(team));
    s.partials[0][team] = sum;
    unsigned ticket;
#pragma omp atomic capture acq_rel
    ticket = (*s.arrived)++;
    if (ticket + 1 == p.teams) {
      *s.out = add_all(s.partials[0], p.teams);
      *s.arrived = 0;
    }
  }
};

}  // namespace

Rungs openmp_rungs() {
  return {rung(works, "stretches", stretches),
          rung(works, "reduce", reduce),
          rung(works, "interleaved", interleaved),
          rung(works, "strided", strided),
          rung(works, "sequential", halving<one_number>),
          rung(works, "first_add", halving<two_numbers>),
          rung(works, "wide_loads", wide_loads),
          rung(works, "atomic_blocks", one_total<false>),
          rung(works, "locked_blocks", one_total<true>),
          rung(works, "single_pass", single_pass)};
}

}  // namespace portcost::sum
