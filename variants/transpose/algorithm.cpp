// SPDX-License-Identifier: Apache-2.0
// transpose's row: names, sizes, inputs.
#include <fmt/format.h>

#include <algorithm>
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
    ParameterKey::whole("chunks", 8, "overlap: chunks that an exchange goes in, 1 to 64")};

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
  Restored<T> a{*this,
                filled(static_cast<std::size_t>(elements_of(this->problem())), this->stream(),
                       [this](std::uint64_t at) { return element<T>(this->problem().seed, at); })};
  Workspace<T> b{*this, a.size()};
  mutable const T* answered = b.data();
};

void validate(const Problem& p) {
  const std::int64_t chunks = p.parameters.whole("chunks");
  demand(chunks >= 1 && chunks <= most_chunks,
         fmt::format("chunks={} must be from 1 to {}", chunks, most_chunks));
  const auto tiles = [&](std::string_view key) {
    return static_cast<double>(ceil_div(p.size.at(key), std::int64_t{tile}));
  };
  const double all = tiles("nx") * tiles("ny") * real(p, "batch");
  demand(all <= static_cast<double>(most_tiles),
         fmt::format("nx={}, ny={}, batch={} have {:.3g} tiles of {} x {} elements; a launch takes "
                     "{} at most",
                     p.size.at("nx"), p.size.at("ny"), p.size.at("batch"), all, tile, tile,
                     most_tiles));
}

// The largest share of a process in the given and the transposed matrices: rows and columns.
struct Share {
  explicit Share(const Problem& p)
      : rows(std::ceil(real(p, "ny") / std::max(1, p.ranks))),
        columns(std::ceil(real(p, "nx") / std::max(1, p.ranks))),
        given(rows * real(p, "nx") * real(p, "batch")),
        transposed(columns * real(p, "ny") * real(p, "batch")),
        sent(rows * (real(p, "nx") - columns) * real(p, "batch")) {}
  double rows, columns, given, transposed, sent;
};

// For one of several processes: its rows and columns of both; and the data that three steps send
// and receive in packed memory, where GPUs need packed memory. Rank 0 has an answer and one to
// compare it with.
double footprint_over_ranks(const Problem& p) {
  const Share share(p);
  return (2 * (share.given + share.transposed) + 6 * share.sent + 2 * elements_of(p)) *
         bytes(p.type);
}

// The matrices, a copy that restores them, space for the transposed matrices, and two answers.
double footprint(const Problem& p) {
  return p.ranks > 0 ? footprint_over_ranks(p) : 5 * elements_of(p) * bytes(p.type);
}

// Every element is read once and written once, and crosses to another process unless it stays.
Cost cost(const Problem& p) {
  const Share share(p);
  Cost result{{(share.given + share.transposed) * bytes(p.type), "copy"}};
  if (p.ranks > 1) result.push_back({share.sent * bytes(p.type), "exchange"});
  return result;
}

// A host takes tens of times as long.
std::vector<Numbers> measured(Campaign campaign, Place place) {
  std::vector<Numbers> result;
  if (place == Place::device || campaign == Campaign::full) result.push_back({16384, 16384, 1});
  for (const std::int64_t n : {4096, 1024, 64}) result.push_back({n, n, 1});
  result.push_back({4099, 2053, 1});
  if (campaign == Campaign::full) result.push_back({64, 64, 10'000});
  return result;
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
      .footprint = footprint,
      .cost = cost,
      .measured = measured,
      .checked = sizes_of("1,1,1 1,257,2 263,1,2 32,32,1 33,33,3 65,65,1 64,64,5 96,160,2 127,93,3 "
                          "1031,517,1 1024,1024,1"),
      .drawn = {extent, extent, {1, 4}},
      .make = make_instance<Data, float, double>,
      .judge = judge,
      .other_answers = {"copy"},
      .in_default_campaign = false,
  };
}

}  // namespace portcost::transpose
