// SPDX-License-Identifier: Apache-2.0
// heat2d over processes: blocks of rows of a distributed array.
#include "variants/heat2d/ranks.hpp"

#include <algorithm>
#include <optional>

#include "src/support/error.hpp"
#include "variants/shared/data.hpp"

namespace portcost::heat2d {

namespace {

using distributed::Box;
using distributed::Distribution;
using distributed::Index;
using distributed::Part;
using distributed::Processors;

template <class T>
distributed::Shape shape_of(const Problem& p, const Processors& processors) {
  std::optional<Distribution> rows;
  processors.ranks().together([&] {
    rows.emplace(Index{1, p.size.at("ny"), p.size.at("nx")}, processors.count(),
                 Distribution::Settings{{1, processors.count(), 1}});
  });
  return {*rows, {{0, 1, 0}}, 128 / sizeof(T)};
}

std::string unfit(const Problem& p) {
  return distributed::why_not_shared(p.size.at("ny"), std::max(1, p.ranks),
                                     distributed::Sharing::even, "rows");
}
std::string unfit_on_host(const Problem& p) {
  return needs_gpus(path_of(p, "halos")) ? std::string(distributed::hosts_refuse) : unfit(p);
}

template <class T>
class Distributed final : public Execution {
 public:
  Distributed(RanksData<T>& data, const Stream& stream, Launch<Step<T>> launch)
      : data_(data), stream_(stream), launch_(std::move(launch)) {}
  int phases() const override { return data_.phases(); }
  void run(int) override {
    launch_(data_.step(), stream_);
    data_.exchange();
  }
  bool queued_ahead() const override { return data_.queued_ahead(); }

 private:
  RanksData<T>& data_;
  const Stream& stream_;
  Launch<Step<T>> launch_;
};

// The function of a step for one type of work.
template <class Work>
Launch<Work> launch_of(const Rungs& model, std::string_view step, Way way) {
  for (const Rung& one : model) {
    if (one.step != step || one.way != way || !one.dials.empty()) continue;
    for (const std::any& launch : one.launches) {
      if (const auto* held = std::any_cast<Launch<Work>>(&launch)) return *held;
    }
  }
  throw Failure("a model lacks the step that its processes are to run");
}

}  // namespace

template <class T>
RanksData<T>::RanksData(const Problem& p, Stream& stream)
    : InstanceOf<RanksTask<RanksData<T>>>(stream),
      steps_(static_cast<int>(p.size.at("steps"))),
      processors_(distributed::communicator_of(stream), distributed::Processor{stream.place(), 1}),
      first_(processors_, shape_of<T>(p, processors_), &stream),
      front_(processors_, first_.shape(), &stream),
      back_(processors_, first_.shape(), &stream),
      halos_(front_, path_of(p, "halos")) {
  const Coefficients<double> c = coefficients_of(p);
  c_ = {static_cast<T>(c.x), static_cast<T>(c.y)};
  const Box domain = first_.shape().distribution.domain();
  const auto nx = static_cast<std::uint64_t>(p.size.at("nx"));
  first_.fill(
      [=, seed = p.seed](const Index& at) {
        if (!domain.contains(at)) return T(0);
        const auto node =
            static_cast<std::uint64_t>(at[1]) * nx + static_cast<std::uint64_t>(at[2]);
        return static_cast<T>(temperature(seed, node));
      },
      true);
}

template <class T>
void RanksData<T>::reset() {
  now_ = &front_;
  next_ = &back_;
  const Part &first = first_.parts()[0], &front = front_.parts()[0], &back = back_.parts()[0];
  const std::size_t size = first_.span(first).size_bytes();
  copy_bytes(front.data, front.place, first.data, first.place, size, this->stream());
  poison_bytes(back.data, size, this->stream());
}

template <class T>
Step<T> RanksData<T>::step() const {
  const distributed::Layout& layout = now_->parts()[0].layout;
  const Box domain = now_->shape().distribution.domain();
  const Box box = common(layout.ghost_corners, domain);
  const std::int64_t at = layout.at(box.begin);
  return {now_->data(now_->parts()[0]) + at,        next_->data(next_->parts()[0]) + at,
          static_cast<int>(box.extent(2)),          static_cast<int>(box.extent(1)),
          static_cast<std::uint32_t>(layout.pitch), c_};
}

template <class T>
void RanksData<T>::exchange() {
  std::swap(now_, next_);
  halos_.run(*now_);
}

template <class T>
Answer RanksData<T>::answer() {
  const Index& n = first_.shape().distribution.global();
  return collected(*now_, "temperature",
                   {static_cast<std::size_t>(n[1]), static_cast<std::size_t>(n[2])});
}

Rung distributed_rung(const Rungs& model, std::string_view step, Place place, Way way) {
  const auto launches = std::tuple(launch_of<Step<float>>(model, step, way),
                                   launch_of<Step<double>>(model, step, way));
  return rung(ranks_works, "distributed",
              [launches]<class T>(const RanksTask<RanksData<T>>& task,
                                  const Stream& stream) -> std::unique_ptr<Execution> {
                return std::make_unique<Distributed<T>>(*task.data, stream,
                                                        std::get<Launch<Step<T>>>(launches));
              })
      .written(way)
      .unless(place == Place::host ? unfit_on_host : unfit);
}

std::unique_ptr<Instance> make_over_ranks(const Problem& problem, Stream& stream) {
  return make_instance<RanksData, float, double>(problem, stream);
}

template class RanksData<float>;
template class RanksData<double>;

}  // namespace portcost::heat2d
