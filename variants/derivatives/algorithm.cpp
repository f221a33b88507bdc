// SPDX-License-Identifier: Apache-2.0
// derivatives' row: names, sizes, inputs.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <numbers>

#include "variants/derivatives/problem.hpp"
#include "variants/shared/data.hpp"

namespace portcost::derivatives {

namespace {

constexpr std::array size_keys{
    SizeKey{"nx", 512, least_extent, most_extent, "nodes along x, which are neighbours in memory"},
    SizeKey{"ny", 512, least_extent, most_extent, "nodes along y"},
    SizeKey{"nz", 512, least_extent, most_extent, "nodes along z"},
    SizeKey{"kind", 0, 0, kinds - 1,
            "0, 1, 2: d/dx, d/dy, d/dz; 3: all three; 4: the Laplacian; 5: all three on a "
            "stretched grid",
            false}};

std::size_t nodes_of(const Problem& p) { return count(p, "nx") * count(p, "ny") * count(p, "nz"); }

template <class T>
struct Data final : DataOf<Field<T>> {
  using DataOf<Field<T>>::DataOf;
  Field<T> work(int) const override {
    Field<T> result{f.data(), out.data(), kind == stretched ? metric.data() : nullptr,
                    n[0],     n[1],       n[2],
                    kind,     {}};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double h = 1.0 / n[axis];
      const auto w = kind == laplacian ? second_weights(h) : first_weights(h);
      result.w[axis].centre = static_cast<T>(w.centre);
      for (int k = 0; k < reach; ++k) result.w[axis].at[k] = static_cast<T>(w.at[k]);
    }
    return result;
  }
  T metric_of(std::uint64_t at) const {
    auto i = static_cast<int>(at);
    std::size_t axis = 0;
    while (i >= n[axis]) i -= n[axis++];
    return static_cast<T>(metric_at(i, n[axis]));
  }

  std::array<int, 3> n{this->size("nx"), this->size("ny"), this->size("nz")};
  Kind kind = kind_of(this->problem());
  Buffer<T> f = filled(nodes_of(this->problem()), this->stream(),
                       [this](std::uint64_t at) { return element<T>(this->problem().seed, at); });
  Buffer<T> metric = filled(static_cast<std::size_t>(n[0] + n[1] + n[2]), this->stream(),
                            [this](std::uint64_t at) { return metric_of(at); });
  Output<T> out{*this,
                "out",
                {fields_of(this->problem()), count(this->problem(), "nz"),
                 count(this->problem(), "ny"), count(this->problem(), "nx")}};
};

void validate(const Problem& p) {
  const double all = real(p, "nx") * real(p, "ny") * real(p, "nz");
  demand(all <= static_cast<double>(most_nodes),
         fmt::format("nx={}, ny={}, nz={} have {:.3g} nodes; a launch takes {} at most",
                     p.size.at("nx"), p.size.at("ny"), p.size.at("nz"), all, most_nodes));
}

// The bytes of the field and of `many` answers.
double bytes_of(const Problem& p, double many) {
  return (1 + many * static_cast<double>(fields_of(p))) * static_cast<double>(nodes_of(p)) *
         bytes(p.type);
}

// Every kind of a main size and of a small one; some of a large one.
std::vector<Numbers> measured(Campaign campaign, Place place) {
  const bool full = campaign == Campaign::full;
  std::vector<Numbers> result;
  const auto add = [&](std::int64_t n, std::int64_t first, std::int64_t last) {
    for (std::int64_t kind = first; kind <= last; ++kind) result.push_back({n, n, n, kind});
  };
  add(place == Place::device ? 512 : 256, along_x, stretched);
  add(64, full ? along_x : laplacian, full ? stretched : laplacian);
  if (full && place == Place::device) {
    add(128, along_z, laplacian);
    add(256, along_x, laplacian);
    add(500, along_x, laplacian);
    add(1024, along_x, along_z);
  }
  return result;
}

}  // namespace

double metric_at(std::int64_t i, std::int64_t n) {
  const double u = static_cast<double>(i) / static_cast<double>(n);
  return 1 / (1 + 0.5 * std::cos(2 * std::numbers::pi * u));
}

Algorithm algorithm() {
  const Draw extent{least_extent, 80, {9, 10, 31, 32, 33, 40, 63, 64, 65, 68, 72}};
  return {
      .name = "derivatives",
      .summary = "derivatives of eighth order on a periodic 3D grid: x, y, z, all, the Laplacian",
      .size_keys = size_keys,
      .validate = validate,
      // The field, the answer, and two copies of it.
      .footprint = [](const Problem& p) { return bytes_of(p, 3); },
      // Every node is read once and each derivative written once.
      .cost = [](const Problem& p) -> Cost {
        return {{bytes_of(p, 1), "copy"}};
      },
      .measured = measured,
      .checked = crossed({{65}, {67}, {72}, {0, 1, 2, 3, 4, 5}}),
      .drawn = {extent, extent, extent, {0, kinds - 1}},
      .make = make_instance<Data, float, double>,
      .judge = judge,
      .in_default_campaign = false,
  };
}

}  // namespace portcost::derivatives
