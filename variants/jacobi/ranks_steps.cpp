// SPDX-License-Identifier: Apache-2.0
#include "variants/jacobi/ranks_steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "variants/jacobi/ranks.hpp"
#include "variants/jacobi/ranks_shares.hpp"

namespace portcost::jacobi {

namespace {

using distributed::Box;

// J2: a sweep, then the neighbours' rows, one after the other.
template <class T>
class Rows final : public OverRanks<T> {
 public:
  using OverRanks<T>::OverRanks;

 private:
  void advance(int sweeps) override {
    Field<T>& field = this->field();
    for (int sweep = 0; sweep < sweeps; ++sweep) {
      for (std::size_t i = 0; i < field.parts(); ++i) {
        this->in(i).whole_rows(field.sweep(i, field.part(i).layout.corners), field.stream(i));
      }
      field.swap();
      field.halos().run(field.now());
    }
  }
};

// Sweeps the edges first, and the inside while the edges travel. On a device edges and messages
// have a queue of their own, whose blocks have priority over the inside's, which fill the GPU.
template <class T>
class Overlap final : public OverRanks<T> {
 public:
  Overlap(const RanksTask<RanksData<T>>& task, const Stream& stream, const Cut& cut,
          const ByPlace<T>& model)
      : OverRanks<T>(task, stream, cut, model), queues_(stream, 2, Priority::high) {
    const Field<T>& field = this->field();
    split_ = split_of(field.part(0).layout.corners, field.domain(), margin<T>);
  }

 private:
  void advance(int sweeps) override {
    Field<T>& field = this->field();
    const Launches<T>& launches = this->in(0);
    const bool device = field.part(0).place == Place::device;
    // Where begin() waits for the edges, the inside must be enqueued before; where it does not,
    // halos are enqueued first, so that the GPU has room for the kernels that move them.
    const bool inside_first = device && !field.halos().is_only_enqueued();
    for (int sweep = 0; sweep < sweeps; ++sweep) {
      queues_.fork();
      for (const Box& edge : split_.edges) {
        launches.sweep(field.sweep(0, edge), device ? queues_[1] : field.stream(0));
      }
      if (inside_first) sweep_inside(launches);
      field.halos().begin(field.next(), device ? &queues_[1] : nullptr);
      if (!inside_first) sweep_inside(launches);
      field.halos().end();
      queues_.join();
      field.swap();
    }
  }

  // On a host in pieces, between which the MPI library gets the processor. Pieces are of columns,
  // so that each thread keeps its rows.
  void sweep_inside(const Launches<T>& launches) {
    Field<T>& field = this->field();
    const Box& inside = split_.inside;
    if (inside.empty()) return;
    const bool device = field.part(0).place == Place::device;
    const std::int64_t columns = device ? inside.extent(2) : std::int64_t{piece_columns};
    for (std::int64_t begin = inside.begin[2]; begin < inside.end[2]; begin += columns) {
      Box some = inside;
      some.begin[2] = begin;
      some.end[2] = std::min(begin + columns, inside.end[2]);
      launches.whole_rows(field.sweep(0, some), field.stream(0));
      if (!device) field.halos().test();
    }
  }

  static constexpr int piece_columns = 2048;
  Queues queues_;
  Split split_;
};

// A halo of many rows, and as many sweeps between two exchanges: both neighbours compute the halo's
// rows, one row fewer in each sweep.
template <class T>
class DeepHalos final : public OverRanks<T> {
 public:
  using OverRanks<T>::OverRanks;

 private:
  void advance(int sweeps) override {
    for (int left = sweeps; left > 0;) {
      const int made = pass_of(left, this->depth());
      for (std::size_t i = 0; i < this->field().parts(); ++i) this->pass(i, made);
      this->exchange();
      left -= made;
    }
  }
};

// Why a step with blocks of rows does not take a problem.
template <bool deep>
std::string unfit_for_rows(const Problem& p) {
  using distributed::Sharing;
  if (p.ranks <= 1) return {};
  const std::int64_t rows = p.size.at("rows"), fewest = rows / p.ranks;
  const std::string few =
      distributed::why_not_shared(rows, p.ranks, deep ? Sharing::even : Sharing::ceil, "rows");
  if (!deep || !few.empty() || fewest >= p.parameters.whole("depth")) return few;
  return fmt::format(
      "a halo of {} rows (`depth`) is wider than a process's block, which has {} of {}",
      p.parameters.whole("depth"), fewest, rows);
}

std::string unfit_for_tiles(const Problem& p) {
  try {
    distributed::Distribution({1, p.size.at("rows"), p.size.at("columns")}, std::max(1, p.ranks),
                              {{1, 0, 0}});
    return {};
  } catch (const UsageError& error) {
    return error.what();
  }
}

// A step on equal parts of the grid; `deep`: with halos of the problem's depth.
template <template <class> class Made, Cut::Kind kind = Cut::Kind::rows, bool deep = false>
Rung step(std::string_view name, const ModelLaunches& model) {
  return rung(ranks_works, name,
              [model]<class T>(const RanksTask<RanksData<T>>& task,
                               const Stream& stream) -> std::unique_ptr<Execution> {
                const Launches<T>& launches = std::get<Launches<T>>(model);
                const Cut cut{kind, deep ? task.data->depth() : 1, {{stream.place(), 1}}};
                return std::make_unique<Made<T>>(task, stream, cut, ByPlace<T>{launches, launches});
              });
}

}  // namespace

Split split_of(const Box& part, const Box& domain, std::int64_t line) {
  Split result{{}, part};
  Box& rest = result.inside;
  // The first or last `width` points that remain on an axis become an edge.
  const auto take = [&](std::size_t axis, bool first, std::int64_t width) {
    if (rest.empty()) return;
    Box edge = rest;
    const std::int64_t cut = first ? std::min(rest.begin[axis] + width, rest.end[axis])
                                   : std::max(rest.end[axis] - width, rest.begin[axis]);
    (first ? edge.end : edge.begin)[axis] = cut;
    (first ? rest.begin : rest.end)[axis] = cut;
    result.edges.push_back(edge);
  };
  if (part.begin[1] > 0) take(1, true, 1);
  if (part.end[1] < domain.end[1]) take(1, false, 1);
  if (part.begin[2] > 0) take(2, true, line);
  if (part.end[2] < domain.end[2]) take(2, false, (rest.extent(2) - 1) % line + 1);
  return result;
}

Rungs rungs_over_ranks(const ModelLaunches& model, Place place) {
  const Unfit for_rows = on_path("halos", place, unfit_for_rows<false>);
  return {step<Rows>("rows", model).unless(for_rows),
          step<Overlap>("overlap", model).unless(for_rows),
          step<Overlap, Cut::Kind::tiles>("tiles_2d", model)
              .unless(on_path("halos", place, unfit_for_tiles)),
          step<DeepHalos, Cut::Kind::rows, true>("deep_halos", model)
              .unless(on_path("halos", place, unfit_for_rows<true>))};
}

Rung hybrid_rung(const ModelLaunches& device, const ModelLaunches& host) {
  return rung(ranks_works, "hybrid",
              [=]<class T>(const RanksTask<RanksData<T>>& task,
                           const Stream& stream) -> std::unique_ptr<Execution> {
                const ByPlace<T> model{std::get<Launches<T>>(device), std::get<Launches<T>>(host)};
                const Cut cut = shares_by_speed(task, stream, model);
                return std::make_unique<DeepHalos<T>>(task, stream, cut, model);
              })
      .unless(on_path("halos", Place::device, unfit_for_rows<true>));
}

void say_shares(const std::string& text, const Stream& stream) {
  if (distributed::communicator_of(stream).rank() != 0) return;
  std::fputs(("portcost: " + text + "\n").c_str(), stderr);
}

Rung hybrid_rung(const ModelLaunches& host) {
  return hybrid_rung(host, host).unless(on_path("halos", Place::host, unfit_for_rows<true>));
}

}  // namespace portcost::jacobi
