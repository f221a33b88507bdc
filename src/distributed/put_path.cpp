// SPDX-License-Identifier: Apache-2.0
// One dynamic window has the parts of all arrays of an exchange. Post, start, complete and wait
// synchronise neighbours alone.
#include "src/distributed/put_path.hpp"

#include <exception>

#include "src/distributed/transfer_plan.hpp"

namespace portcost::distributed {

namespace {

void make_group(MPI_Comm comm, const std::vector<int>& ranks, OwnedGroup& group) {
  OwnedGroup all;
  mpi_check(MPI_Comm_group(comm, all.fresh()));
  mpi_check(MPI_Group_incl(all.get(), static_cast<int>(ranks.size()), ranks.data(), group.fresh()));
}

// The points `box` of a part, behind the address of its first ghost point; committed.
OwnedType points(const Box& box, const Layout& layout, std::size_t element_bytes) {
  const OwnedType element = element_type(static_cast<std::int64_t>(element_bytes));
  OwnedType result = subarray(box, layout.ghost_corners, layout.pitch, element.get());
  MPI_Datatype handle = result.get();
  mpi_check(MPI_Type_commit(&handle));
  return result;
}

std::byte* first_point(const Part& part, std::size_t element_bytes) {
  return part.data + part.layout.lead * static_cast<std::int64_t>(element_bytes);
}

}  // namespace

PutPath::PutPath(const Processors& senders, const Processors& receivers,
                 std::vector<Transfer> transfers, const std::vector<int>& sources,
                 const std::vector<int>& targets)
    : senders_(senders), receivers_(receivers), transfers_(std::move(transfers)) {
  // Open MPI 4.1 makes no dynamic window of one rank, which puts nothing.
  if (senders.ranks().size() == 1) return;
  const MPI_Comm comm = comm_of(senders.ranks());
  make_group(comm, sources, sources_);
  make_group(comm, targets, targets_);
  mpi_check(waiting([&] { return MPI_Win_create_dynamic(MPI_INFO_NULL, comm, &window_); }));
  mpi_check(MPI_Win_set_errhandler(window_, MPI_ERRORS_RETURN));
}

// Freeing the window is collective: where an exception goes through here others may be gone.
PutPath::~PutPath() {
  if (window_ == MPI_WIN_NULL || std::uncaught_exceptions() > 0) return;
  const WaitsForOthers now;
  if (exposed_) MPI_Win_wait(window_);
  for (const auto& [identity, known] : known_) forget(known);
  MPI_Win_free(&window_);
}

void PutPath::forget(const Known& known) {
  for (const std::byte* part : known.mine) MPI_Win_detach(window_, part);
}

void PutPath::bind(const ArrayBase& to) {
  if (window_ == MPI_WIN_NULL) return;
  std::erase_if(known_, [&](const auto& one) {
    const bool gone = one.second.life.expired();
    if (gone) forget(one.second);
    return gone;
  });
  if (known_.contains(to.identity())) return;
  Known known{to.life(), {}, {}};
  std::vector<MPI_Aint> addresses(static_cast<std::size_t>(receivers_.count()));
  senders_.ranks().together([&] {
    for (const Part& part : to.parts()) {
      const auto bytes = part.layout.elements() * static_cast<std::int64_t>(to.element_bytes());
      mpi_check(MPI_Win_attach(window_, part.data, bytes));
      known.mine.push_back(part.data);
      mpi_check(MPI_Get_address(first_point(part, to.element_bytes()),
                                &addresses[static_cast<std::size_t>(part.number)]));
    }
  });
  known.addresses = gathered_values(senders_.ranks(), addresses);
  known_.emplace(to.identity(), std::move(known));
}

void PutPath::begin(const ArrayBase& from, const ArrayBase& to) {
  if (window_ == MPI_WIN_NULL) return;
  const WaitsForOthers now;
  const Known& known = known_.at(to.identity());
  mpi_check(MPI_Win_post(sources_.get(), 0, window_));
  exposed_ = true;
  mpi_check(MPI_Win_start(targets_.get(), 0, window_));
  for (const Transfer& one : transfers_) {
    const Part& part = part_of(from, one.from);
    const int rank = receivers_.rank_of(one.to);
    const OwnedType source = points(one.source, part.layout, from.element_bytes());
    const OwnedType target = points(one.target, to.shape().layout(one.to), to.element_bytes());
    const MPI_Aint there =
        known.addresses[static_cast<std::size_t>(rank)][static_cast<std::size_t>(one.to)];
    mpi_check(MPI_Put(first_point(part, from.element_bytes()), 1, source.get(), rank, there, 1,
                      target.get(), window_));
  }
  mpi_check(MPI_Win_complete(window_));
}

bool PutPath::test() {
  int done = 1;
  if (exposed_) mpi_check(MPI_Win_test(window_, &done));
  exposed_ = done == 0;
  return !exposed_;
}

void PutPath::end() {
  if (exposed_) mpi_check(waiting([&] { return MPI_Win_wait(window_); }));
  exposed_ = false;
}

}  // namespace portcost::distributed
