// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>

#include "src/distributed/path.hpp"
#include "variants/derivatives/problem.hpp"
#include "variants/shared/data.hpp"

namespace portcost::derivatives {

namespace {

constexpr std::array size_keys{
    SizeKey{"nx", 512, least_extent, most_extent, "nodes along x, which are neighbours in memory"},
    SizeKey{"ny", 512, least_extent, most_extent, "nodes along y"},
    SizeKey{"nz", 512, least_extent, most_extent, "nodes along z"},
    SizeKey{"kind", 0, 0, kinds - 1,
            "0, 1, 2: d/dx, d/dy, d/dz; 3: all; 4: the Laplacian; 5: all on a stretched grid",
            false}};

constexpr std::array parameter_keys{ParameterKey::choice(
    "halos", distributed::path_names, "distributed: the path of halos between processes")};

double nodes_of(const Problem& p) { return real(p, "nx") * real(p, "ny") * real(p, "nz"); }
double bytes_of(const Problem& p) { return nodes_of(p) * bytes(p.type); }

template <class T>
struct Data final : DataOf<Field<T>> {
  using DataOf<Field<T>>::DataOf;
  Field<T> work(int) const override {
    Field<T> result{f.data(), out.data(), {}, n[0], n[1], n[2], kind, {}};
    for (std::size_t axis = 0, at = 0; axis < 3 && kind == stretched; at += n[axis++]) {
      result.metric[axis] = metric.data() + at;
    }
    set_weights(result, {n[0], n[1], n[2]});
    return result;
  }

  std::array<int, 3> n{this->size("nx"), this->size("ny"), this->size("nz")};
  Kind kind = kind_of(this->problem());
  Buffer<T> f = this->input(nodes_of(this->problem()),
                            [this](std::uint64_t at) { return element<T>(this->seed(), at); });
  Buffer<T> metric = this->input(n[0] + n[1] + n[2], [this](std::uint64_t at) {
    auto i = static_cast<int>(at);
    std::size_t axis = 0;
    while (i >= n[axis]) i -= n[axis++];
    return static_cast<T>(metric_at(i, n[axis]));
  });
  Output<T> out{
      *this,
      "out",
      {fields_of(this->problem()), this->extent("nz"), this->extent("ny"), this->extent("nx")}};
};

}  // namespace

Algorithm algorithm() {
  const Draw extent{least_extent, 80, {9, 10, 31, 32, 33, 40, 63, 64, 65, 68, 72}};
  return {
      .name = "derivatives",
      .summary = "derivatives of eighth order on a periodic 3D grid: x, y, z, all, the Laplacian",
      .size_keys = size_keys,
      .parameter_keys = parameter_keys,
      .absent = absent_without_mpi({"distributed"}),
      .validate =
          [](const Problem& p) {
            demand(nodes_of(p) <= static_cast<double>(most_nodes),
                   fmt::format("{} have {:.3g} nodes; a launch takes {} at most", p.size.text(),
                               nodes_of(p), most_nodes));
            demand(p.size.at("ny") * p.size.at("nz") <= most_rows,
                   fmt::format("ny={} and nz={} are {:.3g} rows; a league holds {} at most",
                               p.size.at("ny"), p.size.at("nz"), real(p, "ny") * real(p, "nz"),
                               most_rows));
          },
      // The field, the answer, and two copies of it. Of several processes, rank 0 has the copies.
      .footprint =
          [](const Problem& p) {
            const double planes = largest_share(p, "nz") + (p.ranks > 0 ? 2 * reach : 0);
            return bytes_of(p) * ((1 + fields_of(p)) * planes / real(p, "nz") + 2.0 * fields_of(p));
          },
      // Every node is read once and each derivative written once. A process sends four planes to
      // each of its neighbours (of two processes, both to the same).
      .cost = [](const Problem& p) -> Cost {
        const double share = largest_share(p, "nz") / real(p, "nz");
        return with_exchange(p, {{(1 + fields_of(p)) * bytes_of(p) * share, "copy"}},
                             2 * reach * bytes_of(p) / real(p, "nz"));
      },
      // Every kind of a main size and of a small one; some of a large one.
      .measured = {.device = "512,=,=,0..5 64,=,=,4",
                   .device_full =
                       "512,=,=,0..5 64,=,=,0..5 128,=,=,2..4 256|500,=,=,0..4 1024,=,=,0..2",
                   .host = "256,=,=,0..5 64,=,=,4",
                   .host_full = "256,=,=,0..5 64,=,=,0..5"},
      .checked = "65,67,72,0..5 72,67,65,0..5 132,9,40,3..5",
      .drawn = {extent, extent, extent, {0, kinds - 1}},
      .make = make_instance<Data, float, double>,
      .judge = judge,
      .in_default_campaign = false,
  };
}

}  // namespace portcost::derivatives
