// SPDX-License-Identifier: Apache-2.0
#include "src/distributed/exchange.hpp"

#include "src/distributed/transfer_plan.hpp"
#include "src/support/reject.hpp"

namespace portcost::distributed {

namespace {

Concerns mine_of(const Processors& processors) {
  return [&processors](int part) { return processors.is_mine(part); };
}

std::vector<Transfer> transfers_of(const ArrayBase& from, const ArrayBase& to,
                                   const Portion& portion) {
  std::vector<Transfer> result;
  from.processors().ranks().together([&] {
    if (from.element_bytes() != to.element_bytes()) {
      reject("elements of {} bytes cannot be copied to elements of {}", from.element_bytes(),
             to.element_bytes());
    }
    require(portion.own || &from.processors() == &to.processors(),
            "what stays with its processor is left out among the same processors alone");
    result =
        portion_of(redistribution_transfers(from.shape().distribution, to.shape().distribution,
                                            mine_of(from.processors()), mine_of(to.processors())),
                   portion);
  });
  return result;
}

}  // namespace

Exchange::Exchange(const ArrayBase& from, const ArrayBase& to,
                   const std::vector<Transfer>& transfers, Path path, const PathSettings& settings)
    : from_(from.shape()),
      to_(to.shape()),
      plan_(std::make_unique<TransferPlan>(from, to, transfers, chosen_path(path, from, to),
                                           settings)) {}
Exchange::~Exchange() = default;
Exchange::Exchange(Exchange&&) noexcept = default;

void Exchange::check(const ArrayBase& from, const ArrayBase& to) const {
  require(from.shape() == from_ && to.shape() == to_, "an exchange prepared for other shapes");
}

void Exchange::run(const ArrayBase& from, const ArrayBase& to, const Stream* on) {
  check(from, to);
  plan_->run(from, to, on);
}

void Exchange::begin(const ArrayBase& from, const ArrayBase& to, const Stream* on) {
  check(from, to);
  plan_->begin(from, to, on);
}

bool Exchange::test() { return plan_->test(); }
void Exchange::end() { plan_->end(); }
Path Exchange::path() const { return plan_->path(); }
bool Exchange::is_only_enqueued() const { return plan_->is_only_enqueued(); }

HaloExchange::HaloExchange(const ArrayBase& like, Path path, const PathSettings& settings)
    : Exchange(like, like,
               halo_transfers(like.shape().distribution, like.shape().stencil,
                              mine_of(like.processors())),
               path, settings) {}

Redistribution::Redistribution(const ArrayBase& from, const ArrayBase& to, Path path,
                               const Portion& portion, const PathSettings& settings)
    : Exchange(from, to, transfers_of(from, to, portion), path, settings) {}

}  // namespace portcost::distributed
