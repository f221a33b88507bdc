// SPDX-License-Identifier: Apache-2.0
// The Laplacian over processes: halos of four planes arrive, then a step of one process runs.
#include "variants/derivatives/ranks.hpp"

#include <fmt/format.h>

#include "src/distributed/exchange.hpp"
#include "variants/shared/data.hpp"

namespace portcost::derivatives {

namespace {

using distributed::Index;

// A rank runs a step of one process on its slab with ghost planes, as if this were a whole periodic
// field. The step also writes the ghost planes of `out_`; their values are wrong and not part of
// the answer. So each step serves as it is, for eight planes more a rank.
template <class T>
class RanksData final : public InstanceOf<Field<T>> {
 public:
  RanksData(const Problem& p, Stream& stream)
      : InstanceOf<Field<T>>(stream),
        processors_(distributed::communicator_of(stream), {stream.place(), 1}),
        f_(processors_, shape_of(p, processors_), &stream),
        out_(processors_, f_.shape(), &stream),
        halos_(f_, path_of(p, "halos")) {
    const Index& n = f_.shape().distribution.global();
    f_.fill([&, seed = p.seed](const Index& at) {
      return element<T>(seed, static_cast<std::uint64_t>((at[0] * n[1] + at[1]) * n[2] + at[2]));
    });
    const distributed::Part &from = f_.parts()[0], &to = out_.parts()[0];
    field_ = {f_.data(from),
              out_.data(to),
              {},
              static_cast<int>(n[2]),
              static_cast<int>(n[1]),
              static_cast<int>(from.layout.ghost_corners.extent(0)),
              laplacian,
              {}};
    set_weights(field_, {n[2], n[1], n[0]});
  }

  // The field stays; its ghost planes are poisoned, so that an exchange that brings nothing shows.
  void reset() override {
    poison(out_);
    const auto ghosts = static_cast<std::size_t>(reach) * field_.plane();
    T* const first = f_.data(f_.parts()[0]);
    poison_bytes(first, ghosts * sizeof(T), this->stream());
    poison_bytes(first + field_.size() - ghosts, ghosts * sizeof(T), this->stream());
  }
  Answer answer() override {
    const Index& n = f_.shape().distribution.global();
    const auto extent = [&](std::size_t axis) { return static_cast<std::size_t>(n[axis]); };
    return collected(out_, "out", {1, extent(0), extent(1), extent(2)});
  }
  bool repeatable() const override { return true; }
  bool queued_ahead() const override { return false; }
  void before(int) override { halos_.run(f_); }
  Field<T> work(int) const override { return field_; }

 private:
  static distributed::Shape shape_of(const Problem& p, const distributed::Processors& processors) {
    distributed::Shape result = cut(processors, {p.size.at("nz"), p.size.at("ny"), p.size.at("nx")},
                                    0, distributed::Sharing::even);
    result.stencil = {
        {reach, 0, 0}, distributed::StencilType::star, {distributed::BoundaryType::periodic}};
    return result;
  }

  distributed::Processors processors_;
  distributed::Array<T> f_, out_;
  distributed::HaloExchange halos_;
  Field<T> field_;
};

}  // namespace

Unfit unfit_over_ranks(Place place) {
  return on_path("halos", place, [](const Problem& p) -> std::string {
    if (kind_of(p) != laplacian) return std::string(laplacian_alone(p));
    const std::int64_t planes = p.size.at("nz"), ranks = std::max(1, p.ranks);
    const std::int64_t with_halo = ceil_div(planes, ranks) + 2 * reach;
    if (planes / ranks < reach) {
      return fmt::format("a process needs {} planes: nz={} is enough for {}", reach, planes,
                         planes / reach);
    }
    if (with_halo <= most_extent && p.size.at("nx") * p.size.at("ny") * with_halo <= most_nodes) {
      return {};
    }
    return fmt::format("{} planes with halo are more than a launch takes: take more processes",
                       with_halo);
  });
}

std::unique_ptr<Instance> make_over_ranks(const Problem& problem, Stream& stream) {
  return make_instance<RanksData, float, double>(problem, stream);
}

}  // namespace portcost::derivatives
