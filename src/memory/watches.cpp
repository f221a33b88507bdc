// SPDX-License-Identifier: Apache-2.0
#include "src/memory/watches.hpp"

#include <map>
#include <mutex>
#include <vector>

namespace portcost {

namespace {

using Checks = std::vector<std::weak_ptr<Check>>;

struct Watches {
  std::mutex mutex;
  std::map<const Stream*, Checks> of_streams;
};

Watches& watches() {
  static Watches* const result = new Watches;  // streams may end after static objects
  return *result;
}

}  // namespace

std::shared_ptr<Check> watch(const Stream& stream, Check check) {
  auto result = std::make_shared<Check>(std::move(check));
  const std::lock_guard lock(watches().mutex);
  Checks& checks = watches().of_streams[&stream];
  std::erase_if(checks, [](const auto& one) { return one.expired(); });
  checks.push_back(result);
  return result;
}

void detail::check_watched(const Stream& stream) {
  Checks checks;
  {
    const std::lock_guard lock(watches().mutex);
    const auto found = watches().of_streams.find(&stream);
    if (found == watches().of_streams.end()) return;
    checks = found->second;
  }
  for (const auto& one : checks) {
    if (const auto check = one.lock()) (*check)();
  }
}

void detail::forget_watched(const Stream& stream) noexcept {
  const std::lock_guard lock(watches().mutex);
  watches().of_streams.erase(&stream);
}

}  // namespace portcost
