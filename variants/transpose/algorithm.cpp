// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <cmath>

#include "src/distributed/path.hpp"
#include "variants/shared/data.hpp"
#include "variants/transpose/problem.hpp"

namespace portcost::transpose {

namespace {

constexpr std::array size_keys{SizeKey{"nx", 16384, 1, most_extent, "columns"},
                               SizeKey{"ny", 16384, 1, most_extent, "rows"},
                               SizeKey{"batch", 1, 1, most_extent, "matrices"}};
constexpr std::array parameter_keys{
    ParameterKey::choice("path", distributed::path_names,
                         "over processes: how points go from GPU to GPU"),
    ParameterKey::whole("chunks", 8, "overlap: chunks that an exchange goes in", 1, most_chunks)};

double elements_of(const Problem& p) { return real(p, "nx") * real(p, "ny") * real(p, "batch"); }

// The given matrices, which in_place changes, and space for the transposed matrices.
template <class T>
struct Data final : DataOf<Matrices<T>> {
  Data(const Problem& p, Stream& on) : DataOf<Matrices<T>>(p, on) {
    this->at_reset([this] { answered = b.data(); });
    this->in_answer([this] { return dense("out", answered, {a.size()}, this->stream()); });
  }
  Matrices<T> work(int) const override { return {{a.data(), b.data(), nx, ny}, &answered, batch}; }

  int nx = this->size("nx"), ny = this->size("ny"), batch = this->size("batch");
  Restored<T> a{*this, this->input(elements_of(this->problem()), [this](std::uint64_t at) {
                  return element<T>(this->seed(), at);
                })};
  Workspace<T> b{*this, a.size()};
  mutable const T* answered = b.data();
};

void validate(const Problem& p) {
  const double all =
      std::ceil(real(p, "nx") / tile) * std::ceil(real(p, "ny") / tile) * real(p, "batch");
  demand(all <= most_tiles,
         fmt::format("{} have {:.3g} tiles of {} x {} elements; a launch takes {} at most",
                     p.size.text(), all, tile, tile, most_tiles));
}

// Elements of the given and the transposed matrices on the process with most, and those it sends.
std::array<double, 3> share_of(const Problem& p) {
  const double rows = largest_share(p, "ny"), columns = largest_share(p, "nx");
  const double nx = real(p, "nx"), batch = real(p, "batch");
  return {rows * nx * batch, columns * real(p, "ny") * batch, rows * (nx - columns) * batch};
}

}  // namespace

Algorithm algorithm() {
  const Draw extent{1, 200, {1, 2, 4, 7, 8, 31, 32, 33, 63, 64, 65, 128}};
  return {
      .name = "transpose",
      .summary = "the transposed of one matrix, or of several of one size",
      .size_keys = size_keys,
      .parameter_keys = parameter_keys,
      .absent =
          absent_without_mpi({"redistribute", "all_to_all", "overlap", "direct", "direct_stores"}),
      .validate = validate,
      // The matrices, their copy, the transposed ones, and two answers. Of several processes a
      // share of both, and packed data that three steps send and receive; rank 0 has the answers.
      .footprint =
          [](const Problem& p) {
            const auto [given, transposed, sent] = share_of(p);
            const double all = elements_of(p);
            return (2 * all + (p.ranks > 0 ? 2 * (given + transposed) + 6 * sent : 3 * all)) *
                   bytes(p.type);
          },
      // Every element is read and written once, and crosses to another process unless it stays.
      .cost = [](const Problem& p) -> Cost {
        const auto [given, transposed, sent] = share_of(p);
        const double width = bytes(p.type);
        return with_exchange(p, {{(given + transposed) * width, "copy"}}, sent * width);
      },
      // A host takes tens of times as long.
      .measured = {.device = "16384|4096|1024|64,=,1 4099,2053,1",
                   .device_full = "16384|4096|1024|64,=,1 4099,2053,1 64,=,10000",
                   .host = "4096|1024|64,=,1 4099,2053,1"},
      .checked =
          "1,=,1 1,257,2 263,1,2 32,=,1 33,=,3 65,=,1 64,=,5 96,160,2 127,93,3 1031,517,1 "
          "1024,=,1",
      .drawn = {extent, extent, {1, 4}},
      .make = make_instance<Data, float, double>,
      .judge = judge,
      .other_answers = {"copy"},
      .in_default_campaign = false,
  };
}

}  // namespace portcost::transpose
