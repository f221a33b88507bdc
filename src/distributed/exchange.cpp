// SPDX-License-Identifier: Apache-2.0
#include "src/distributed/exchange.hpp"

#include <fmt/format.h>

#include "src/distributed/device_path.hpp"
#include "src/distributed/transfer_plan.hpp"
#include "src/support/error.hpp"

namespace portcost::distributed {

namespace {

Concerns mine_of(const Processors& processors) {
  return [&processors](int part) { return processors.is_mine(part); };
}

}  // namespace

HaloExchange::HaloExchange(const ArrayBase& like, Path path, const PathSettings& settings)
    : shape_(like.shape()) {
  const Processors& processors = like.processors();
  plan_ = std::make_unique<TransferPlan>(
      like, like, halo_transfers(shape_.distribution, shape_.stencil, mine_of(processors)),
      chosen_path(path, like, like), settings);
}

HaloExchange::~HaloExchange() = default;
HaloExchange::HaloExchange(HaloExchange&&) noexcept = default;

void HaloExchange::check(const ArrayBase& array) const {
  require(array.shape() == shape_, "a halo exchange prepared for another shape");
}

void HaloExchange::run(ArrayBase& array, const Stream* on) {
  check(array);
  plan_->run(array, array, on);
}

void HaloExchange::begin(ArrayBase& array, const Stream* on) {
  check(array);
  plan_->begin(array, array, on);
}

bool HaloExchange::test() { return plan_->test(); }
void HaloExchange::end() { plan_->end(); }
Path HaloExchange::path() const { return plan_->path(); }
bool HaloExchange::is_only_enqueued() const { return plan_->is_only_enqueued(); }

Redistribution::Redistribution(const ArrayBase& from, const ArrayBase& to, Path path,
                               const Portion& portion, const PathSettings& settings)
    : from_(from.shape()), to_(to.shape()) {
  const Communicator& ranks = from.processors().ranks();
  std::vector<Transfer> transfers;
  ranks.together([&] {
    if (from.element_bytes() != to.element_bytes()) {
      throw UsageError(fmt::format("elements of {} bytes cannot be copied to elements of {}",
                                   from.element_bytes(), to.element_bytes()));
    }
    require(portion.own || &from.processors() == &to.processors(),
            "what stays with its processor is left out among the same processors alone");
    transfers =
        portion_of(redistribution_transfers(from_.distribution, to_.distribution,
                                            mine_of(from.processors()), mine_of(to.processors())),
                   portion);
  });
  plan_ =
      std::make_unique<TransferPlan>(from, to, transfers, chosen_path(path, from, to), settings);
}

Redistribution::~Redistribution() = default;
Redistribution::Redistribution(Redistribution&&) noexcept = default;

void Redistribution::check(const ArrayBase& from, const ArrayBase& to) const {
  require(from.shape() == from_ && to.shape() == to_, "a redistribution prepared for other shapes");
}

void Redistribution::run(const ArrayBase& from, ArrayBase& to, const Stream* on) {
  check(from, to);
  plan_->run(from, to, on);
}

void Redistribution::begin(const ArrayBase& from, ArrayBase& to, const Stream* on) {
  check(from, to);
  plan_->begin(from, to, on);
}

bool Redistribution::test() { return plan_->test(); }
void Redistribution::end() { plan_->end(); }
Path Redistribution::path() const { return plan_->path(); }

}  // namespace portcost::distributed
