// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>

#include "src/distributed/path.hpp"
#include "src/memory/host_memory.hpp"
#include "variants/jacobi/problem.hpp"
#include "variants/shared/data.hpp"

namespace portcost::jacobi {

namespace {

constexpr std::int64_t longest = 1 << 30;  // indices, and their strides, stay below 2^31
constexpr std::int64_t most_sweeps = 1'000'000'000;
constexpr std::array size_keys{
    SizeKey{"rows", 8192, 1, longest, "nodes along x, without the frame"},
    SizeKey{"columns", 8192, 1, longest, "nodes along y, neighbours in memory"},
    SizeKey{"iterations", 5000, 1, most_sweeps, "sweeps"}};
constexpr std::array parameter_keys{
    ParameterKey::choice("fields", field_names, "first values inside, and the right side"),
    ParameterKey::real("boundary", 1, "the fixed value around the nodes"),
    ParameterKey::real("dx", 0.5, "distance of rows"),
    ParameterKey::real("dy", 0.25, "distance of columns"),
    ParameterKey::whole("check_every", 0, "sweeps between two residuals; 0: none"),
    ParameterKey::real("tolerance", 0, "stops where the greatest residual is no greater"),
    ParameterKey::choice("memory", memory_names,
                         "of a GPU's grids and right side: its own, or the host's, mapped"),
    ParameterKey::whole("depth", most_depth,
                        "many_steps: sweeps a pass over memory, 1, 2, 4 or 8; deep_halos: and "
                        "between two exchanges"),
    ParameterKey::real("host_share", found_share,
                       "hybrid: percent of a rank's rows for its cores; -1: found by measuring; "
                       "-2: and held against every whole percentage"),
    ParameterKey::choice("halos", distributed::path_names, "over processes: the path of halos")};

template <class T>
struct Data final : DataOf<Task<T>> {
  Data(const Problem& p, Stream& on) : DataOf<Task<T>>(p, on) {
    const Coefficients<double> exact = coefficients_of(p);
    c = {static_cast<T>(exact.x), static_cast<T>(exact.y), static_cast<T>(exact.beta)};
    if (on.place() == Place::device && p.parameters.number_of("memory", memory_names) == 1) {
      for (HostMemory& one : mapped) one = {front.size() * sizeof(T), HostKind::mapped};
      to_mapped(2, right);
      grids_of = {on_device(0), on_device(1)};
      right_of = on_device(2);
    }
    this->at_reset([this] { begin(); });
    this->in_answer([this] {
      return dense_rows("temperature", grids.now, pitch, rows, columns, this->stream());
    });
    this->template sends<T>(front.initial(), [this] {
      grids = {grids_of.now + first, grids_of.next + first};
      return grids_of.now;
    });
    this->template sends<T>(right, [this] { return right_of; });
    this->fetches([this] { return grids.now - first; }, front.bytes());
    if (checks == 0) return;
    this->in_answer(
        [this] { return dense("residual", residual.data(), {checks}, this->stream()); });
    this->in_answer([this] { return dense_one("sweeps", sweeps, this->stream()); });
  }
  // A run that has converged leaves less work for the next.
  bool repeatable() const override { return !plan.stops(); }
  int phases() const override { return plan.count(); }
  Task<T> work(int phase) const override {
    return {&grids,
            right_of + first,
            rows,
            columns,
            static_cast<int>(pitch),
            c,
            plan.sweeps_of(phase),
            static_cast<int>(this->problem().parameters.whole("depth")),
            checks == 0 ? nullptr : residual.data() + phase,
            processors(this->stream().place()),
            buffers.data()};
  }
  void enqueued(int phase) override { sweeps = static_cast<int>(plan.sweeps_until(phase)); }
  // A NaN residual does not end a run, although it stays NaN.
  bool ends(int phase) override {
    if (!plan.stops()) return false;
    T found = 0;
    copy_bytes(&found, Place::host, residual.data() + phase, residual.place(), sizeof(T),
               this->stream());
    this->stream().synchronize();
    return static_cast<double>(found) <= plan.tolerance();
  }
  bool queued_ahead() const override { return !plan.stops(); }

  template <class Value>
  Buffer<T> grid(const Value& value) const {
    return this->input(elements_of<T>(rows, columns), [&](std::uint64_t i) {
      const std::int64_t y = static_cast<std::int64_t>(i) / pitch - 1,
                         x = static_cast<std::int64_t>(i) % pitch - margin<T>;
      return x >= -1 && x <= columns ? static_cast<T>(value(y, x)) : T(0);
    });
  }
  // The grid that is read first holds the inputs; the other holds only the frame.
  void begin() {
    if (right_of != right.data()) {
      to_mapped(0, front.initial());
      to_mapped(1, back);
    }
    grids = {grids_of.now + first, grids_of.next + first};
    sweeps = 0;
    const auto row = static_cast<std::size_t>(pitch) * sizeof(T);
    const auto copy = [&](std::int64_t from, std::size_t bytes, std::int64_t count) {
      copy_rows(grids_of.next + from, row, front.initial().data() + from, row, bytes,
                static_cast<std::size_t>(count), this->stream());
    };
    copy(0, row, 1);
    copy((rows + 1) * pitch, row, 1);
    copy(first - 1, sizeof(T), rows);
    copy(first + columns, sizeof(T), rows);
  }

  T* on_device(std::size_t i) const { return reinterpret_cast<T*>(mapped[i].on_device()); }
  void to_mapped(std::size_t i, const Buffer<T>& from) const {
    copy_bytes(mapped[i].data(), Place::host, from.data(), Place::device, mapped[i].size(),
               this->stream());
  }

  int rows = this->size("rows"), columns = this->size("columns"), sweeps = 0;
  std::int64_t pitch = pitch_of<T>(columns), first = first_inside<T>(columns);
  Input in = input_of(this->problem());
  Phases plan{this->problem()};
  std::size_t checks = plan.checks() ? static_cast<std::size_t>(plan.count()) : 0;
  Coefficients<T> c;
  Restored<T> front{*this, grid([this](auto y, auto x) { return in.start(y, x); })};
  Workspace<T> back{*this, front.size()};
  Buffer<T> right = grid([this](auto y, auto x) { return in.right_side(y, x); });
  Workspace<T> residual{*this, checks};
  // For three_rows, on a host.
  Workspace<T> buffers{
      *this, this->stream().place() == Place::device
                 ? 0
                 : static_cast<std::size_t>(processors(Place::host) * buffer_rows * pitch)};
  std::array<HostMemory, 3> mapped;              // memory=mapped: both grids and the right side
  Grids<T> grids_of{front.data(), back.data()};  // as a run finds them
  T* right_of = right.data();
  mutable Grids<T> grids{};
};

void validate(const Problem& p) {
  coefficients_of(p);
  const Parameters& given = p.parameters;
  const double boundary = given.real("boundary"), tolerance = given.real("tolerance"),
               share = given.real("host_share");
  const std::int64_t every = given.whole("check_every"), depth = given.whole("depth");
  demand(p.ranks == 0 || given.number_of("memory", memory_names) == 0,
         "memory=mapped takes one process: use memory=own");
  demand(std::isfinite(boundary), fmt::format("boundary={} must be finite", boundary));
  demand(every >= 0,
         fmt::format("check_every={} must be 0 (no residuals) or a number of sweeps", every));
  demand(tolerance >= 0 && std::isfinite(tolerance),
         fmt::format("tolerance={} must be 0 (never stop) or positive", tolerance));
  demand(tolerance == 0 || every > 0,
         fmt::format("tolerance={} is compared with a residual: give check_every=, the sweeps "
                     "between two",
                     tolerance));
  demand(share == found_share || share == every_share || (share >= 0 && share <= 100),
         fmt::format("host_share={} must be -1 (found by measuring), -2 (and held against every "
                     "whole percentage) or a percentage from 0 to 100",
                     share));
  demand(depth == 1 || depth == 2 || depth == 4 || depth == most_depth,
         fmt::format("depth={} must be 1, 2, 4 or {}", depth, most_depth));
}

// An answer and one to compare it with; the first grid twice, the other grid, the right side, rows
// of three_rows, and residuals. With several processes, the process with the answers has grids for
// each way of cutting (rows, deep halos, tiles, and shares, which three models find separately),
// and the grids that hybrid measures with.
double footprint(const Problem& p) {
  constexpr int cuts = 3 + 3 + 1;
  const double answers = 2 * bytes(p.type) * real(p, "rows") * real(p, "columns");
  if (p.ranks > 0) return cuts * field_solver.footprint_over_ranks(p) + answers;
  const std::int64_t columns = p.size.at("columns");
  const bool wide = p.type == ElementType::f64;
  const auto pitch =
      static_cast<double>(wide ? pitch_of<double>(columns) : pitch_of<float>(columns));
  const double buffers = processors(Place::host) * buffer_rows * pitch;
  const Phases phases(p);
  const double checked = phases.checks() ? 3 * static_cast<double>(phases.count()) : 0;
  return bytes(p.type) * (4 * pitch * (real(p, "rows") + 2) + buffers + checked) + answers;
}

// Both grids and the right side pass through memory once, whatever the number of sweeps; each sweep
// takes two additions, a multiplication and two fused multiply-adds a node. A process with two
// neighbours sends each a row a sweep.
Cost cost(const Problem& p) {
  const double row = real(p, "columns") * bytes(p.type), sweeps = real(p, "iterations");
  const double nodes = largest_share(p, "rows") * real(p, "columns");
  return with_halos(p, {{3 * nodes * bytes(p.type), "copy"}, {7 * nodes * sweeps, fma_limit(p)}},
                    row * sweeps);
}

}  // namespace

Coefficients<double> coefficients(double dx, double dy) {
  for (const auto& [key, value] : {std::pair{"dx", dx}, std::pair{"dy", dy}}) {
    const double squared = 1 / value / value;
    demand(value > 0 && std::isfinite(value) && squared > 0 && std::isfinite(squared),
           fmt::format("{}={} must be positive, and 1 / {}^2 finite and not 0", key, value, key));
  }
  const double x = 1 / dx / dx, y = 1 / dy / dy;
  return {x, y, 1 / (2 * (x + y))};
}

Coefficients<double> coefficients_of(const Problem& p) {
  return coefficients(p.parameters.real("dx"), p.parameters.real("dy"));
}

Phases::Phases(const Problem& p)
    : every_(p.parameters.whole("check_every")),
      iterations_(p.size.at("iterations")),
      length_(std::min(every_ == 0 ? told_sweeps : every_, iterations_)),
      tolerance_(p.parameters.real("tolerance")) {}

Input input_of(const Problem& p) {
  return {static_cast<Fields>(p.parameters.number_of("fields", field_names)), p.seed,
          p.size.at("rows"), p.size.at("columns"), p.parameters.real("boundary") + 0.0};
}

Algorithm algorithm() {
  const Draw rows{1, 300, {1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 241}};
  // With the last two numbers, many_steps has tiles without the frame, in f64 and in f32.
  const Draw columns{
      1,
      300,
      {1, 2, 3, 16, 17, 32, 33, 240, 241, 254, 255, 256, 257, 497, 509, 510, 511, 512, 1031}};
  return {
      .name = "jacobi",
      .summary = "Jacobi's iteration for Poisson's equation in 2D, fixed frame",
      .size_keys = size_keys,
      .parameter_keys = parameter_keys,
      .absent = absent_without_mpi({"rows", "overlap", "tiles_2d", "deep_halos", "hybrid"}),
      .validate = validate,
      .footprint = footprint,
      .cost = cost,
      // One sweep, and 16, at the size; then from launch-bound to memory-bound sizes.
      .measured = {.device = "8192,=,1|16",
                   .device_full = "8192|256|512|1024|2048|4096|10007|16384,=,1|16",
                   .host = "4096|256,=,8",
                   .host_full = "4096,=,8|1 256|1024,=,8"},
      .checked =
          "1,1,5 1,257,9 263,1,3 33,17,16 64,254,7 9,511,7 129,241,11 1031,517,17 "
          "2053,4099,2",
      .drawn = {rows, columns, {1, 20, {1, 2, 3, 7, 8, 9, 15}}},
      .make = make_instance<Data, float, double>,
      .judge = judge,
      .in_default_campaign = false,
      .field_solver = &field_solver,
  };
}

}  // namespace portcost::jacobi
