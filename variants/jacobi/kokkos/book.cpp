// SPDX-License-Identifier: Apache-2.0
// Passes the harness's memory to the kernels of book.hpp.
#include "variants/jacobi/kokkos/book.hpp"

#include "variants/jacobi/problem.hpp"
#include "variants/jacobi/ranks_launches.hpp"
#include "variants/shared/kokkos_space.hpp"

namespace portcost::jacobi {

namespace {

constexpr bool device_shapes = kokkos_shapes == Place::device;

// A grid by its node (0, 0), in packs where Element is a pack.
template <class Element, class T>
book::Grid<Element> grid_of(T* node, int rows, int pitch) {
  static_assert(book::Grid<T>::margin == margin<std::remove_const_t<T>>);
  T* const first = node - pitch - margin<std::remove_const_t<T>>;
  using Nodes = decltype(book::Grid<Element>::nodes);
  return {Nodes(reinterpret_cast<Element*>(first), static_cast<std::size_t>(rows) + 2,
                static_cast<std::size_t>(pitch) * sizeof(T) / sizeof(Element))};
}
template <class Element, class T>
book::Sweep<T, Element> sweep_of(const Sweep<T>& s) {
  return {grid_of<const Element>(s.in, s.rows, s.pitch),
          grid_of<Element>(s.out, s.rows, s.pitch),
          grid_of<const Element>(s.right_side, s.rows, s.pitch),
          s.rows,
          s.columns,
          s.c};
}

template <class T>
void naive(const Sweep<T>& s, const Stream& on) {
  constexpr NaiveShape shape = naive_shape(kokkos_shapes);
  book::naive(kokkos_space(on), team_size(8), shape.x, shape.y, sweep_of<T>(s));
}

template <class T>
void three_rows(const Task<T>& task, const Stream& on) {
  const int bands = std::min(task.processors, task.rows);
  const std::size_t pitch = static_cast<std::size_t>(task.pitch);
  const book::KeptRows<T> kept(task.buffers, static_cast<std::size_t>(bands), 4, pitch);
  for (int sweep = 0; sweep < task.sweeps; ++sweep) {
    book::three_rows(kokkos_space(on), team_size(1),
                     grid_of<T>(task.grids->now, task.rows, task.pitch), kept,
                     sweep_of<T>(task.sweep()));
  }
}

template <class T>
void device(const Sweep<T>& s, const Stream& on) {
  book::device(kokkos_space(on), team_size(device_threads), sweep_of<T>(s));
}

template <class T>
void register_march(const Sweep<T>& s, const Stream& on) {
  book::register_march(kokkos_space(on), team_size(march_warps), sweep_of<book::Pack<T>>(s));
}

// A pass of 1, 2, 4 or 8 sweeps.
template <int depth, class T>
void many_steps_of(const Sweep<T>& s, int sweeps, int processors, const Stream& on) {
  if constexpr (depth > 1) {
    if (sweeps < depth) return many_steps_of<depth / 2>(s, sweeps, processors, on);
  }
  using Kernel = book::ManySteps<depth, T>;
  const int strips = ceil_div(s.columns, Kernel::packs * Kernel::length);
  const int height = many_rows(s.rows, strips, processors * Kernel::teams, Kernel::unrolled);
  book::many_steps<depth>(kokkos_space(on), team_size(Kernel::threads), height,
                          sweep_of<book::Pack<T>>(s));
}
template <class T>
void many_steps(const Sweep<T>& s, int sweeps, int processors, const Stream& on) {
  if constexpr (device_shapes) {
    many_steps_of<most_depth>(s, sweeps, processors, on);
  } else {
    const int chunks = ceil_div(s.columns, chunk_columns);
    const int height = many_rows(s.rows, chunks, tiles_a_thread * processors, 1);
    book::many_steps_in_cache(kokkos_space(on), team_size(1), scratch_level, height, sweeps,
                              sweep_of<T>(s));
  }
}

template <class T>
void greatest_residual(const Sweep<T>& s, T* into, const Stream& on) {
  const book::Residual<T> result(reinterpret_cast<book::Bits<T>*>(into));
  if constexpr (device_shapes) {
    book::residual_of_columns(kokkos_space(on), result, sweep_of<T>(s));
  } else {
    book::residual_of_rows(kokkos_space(on), result, sweep_of<T>(s));
  }
}

// A step whose passes of up to most(task) sweeps are a launch pass(sweep, sweeps, processors, on)
// each.
template <class Most, class Pass>
Rung step(std::string_view name, const Most& most, const Pass& pass) {
  return rung(works, name,
              [=]<class T>(const Task<T>& task, const Stream& on) {
                carry_out(
                    task, most(task),
                    [&](const Sweep<T>& s, int sweeps) { pass(s, sweeps, task.processors, on); },
                    [&](const Sweep<T>& s, T* into) { greatest_residual(s, into, on); });
              })
      .written(Way::book);
}

template <class T>
Launches<T> launches() {
  return {naive<T>, device_shapes ? register_march<T> : naive<T>, many_steps<T>,
          greatest_residual<T>};
}

}  // namespace

ModelLaunches kokkos_launches_by_the_book() { return {launches<float>(), launches<double>()}; }

Rungs kokkos_book_rungs() {
  const auto one = [](const auto&) { return 1; };
  const auto depth = [](const auto& task) { return task.depth; };
  Rungs result{
      step("naive", one, [](const auto& s, int, int, const Stream& on) { naive(s, on); }),
      step("device", one, [](const auto& s, int, int, const Stream& on) { device(s, on); }),
      step("register_march", one,
           [](const auto& s, int, int, const Stream& on) { register_march(s, on); }),
      step("many_steps", depth, [](const auto&... given) { many_steps(given...); })};
  if constexpr (kokkos_on_host) {
    const auto in_place = []<class T>(const Task<T>& task, const Stream& on) {
      three_rows(task, on);
      if (task.residual != nullptr) greatest_residual(task.sweep(), task.residual, on);
    };
    result.insert(result.begin() + 1, rung(works, "three_rows", in_place).written(Way::book));
  }
  return result;
}

}  // namespace portcost::jacobi
