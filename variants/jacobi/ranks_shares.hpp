// SPDX-License-Identifier: Apache-2.0
// hybrid: which share of the rows each processor gets, found by measuring.
#pragma once

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <optional>

#include "src/support/error.hpp"
#include "variants/jacobi/ranks_run.hpp"

namespace portcost::jacobi {

/// Seconds of the fastest of three calls, after one that warms up.
template <class F>
double fastest_of_three(const F& f) {
  double best = 0;
  for (int call = 0; call < 4; ++call) {
    const auto begin = std::chrono::steady_clock::now();
    f();
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    if (call == 1 || (call > 1 && taken.count() < best)) best = taken.count();
  }
  return best;
}

/// Rows a second of each part of this rank, which sweeps it alone.
template <class T>
std::vector<double> speeds(const Field<T>& field, int depth, const ByPlace<T>& model) {
  std::vector<double> result;
  for (std::size_t i = 0; i < field.parts(); ++i) {
    const double seconds = fastest_of_three([&] {
      sweep_part(field, i, depth, model);
      field.stream(i).synchronize();
    });
    result.push_back(static_cast<double>(field.part(i).layout.corners.extent(1)) * depth / seconds);
  }
  return result;
}

/// Seconds of `depth` sweeps with their exchange, of the slowest rank. Collective.
template <class T>
double seconds_of_pass(Field<T>& field, int depth, const ByPlace<T>& model, const Stream& stream) {
  const distributed::Communicator& ranks = distributed::communicator_of(stream);
  double best = 0;
  for (int call = 0; call < 4; ++call) {  // equally many on all
    ranks.barrier();
    const auto begin = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i < field.parts(); ++i) sweep_part(field, i, depth, model);
    field.swap();
    field.halos().run(field.now());
    stream.synchronize();
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    const double slowest = ranks.slowest(taken.count());
    if (call == 1 || (call > 1 && slowest < best)) best = slowest;
  }
  return best;
}

/// What was found, in one line of the error stream; by rank 0.
void say_shares(const std::string& text, const Stream& stream);

/// Cuts for a GPU and cores that share the rows of a rank, or for one of them alone.
template <class T>
class Shares {
 public:
  Shares(const RanksTask<RanksData<T>>& task, const Stream& stream, const ByPlace<T>& model)
      : data_(*task.data), stream_(stream), model_(model) {}

  /// The one that is fastest when it is tried out. Collective.
  Cut found() const {
    return stream_.place() == Place::host ? found_among_hosts() : found_with_gpu();
  }
  /// The same, held against every whole percentage, of which each is tried out and printed.
  /// Collective.
  Cut held_against_all() const {
    const Cut mine = found_with_gpu();
    int best = 0;
    double best_s = 0;
    for (int percent = 0; percent <= 100; ++percent) {
      if (!can_be(given(percent))) continue;
      const double taken_s = seconds_of(given(percent));
      if (best_s == 0 || taken_s < best_s) {
        best = percent;
        best_s = taken_s;
      }
      say_shares(fmt::format("hybrid: {} % of the rows for the cores: {:.5g} ms for {} sweeps",
                             percent, 1e3 * taken_s, data_.depth()),
                 stream_);
    }
    const double mine_s = seconds_of(mine), least_s = seconds_of(given(best));
    say_shares(
        fmt::format("hybrid: of all percentages {} is the fastest; once more: it takes {:.5g} "
                    "ms, the share that was found {:.5g} ms, the GPU alone {:.5g} ms",
                    best, 1e3 * least_s, 1e3 * mine_s, 1e3 * seconds_of(given(0))),
        stream_);
    return mine;
  }
  /// Cores get the percentage that the user names. Collective.
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
  /// Cores get `percent` of a rank's rows.
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

  // Nobody is left out: each rank's cores at their speed.
  Cut found_among_hosts() const {
    const auto even = data_.trial(cut({{Place::host, 1}}));
    const double mine = speeds(*even, data_.depth(), model_).front();
    const Cut result = cut({{Place::host, mine}});
    const auto all = distributed::communicator_of(stream_).gathered(mine);
    double sum = 0;
    std::string text = "hybrid: rows are shared by the speed of each rank's cores:";
    for (const double one : all) sum += one;
    for (const double one : all) text += fmt::format(" {:.1f}", 100 * one / sum);
    say_shares(text + " %", stream_);
    return can_be(result) ? result : cut({{Place::host, 1}});
  }

  // First the cores get little; then what their speed and the GPU's say, twice, since speeds depend
  // on how much fits into a cache. The GPU alone stays where sharing is no faster.
  Cut found_with_gpu() const {
    const Cut alone = cut({{Place::device, 1}});
    const double alone_s = seconds_of(alone);
    Cut best = alone;
    double best_s = alone_s, share = 0;
    Cut next = given(5);
    for (int round = 0; round < 3 && can_be(next); ++round) {
      const auto field = data_.trial(next);
      const double taken_s = seconds_of_pass(*field, data_.depth(), model_, stream_);
      if (taken_s < best_s) {
        best = next;
        best_s = taken_s;
        share = next.mine[1].weight / (next.mine[0].weight + next.mine[1].weight);
      }
      const std::vector<double> both = speeds(*field, data_.depth(), model_);
      next = cut({{Place::device, both[0]}, {Place::host, both[1]}});
    }
    say_shares(fmt::format("hybrid: the cores get {:.2f} % of rank 0's rows: {:.4g} ms for {} "
                           "sweeps, the GPU alone {:.4g} ms",
                           100 * share, 1e3 * best_s, data_.depth(), 1e3 * alone_s),
               stream_);
    return best;
  }

  bool can_be(const Cut& wanted) const { return blocks_are_deep(wanted) && fits_hosts(wanted); }

  // Whether every block has as many rows as a halo. Collective.
  bool blocks_are_deep(const Cut& wanted) const {
    const distributed::Processors processors(distributed::communicator_of(stream_), wanted.mine);
    if (data_.rows() < processors.count()) return false;
    const auto bounds = distributed::bounds_of(data_.rows(), processors.weights(), "rows");
    for (std::size_t i = 1; i < bounds.size(); ++i) {
      if (bounds[i] - bounds[i - 1] < data_.depth()) return false;
    }
    return true;
  }

  // Whether the rows of cores fit into their computer's memory, of which a footprint on a GPU says
  // nothing. Collective.
  bool fits_hosts(const Cut& wanted) const {
    const auto& ranks = distributed::communicator_of(stream_);
    const distributed::Processors processors(ranks, wanted.mine);
    if (data_.rows() < processors.count()) return true;  // what is wrong there is said elsewhere
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

/// The cut for a task: the shares that it names, or those that are found. Collective.
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
