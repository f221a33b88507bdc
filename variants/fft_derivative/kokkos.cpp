// SPDX-License-Identifier: Apache-2.0
// Tuned portable variants: the same library on the same memory, team kernels around its calls, and
// a transform without the library.
#include "variants/fft_derivative/problem.hpp"
#include "variants/shared/kokkos_fft.hpp"
#include "variants/shared/kokkos_tiles.hpp"

namespace portcost::fft_derivative {

namespace {

template <int n, class T>
struct OnePass {
  using On = Teams<fft::pass_threads / 32, pass_teams_per_multiprocessor<T>, Lanes::one>;
  using Mode = fft::Complex<T>;
  static constexpr int elements = 2 * fft::pass_slots, bytes = sizeof(Mode);
  const T* f;
  T* out;
  int lines;
  T unit;

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    auto* const scratch = reinterpret_cast<Mode*>(aligned_scratch<On, T, bytes>(team, elements));
    Mode z[On::most_own(fft::pass_threads)][fft::own_elements];
    one_pass<n>(
        z, team.league_rank(), lines, unit,
        [&](int line, int x) { return f[std::int64_t{line} * n + x]; },
        [&](int line, int x, T value) { out[std::int64_t{line} * n + x] = value; },
        [&](int slot) -> auto& { return scratch[slot]; },
        [&](const auto& action) {
          On::template for_own<fft::pass_threads>(
              team, [&](int item, int k) { action(On::of_team(team, item), k); });
        },
        [&] { team.team_barrier(); });
  }
};

}  // namespace

Rungs kokkos_rungs() {
  const auto modes = []<class T>(const Lines<T>& s, double factor, const Stream& on) {
    fft::by_kokkos::for_modes(Derivation<T>(s, factor), on);
  };
  const auto pass = []<class T>(const Lines<T>& s, const Stream& on) {
    with_length(s.n, [&](auto length) {
      using Kernel = OnePass<decltype(length)::value, T>;
      const int scratch = scratch_bytes<T>(Kernel::elements + aligned_extra<T, Kernel::bytes>);
      Kokkos::parallel_for(
          "portcost::fft_derivative::one_pass",
          Kernel::On::policy(on, teams_of<decltype(length)::value>(s.lines), scratch),
          Kernel{s.f, s.out, s.lines, pass_unit<T>(s.n)});
    });
  };
  Rungs rungs =
      fft::where_present({rung(works, "separate", fft::separate(modes, fft::by_kokkos::scale)),
                          rung(works, "fused", fft::fused(modes))});
  rungs.push_back(device_step(works, "one_pass", pass).unless(no_one_pass));
  return rungs;
}

}  // namespace portcost::fft_derivative
