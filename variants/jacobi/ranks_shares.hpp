// SPDX-License-Identifier: Apache-2.0
// hybrid: the share of the rows of each processor, found by measurements.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <vector>

#include "src/statistics/statistics.hpp"
#include "src/support/error.hpp"
#include "variants/jacobi/ranks.hpp"

namespace portcost::jacobi {

/// The least result of three calls of seconds(), after a warm-up call.
template <class F>
double fastest_of_three(const F& seconds) {
  seconds();
  return std::min({seconds(), seconds(), seconds()});
}

template <class F>
double seconds_of_call(const F& f) {
  const auto begin = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// Rows a second of each part of this rank, swept alone.
template <class T>
std::vector<double> speeds(const Field<T>& field, int depth, const ByPlace<T>& model) {
  std::vector<double> result;
  for (std::size_t i = 0; i < field.parts(); ++i) {
    const double seconds = fastest_of_three([&] {
      return seconds_of_call([&] {
        sweep_part(field, i, depth, model);
        field.stream(i).synchronize();
      });
    });
    result.push_back(static_cast<double>(field.part(i).layout.corners.extent(1)) * depth / seconds);
  }
  return result;
}

/// Seconds of `depth` sweeps with their exchange, on the slowest rank. Collective.
template <class T>
double seconds_of_pass(Field<T>& field, int depth, const ByPlace<T>& model, const Stream& stream) {
  const distributed::Communicator& ranks = distributed::communicator_of(stream);
  return fastest_of_three([&] {
    ranks.barrier();
    return ranks.slowest(seconds_of_call([&] {
      for (std::size_t i = 0; i < field.parts(); ++i) sweep_part(field, i, depth, model);
      field.swap();
      field.halos().run(field.now());
      stream.synchronize();
    }));
  });
}

/// Seconds of several cuts in each of several rounds.
using Rounds = std::vector<std::vector<double>>;

/// Rounds that compare cuts. A round measures the cuts one after another, in alternating direction,
/// so that drift and the placement of memory affect all cuts alike.
inline constexpr int compared_rounds = 9;

/// The median over all rounds of the ratio of cut `i`'s time to the first cut's.
inline double against_first(const Rounds& rounds, std::size_t i) {
  std::vector<double> ratios;
  for (const auto& round : rounds) ratios.push_back(round[i] / round[0]);
  return median(ratios);
}

/// The fastest of the cuts that beat the first in all rounds but at most one; the first if there is
/// none. With nine rounds a cut that is only as fast as the first passes in one of 50 searches.
inline std::size_t faster_than_first(const Rounds& rounds) {
  std::size_t best = 0;
  double least = 1;
  for (std::size_t i = 1; i < rounds.front().size(); ++i) {
    const double ratio = against_first(rounds, i);
    const auto slower =
        std::ranges::count_if(rounds, [&](const auto& round) { return round[i] >= round[0]; });
    if (ratio >= least || slower > 1) continue;
    best = i;
    least = ratio;
  }
  return best;
}

/// Rank 0 writes the result, one line, to the error stream.
void say_shares(const std::string& text, const Stream& stream);
inline std::once_flag hosts_shares_said;  // of all types

/// The cuts in which a GPU and its cores share the rows of a rank, or one of them has all.
template <class T>
class Shares {
 public:
  Shares(const RanksTask<RanksData<T>>& task, const Stream& stream, const ByPlace<T>& model)
      : data_(*task.data), stream_(stream), model_(model) {}

  /// The fastest cut that was measured. Collective.
  Cut found() const {
    return stream_.place() == Place::host ? found_among_hosts() : found_with_gpu();
  }
  /// The same, compared with every whole percentage. Each is measured and printed: three times, in
  /// rounds, but once where the first time is half as long again as the least. Then the fastest
  /// cut, the found cut and the GPU alone are measured in rounds, the last one twice, which shows
  /// how far the times of equal work differ. Collective.
  Cut held_against_all() const {
    const Cut mine = found_with_gpu();
    std::vector<int> percents;
    std::vector<Cut> cuts;
    for (int percent = 0; percent <= 100; ++percent) {
      if (!can_be(given(percent))) continue;
      percents.push_back(percent);
      cuts.push_back(given(percent));
    }
    if (cuts.empty()) return mine;
    std::vector<std::vector<double>> seconds(cuts.size());
    double least = 0;
    for (int turn = 0; turn < 3; ++turn) {
      for (std::size_t n = 0; n < cuts.size(); ++n) {
        const std::size_t i = turn % 2 == 0 ? n : cuts.size() - 1 - n;
        if (turn > 0 && seconds[i].front() > 1.5 * least) continue;
        seconds[i].push_back(seconds_of(cuts[i]));
        if (turn == 0 && (n == 0 || seconds[i].front() < least)) least = seconds[i].front();
      }
    }
    std::size_t best = 0;
    for (std::size_t i = 0; i < cuts.size(); ++i) {
      if (median(seconds[i]) < median(seconds[best])) best = i;
      say_shares(fmt::format("hybrid: {} % of the rows for the cores: {:.5g} ms for {} sweeps",
                             percents[i], 1e3 * median(seconds[i]), data_.depth()),
                 stream_);
    }
    for (const auto& round : rounds_of({cuts[best], mine, given(0), given(0)})) {
      say_shares(fmt::format("hybrid: a round: {} % {:.5g} ms, the share that was found {:.5g} ms, "
                             "the GPU alone {:.5g} ms and {:.5g} ms",
                             percents[best], 1e3 * round[0], 1e3 * round[1], 1e3 * round[2],
                             1e3 * round[3]),
                 stream_);
    }
    return mine;
  }
  /// The user's percentage for the cores. Collective.
  Cut named(double percent) const {
    const Cut wanted = given(percent);
    const bool fits = fits_hosts(wanted);
    distributed::communicator_of(stream_).together([&] {
      if (fits) return;
      throw UsageError(fmt::format(
          "host_share={}: the rows of the cores do not fit into the host's memory: give them less",
          percent));
    });
    return wanted;
  }
  /// The cut with `percent` of a rank's rows for its cores.
  Cut given(double percent) const {
    std::vector<distributed::Processor> mine;
    if (percent < 100) mine.push_back({Place::device, 100 - percent});
    if (percent > 0) mine.push_back({Place::host, percent});
    return cut(mine);
  }

 private:
  Cut cut(std::vector<distributed::Processor> mine) const {
    return {Cut::Kind::rows, data_.depth(), std::move(mine), true};
  }

  double seconds_of(const Cut& wanted) const {
    return seconds_of_pass(*data_.trial(wanted), data_.depth(), model_, stream_);
  }

  Rounds rounds_of(const std::vector<Cut>& cuts) const {
    Rounds result;
    for (int round = 0; round < compared_rounds; ++round) {
      result.emplace_back(cuts.size());
      for (std::size_t n = 0; n < cuts.size(); ++n) {
        const std::size_t i = round % 2 == 0 ? n : cuts.size() - 1 - n;
        result.back()[i] = seconds_of(cuts[i]);
      }
    }
    return result;
  }

  // No rank is left out: each rank's cores get rows by their speed; or equally many where that is
  // no faster.
  Cut found_among_hosts() const {
    const auto& ranks = distributed::communicator_of(stream_);
    const Cut even = cut({{Place::host, 1}});
    if (ranks.size() == 1) return even;
    const double mine = speeds(*data_.trial(even), data_.depth(), model_).front();
    const Cut by_speed = cut({{Place::host, mine}});
    double sum = 0;
    std::string shares;
    const auto all = ranks.gathered(mine);
    for (const double one : all) sum += one;
    for (const double one : all) shares += fmt::format(" {:.1f}", 100 * one / sum);
    if (!can_be(by_speed)) return even;
    const Rounds rounds = rounds_of({even, by_speed});
    const bool faster = faster_than_first(rounds) == 1;
    // Said at the first search alone, because a check searches for each of its sizes and types.
    std::call_once(hosts_shares_said, [&] {
      say_shares(
          fmt::format("hybrid: rows are shared {}: by the speed of each rank's cores,{} %, a "
                      "pass takes {:.3f} times as long; found anew for each size",
                      faster ? "by speed" : "evenly", shares, against_first(rounds, 1)),
          stream_);
    });
    return faster ? by_speed : even;
  }

  // First the cores get little; then, in two iterations, the share that their speed and the GPU's
  // suggest, since speeds depend on how much fits into a cache. The GPU alone stays unless sharing
  // is certainly faster.
  Cut found_with_gpu() const {
    std::vector<Cut> cuts{cut({{Place::device, 1}})};
    Cut next = given(5);
    while (cuts.size() < 4 && can_be(next)) {
      cuts.push_back(next);
      const std::vector<double> both = speeds(*data_.trial(next), data_.depth(), model_);
      next = cut({{Place::device, both[0]}, {Place::host, both[1]}});
    }
    const Rounds rounds = rounds_of(cuts);
    const std::size_t best = faster_than_first(rounds);
    const auto ms = [&](std::size_t i) {
      std::vector<double> all;
      for (const auto& round : rounds) all.push_back(1e3 * round[i]);
      return median(all);
    };
    const auto& mine = cuts[best].mine;
    const double share = best == 0 ? 0 : mine[1].weight / (mine[0].weight + mine[1].weight);
    say_shares(fmt::format("hybrid: the cores get {:.2f} % of rank 0's rows: {:.4g} ms for {} "
                           "sweeps, the GPU alone {:.4g} ms",
                           100 * share, ms(best), data_.depth(), ms(0)),
               stream_);
    return cuts[best];
  }

  bool can_be(const Cut& wanted) const { return blocks_are_deep(wanted) && fits_hosts(wanted); }

  // Whether every block has at least as many rows as a halo. Collective.
  bool blocks_are_deep(const Cut& wanted) const {
    const distributed::Processors processors(distributed::communicator_of(stream_), wanted.mine);
    if (data_.rows() < processors.count()) return false;
    const auto bounds = distributed::bounds_of(data_.rows(), processors.weights(), "rows");
    for (std::size_t i = 1; i < bounds.size(); ++i) {
      if (bounds[i] - bounds[i - 1] < data_.depth()) return false;
    }
    return true;
  }

  // Whether the cores' rows fit into their computer's memory, which a footprint on a GPU does not
  // include. Collective.
  bool fits_hosts(const Cut& wanted) const {
    const auto& ranks = distributed::communicator_of(stream_);
    const distributed::Processors processors(ranks, wanted.mine);
    if (data_.rows() < processors.count()) return true;  // the error is reported elsewhere
    const auto bounds = distributed::bounds_of(data_.rows(), processors.weights(), "rows");
    double mine = 0;
    for (int i = 0; i < processors.count(); ++i) {
      if (!processors.is_mine(i) || processors.place_of(i) == Place::device) continue;
      const auto at = static_cast<std::size_t>(i);
      mine += data_.bytes_of_rows(bounds[at + 1] - bounds[at]);
    }
    return !ranks.any(mine > 0.95 * available_bytes(Place::host) / ranks.on_this_node());
  }

  RanksData<T>& data_;
  const Stream& stream_;
  const ByPlace<T>& model_;
};

/// The cut for a task: with the shares that it names, or with the shares that are found.
/// Collective.
template <class T>
Cut shares_by_speed(const RanksTask<RanksData<T>>& task, const Stream& stream,
                    const ByPlace<T>& model) {
  const Shares<T> shares(task, stream, model);
  const double given = task.data->host_share();
  if (given >= 0 && stream.place() == Place::device) return shares.named(given);
  auto& known = task.data->found_cuts();
  for (const auto& one : known) {
    if (one.device == model.device.many && one.host == model.host.many) return one.cut;
  }
  const bool all = given == every_share && stream.place() == Place::device;
  known.push_back(
      {model.device.many, model.host.many, all ? shares.held_against_all() : shares.found()});
  return known.back().cut;
}

}  // namespace portcost::jacobi
