// SPDX-License-Identifier: Apache-2.0
// A run over processes: phases of sweeps, then the greatest residual of all parts of all ranks.
#pragma once

#include "variants/jacobi/ranks.hpp"
#include "variants/jacobi/ranks_launches.hpp"

namespace portcost::jacobi {

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
