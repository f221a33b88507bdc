// SPDX-License-Identifier: Apache-2.0
// heat2d over processes: blocks of rows of a distributed array.
#include "variants/heat2d/ranks.hpp"

#include "src/distributed/exchange.hpp"
#include "variants/shared/data.hpp"

namespace portcost::heat2d {

namespace {

using distributed::Box;
using distributed::Index;
using distributed::Processors;

template <class T>
distributed::Shape shape_of(const Problem& p, const Processors& processors) {
  const distributed::Shape rows =
      cut(processors, {1, p.size.at("ny"), p.size.at("nx")}, 1, distributed::Sharing::even);
  return {rows.distribution, {{0, 1, 0}}, 128 / sizeof(T)};
}

// A rank's share of a problem: two grids that take turns, in blocks of rows.
template <class T>
class RanksData final : public InstanceOf<Step<T>> {
 public:
  RanksData(const Problem& p, Stream& stream)
      : InstanceOf<Step<T>>(stream),
        steps_(static_cast<int>(p.size.at("steps"))),
        processors_(distributed::communicator_of(stream), {stream.place(), 1}),
        first_(processors_, shape_of<T>(p, processors_), &stream),
        front_(processors_, first_.shape(), &stream),
        back_(processors_, first_.shape(), &stream),
        halos_(front_, path_of(p, "halos")) {
    const Coefficients<double> c = coefficients_of(p);
    c_ = {static_cast<T>(c.x), static_cast<T>(c.y)};
    const Box domain = first_.shape().distribution.domain();
    first_.fill(
        [=, nx = p.size.at("nx"), seed = p.seed](const Index& at) {
          if (!domain.contains(at)) return T(0);
          return static_cast<T>(temperature(seed, static_cast<std::uint64_t>(at[1] * nx + at[2])));
        },
        true);
  }

  void reset() override {
    now_ = &front_;
    next_ = &back_;
    const distributed::Part &first = first_.parts()[0], &front = front_.parts()[0];
    copy_bytes(front.data, front.place, first.data, first.place, first_.span(first).size_bytes(),
               this->stream());
    poison(back_);
  }
  Answer answer() override {
    const Index& n = first_.shape().distribution.global();
    return collected(*now_, "temperature",
                     {static_cast<std::size_t>(n[1]), static_cast<std::size_t>(n[2])});
  }
  bool repeatable() const override { return true; }
  int phases() const override { return steps_; }
  bool queued_ahead() const override { return false; }

  // A time step of this rank's rows. The rows beside them count as fixed edges and are copied.
  Step<T> work(int) const override {
    const distributed::Layout& layout = now_->parts()[0].layout;
    const Box box = common(layout.ghost_corners, now_->shape().distribution.domain());
    const std::int64_t at = layout.at(box.begin);
    return {now_->data(now_->parts()[0]) + at,        next_->data(next_->parts()[0]) + at,
            static_cast<int>(box.extent(2)),          static_cast<int>(box.extent(1)),
            static_cast<std::uint32_t>(layout.pitch), c_};
  }
  // The grids swap, and the neighbours' rows arrive.
  void enqueued(int) override {
    std::swap(now_, next_);
    halos_.run(*now_);
  }

 private:
  Coefficients<T> c_;
  int steps_;
  Processors processors_;
  distributed::Array<T> first_, front_, back_;
  distributed::Array<T>*now_ = &front_, *next_ = &back_;
  distributed::HaloExchange halos_;
};

}  // namespace

std::unique_ptr<Instance> make_over_ranks(const Problem& problem, Stream& stream) {
  return make_instance<RanksData, float, double>(problem, stream);
}

}  // namespace portcost::heat2d
