// SPDX-License-Identifier: Apache-2.0
// Looking, whenever the host has waited for a stream, whether what was enqueued there has failed:
// for work that fails without an error of the CUDA runtime.
#pragma once

#include <functional>
#include <memory>

namespace portcost {

class Stream;

/// Has `check` called at the end of each synchronize() of the stream, which throws what it throws,
/// as long as what is returned is kept. The stream may end before.
using Check = std::function<void()>;
std::shared_ptr<Check> watch(const Stream& stream, Check check);

namespace detail {
void check_watched(const Stream& stream);
void forget_watched(const Stream& stream) noexcept;
}  // namespace detail

}  // namespace portcost
