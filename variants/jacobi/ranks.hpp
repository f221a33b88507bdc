// SPDX-License-Identifier: Apache-2.0
// jacobi over processes (ranks): each rank has parts of the grid with ghost points around them, and
// steps sweep a part as the one-process steps do. Needs MPI; does not include it.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "src/distributed/exchange.hpp"
#include "variants/jacobi/ranks_launches.hpp"
#include "variants/shared/ranks_task.hpp"

namespace portcost::jacobi {

/// How a step cuts the grid, and who sweeps: equal on all ranks except for `mine`.
struct Cut {
  enum class Kind { rows, tiles };
  Kind kind = Kind::rows;  // blocks of rows; or a process grid of two dimensions
  int depth = 1;           // rows of a halo, the most sweeps between two exchanges
  std::vector<distributed::Processor> mine = {};  // of this rank
  bool weighted = false;                          // rows are distributed by the processors' weights
};

/// The grids of one cut: two that swap, and the right side, in parts of one layout, aligned as the
/// grids of one process. All members except sweep(), now() and swap() are collective.
template <class T>
class Field {
 public:
  /// With first values, halos included; or without values, for measurements, whose times do not
  /// depend on them. Throws SharedUsageError, which names the numbers, where there are too many
  /// processes for the rows, or a halo is wider than a block. HaloExchange checks `path`.
  Field(const Input& input, Coefficients<T> c, const Cut& cut, const Stream& stream,
        distributed::Path path = distributed::Path::automatic, bool with_values = true);
  Field(const Field&) = delete;
  Field& operator=(const Field&) = delete;

  /// Restores the first values. Poisons all of the other grid except the frame.
  void reset();
  std::size_t parts() const { return right_.parts().size(); }
  const distributed::Part& part(std::size_t i) const { return now_->parts()[i]; }
  const Stream& stream(std::size_t i) const { return right_.stream(part(i)); }
  distributed::Box domain() const { return right_.shape().distribution.domain(); }
  /// A sweep of a box of a part, in rows and columns of the whole grid. The box may reach into the
  /// halo.
  Sweep<T> sweep(std::size_t i, const distributed::Box& box) const;
  /// The grid that is read, and the one that is written.
  const distributed::Array<T>& now() const { return *now_; }
  distributed::Array<T>& now() { return *now_; }
  distributed::Array<T>& next() { return *next_; }
  void swap() { std::swap(now_, next_); }
  distributed::HaloExchange& halos() { return halos_; }
  /// The element for a part's greatest residual, in the part's place.
  T* residual(std::size_t i) const { return residuals_[i].data(); }

 private:
  void fill(const Input& input);
  void poison(const distributed::Array<T>& array) const;
  void copy_frame(const distributed::Part& from, const distributed::Part& to) const;

  Coefficients<T> c_;
  distributed::Processors processors_;
  distributed::Array<T> right_, first_, front_, back_;
  distributed::Array<T>*now_ = &front_, *next_ = &back_;
  distributed::HaloExchange halos_;
  std::vector<Buffer<T>> residuals_;
};

template <class T>
class RanksData;

inline constexpr RanksWorks<RanksData> ranks_works;

/// A rank's share of a problem: a Field for each cut that a step has requested.
template <class T>
class RanksData final : public InstanceOf<RanksTask<RanksData<T>>>, public FieldOverRanks {
 public:
  RanksData(const Problem& problem, Stream& stream);

  void reset() override;
  Answer answer() override;
  bool repeatable() const override { return !phases_.stops(); }
  RanksTask<RanksData<T>> work(int) const override { return {const_cast<RanksData*>(this)}; }
  int phases() const override { return phases_.count(); }
  bool ends(int phase) override;
  bool queued_ahead() const override { return false; }

  void write_field(const std::string& path, std::string_view header) override;
  bool field_is_finite() override;
  std::array<std::int64_t, 2> field_extents() const override {
    return {input_.rows, input_.columns};
  }
  Answer found() override;

  /// The field of a cut, the same for both sides of a pair. Collective.
  Field<T>& field(const Cut& cut);
  /// A temporary field without values, for measurements. Collective.
  std::unique_ptr<Field<T>> trial(const Cut& cut) const;
  const Phases& plan() const { return phases_; }
  /// The most sweeps that a step may make between two exchanges.
  int depth() const { return depth_; }
  std::int64_t rows() const { return input_.rows; }
  /// Bytes of so many rows of a cut, halos included.
  double bytes_of_rows(std::int64_t rows) const {
    return 4.0 * sizeof(T) * static_cast<double>(pitch_of<T>(input_.columns)) *
           static_cast<double>(rows + 2 * depth_);
  }
  /// hybrid: the percentage of a rank's rows for its cores; negative: to be found (problem.hpp).
  double host_share() const { return host_share_; }
  /// The shares found for a model, once for all executions. A model is identified by one of its
  /// functions in each place.
  using ManySweeps = decltype(Launches<T>::many);
  struct Found {
    ManySweeps device, host;
    Cut cut;
  };
  std::deque<Found>& found_cuts() { return found_cuts_; }
  /// Tells that a phase has run on `field`, with this residual if one was requested.
  void ran(Field<T>& field, int phase, T residual);

 private:
  struct Kept {
    Cut cut;
    std::unique_ptr<Field<T>> field;
  };
  const Field<T>& last() const;

  Input input_;
  Phases phases_;
  Coefficients<T> c_;
  int depth_;
  double host_share_;
  distributed::Path path_;  // of halos
  std::deque<Kept> kept_;
  std::deque<Found> found_cuts_;
  Field<T>* last_ = nullptr;  // the last that ran
  std::vector<T> residuals_;  // one a phase that has run
  std::int64_t sweeps_ = 0;
};

// ---- A run over processes: phases of sweeps, then the greatest residual of all parts of all
// ranks.

/// A model's sweeps in each place.
template <class T>
struct ByPlace {
  Launches<T> device, host;
  const Launches<T>& in(Place place) const { return place == Place::device ? device : host; }
};

/// 1, 2, 4 or 8 sweeps of a part and of `sweeps` - 1 rows of its halo. The rows around these count
/// as a frame, whose old values then affect no node that the part owns.
template <class T>
void sweep_part(const Field<T>& field, std::size_t i, int sweeps, const ByPlace<T>& model) {
  const distributed::Part& part = field.part(i);
  const distributed::Box box =
      common(part.layout.corners.grown({0, sweeps - 1, 0}), field.domain());
  model.in(part.place).many(field.sweep(i, box), sweeps, processors(part.place), field.stream(i));
}

/// When a sweep of a step begins or ends, the halos of now() have arrived.
template <class T>
class OverRanks : public Execution {
 public:
  OverRanks(const RanksTask<RanksData<T>>& task, const Stream&, const Cut& cut,
            const ByPlace<T>& model)
      : data_(*task.data), field_(data_.field(cut)), model_(model) {}
  int phases() const override { return data_.phases(); }
  void run(int phase) override {
    advance(data_.plan().sweeps_of(phase));
    data_.ran(field_, phase, data_.plan().checks() ? greatest_residual() : T(0));
  }
  bool ends(int phase) override { return data_.ends(phase); }
  bool queued_ahead() const override { return data_.queued_ahead(); }

 protected:
  /// Advances by `sweeps` sweeps. Collective.
  virtual void advance(int sweeps) = 0;

  Field<T>& field() { return field_; }
  const Launches<T>& in(std::size_t part) const { return model_.in(field_.part(part).place); }
  int depth() const { return data_.depth(); }
  void pass(std::size_t i, int sweeps) { sweep_part(field_, i, sweeps, model_); }
  void exchange() {
    field_.swap();
    field_.halos().run(field_.now());
  }

 private:
  // A maximum of bits, in which a NaN is greater than all: the same for any number of ranks.
  T greatest_residual() {
    T mine = 0;
    const auto take = [&](T value) {
      if (bits_of(value) > bits_of(mine)) mine = value;
    };
    for (std::size_t i = 0; i < field_.parts(); ++i) {
      const distributed::Part& part = field_.part(i);
      const Stream& stream = field_.stream(i);
      in(i).residual(field_.sweep(i, part.layout.corners), field_.residual(i), stream);
      T value = 0;
      copy_bytes(&value, Place::host, field_.residual(i), part.place, sizeof value, stream);
      stream.synchronize();
      take(value);
    }
    const Stream& stream = data_.stream();
    for (const double value : distributed::communicator_of(stream).gathered(double{mine})) {
      take(static_cast<T>(value));
    }
    return mine;
  }

  RanksData<T>& data_;
  Field<T>& field_;
  ByPlace<T> model_;
};

}  // namespace portcost::jacobi
