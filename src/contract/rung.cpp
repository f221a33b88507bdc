// SPDX-License-Identifier: Apache-2.0
#include "src/contract/rung.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace portcost {

namespace {

using Step = std::string_view;

bool has(const std::vector<Step>& steps, Step step) {
  return std::ranges::find(steps, step) != steps.end();
}

Variant variant_of(const Table& table, Rung rung) {
  Variant result{rung.step, table.model, table.place, {}};
  result.way = rung.way;
  result.dials = rung.dials;
  result.portable = table.portable;
  result.unfit = rung.unfit;
  result.over_ranks = table.over_ranks;
  result.launches = std::move(rung.launches);
  result.make = [makers = std::move(rung.makers)](const Problem&, Instance& instance) {
    for (const detail::Maker& make : makers) {
      if (auto execution = make(instance)) return execution;
    }
    throw Failure("a variant takes no work of the kind that its instance has");
  };
  return result;
}

// Each model's steps in the order of its files, once each.
std::vector<std::vector<Step>> orders_of(std::span<const Table> tables) {
  std::vector<std::vector<Step>> result;
  const Table* last = nullptr;
  for (const Table& table : tables) {
    if (table.model == Model::library) continue;
    if (last == nullptr || last->model != table.model) result.emplace_back();
    last = &table;
    for (const Rung& rung : table.rungs) {
      if (!has(result.back(), rung.step)) result.back().push_back(rung.step);
    }
  }
  return result;
}

// Merges `orders` into one order (Kahn 1962); where two orders contradict each other, the first
// decides.
std::vector<Step> merged(const std::vector<std::vector<Step>>& orders) {
  std::vector<Step> left;
  for (const auto& order : orders) {
    for (const Step step : order) {
      if (!has(left, step)) left.push_back(step);
    }
  }
  std::vector<Step> result;
  const auto done = [&](Step step) { return has(result, step); };
  const auto ready = [&](Step step) {
    return std::ranges::all_of(orders, [&](const auto& order) {
      const auto at = std::ranges::find(order, step);
      return at == order.end() || std::all_of(order.begin(), at, done);
    });
  };
  while (!left.empty()) {
    auto next = std::ranges::find_if(left, ready);
    if (next == left.end()) next = left.begin();
    result.push_back(*next);
    left.erase(next);
  }
  return result;
}

}  // namespace

Algorithm assembled(Algorithm algorithm, std::span<const Table> tables) {
  std::vector<Absence> absent;
  std::set<std::string> names;
  for (const Table& table : tables) {
    for (const Rung& rung : table.rungs) {
      if (!rung.absent.empty()) {
        absent.push_back({rung.step, table.model, rung.absent});
        continue;
      }
      auto& among = table.over_ranks ? algorithm.over_ranks : algorithm.variants;
      among.push_back(variant_of(table, rung));
      const std::string name = variant_name(algorithm, among.back());
      require(names.insert(name).second, fmt::format("two tables name {}", name));
    }
  }
  for (const Absence& listed : algorithm.absent) {
    if (!names.contains(variant_name(algorithm, listed))) absent.push_back(listed);
  }
  algorithm.absent = std::move(absent);
  algorithm.steps = merged(orders_of(tables));
  return algorithm;
}

}  // namespace portcost
