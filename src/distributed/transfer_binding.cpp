// SPDX-License-Identifier: Apache-2.0
// Binds a plan to the memory of two arrays: MPI types with addresses, and lists of copies.
#include "src/distributed/transfer_plan.hpp"

namespace portcost::distributed {

struct TransferPlan::Copies {
  std::vector<BoxCopy> packs, unpacks, to_link, rest;
};

// A transfer with both ends on this rank: one copy, or two by way of the link.
void TransferPlan::bind_local(const Planned& one, const ArrayBase& from, const ArrayBase& to,
                              Copies& copies) const {
  const Part& source = part_of(from, one.transfer.from);
  const Part& target = part_of(to, one.transfer.to);
  const Box& box = one.transfer.source;
  const Strided begin = rows_of(source, box.begin, element_bytes_);
  const Strided end = rows_of(target, one.transfer.target.begin, element_bytes_);
  if (source.place == target.place) {
    const bool device = source.place == Place::device;
    (device ? copies.packs : copies.rest).push_back(copy_of(box, end, begin));
    return;
  }
  const Strided of_host = dense_rows(local_.staging.of_mpi(one.staged), box, element_bytes_);
  const Strided of_device = dense_rows(local_.staging.of_device(one.staged), box, element_bytes_);
  if (source.place == Place::device) {
    copies.packs.push_back(copy_of(box, of_device, begin));
    copies.rest.push_back(copy_of(box, end, of_host));
  } else {
    copies.to_link.push_back(copy_of(box, of_host, begin));
    copies.unpacks.push_back(copy_of(box, end, of_device));
  }
}

std::unique_ptr<TransferPlan::Bound> TransferPlan::bound_to(const ArrayBase& from,
                                                            const ArrayBase& to,
                                                            const Stream* stream) const {
  Copies copies;
  std::map<int, Pieces> sent, received;
  for (const Planned& one : out_.planned) {
    const Part& part = part_of(from, one.transfer.from);
    const Box& box = one.transfer.source;
    Pieces& pieces = sent[receivers_.rank_of(one.transfer.to)];
    if (part.place == Place::host) {
      pieces.add(part, box, element_bytes_);
    } else {
      pieces.add(out_.staging.of_mpi(one.staged), box, element_bytes_);
      copies.packs.push_back(
          copy_of(box, dense_rows(out_.staging.of_device(one.staged), box, element_bytes_),
                  rows_of(part, box.begin, element_bytes_)));
    }
  }
  for (const Planned& one : in_.planned) {
    const Part& part = part_of(to, one.transfer.to);
    const Box& box = one.transfer.target;
    Pieces& pieces = received[senders_.rank_of(one.transfer.from)];
    if (part.place == Place::host) {
      pieces.add(part, box, element_bytes_);
    } else {
      pieces.add(in_.staging.of_mpi(one.staged), box, element_bytes_);
      copies.unpacks.push_back(
          copy_of(box, rows_of(part, box.begin, element_bytes_),
                  dense_rows(in_.staging.of_device(one.staged), box, element_bytes_)));
    }
  }
  for (const Planned& one : local_.planned) bind_local(one, from, to, copies);

  const auto bytes = static_cast<std::size_t>(element_bytes_);
  const Stream host(Place::host);
  auto bound = std::make_unique<Bound>(Bound{Side(sent), Side(received), {}, {}, {}, {}});
  bound->to_link = BoxCopies(std::move(copies.to_link), bytes, host);
  bound->rest = BoxCopies(std::move(copies.rest), bytes, host);
  if (stream != nullptr) {
    bound->packs = BoxCopies(std::move(copies.packs), bytes, *stream);
    bound->unpacks = BoxCopies(std::move(copies.unpacks), bytes, *stream);
  }
  return bound;
}

TransferPlan::Bound& TransferPlan::bind(const ArrayBase& from, const ArrayBase& to,
                                        const Stream* stream) {
  std::vector<std::byte*> addresses;
  for (const ArrayBase* array : {&from, &to}) {
    for (const Part& part : array->parts()) addresses.push_back(part.data);
  }
  // Who uses ever new arrays does not keep what belongs to those that are gone.
  constexpr std::size_t most = 16;
  if (bound_.size() > most) bound_.clear();
  std::unique_ptr<Bound>& bound = bound_[addresses];
  if (!bound) bound = bound_to(from, to, stream);
  return *bound;
}

}  // namespace portcost::distributed
