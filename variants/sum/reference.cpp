// SPDX-License-Identifier: Apache-2.0
// The obvious serial answer, floating point with the rounding errors added up and put back
// (Neumaier 1974).
#include <cmath>
#include <type_traits>

#include "variants/sum/problem.hpp"

namespace portcost::sum {

template <class T>
void reference::serial(const Numbers<T>& s, const Stream&) {
  if constexpr (std::is_same_v<T, Word>) {
    Word total = 0;
    for (std::uint64_t i = 0; i < s.n; ++i) total += s.in[i];
    *s.out = total;
  } else {
    double total = 0, lost = 0;
    for (std::uint64_t i = 0; i < s.n; ++i) {
      const double x = s.in[i], next = total + x;
      lost += std::abs(total) >= std::abs(x) ? (total - next) + x : (x - next) + total;
      total = next;
    }
    *s.out = static_cast<T>(total + lost);
  }
}

template void reference::serial(const Numbers<Word>&, const Stream&);
template void reference::serial(const Numbers<float>&, const Stream&);
template void reference::serial(const Numbers<double>&, const Stream&);

}  // namespace portcost::sum
