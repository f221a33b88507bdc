// SPDX-License-Identifier: Apache-2.0
// All arrays of an exchange are attached to one dynamic window; an array outlives its exchanges.
// Post, start, complete and wait synchronise neighbours alone.
#include <exception>

#include "src/distributed/transfer_plan.hpp"

namespace portcost::distributed {

namespace {

void make_group(MPI_Comm comm, const std::vector<int>& ranks, OwnedGroup& group) {
  OwnedGroup all;
  mpi_check(MPI_Comm_group(comm, all.fresh()));
  mpi_check(MPI_Group_incl(all.get(), static_cast<int>(ranks.size()), ranks.data(), group.fresh()));
}

// A committed type of the points in `box`, relative to the part's first ghost point.
OwnedType points(const Box& box, const Layout& layout, std::size_t element_bytes) {
  const OwnedType element = element_type(static_cast<std::int64_t>(element_bytes));
  OwnedType result = subarray(box, layout.ghost_corners, layout.pitch, element.get());
  MPI_Datatype handle = result.get();
  mpi_check(MPI_Type_commit(&handle));
  return result;
}

std::byte* first_ghost_point(const Part& part, std::size_t element_bytes) {
  return part.data + part.layout.lead * static_cast<std::int64_t>(element_bytes);
}

}  // namespace

PutPath::PutPath(const ArrayBase& from, const ArrayBase& to, const std::vector<Transfer>& transfers,
                 const std::vector<int>& sources, const std::vector<int>& targets)
    : ranks_(from.processors().ranks()), element_bytes_(from.element_bytes()) {
  // Open MPI 4.1 makes no dynamic window of one rank, which puts nothing.
  if (ranks_.size() == 1) return;
  for (const Transfer& one : transfers) {
    puts_.push_back({one.from, one.to, to.processors().rank_of(one.to),
                     points(one.source, from.shape().layout(one.from), element_bytes_),
                     points(one.target, to.shape().layout(one.to), element_bytes_)});
  }
  const MPI_Comm comm = comm_of(ranks_);
  make_group(comm, sources, sources_);
  make_group(comm, targets, targets_);
  mpi_check(waiting([&] { return MPI_Win_create_dynamic(MPI_INFO_NULL, comm, &window_); }));
  mpi_check(MPI_Win_set_errhandler(window_, MPI_ERRORS_RETURN));
}

// MPI_Win_free is collective. Where an exception goes through here, or an exchange has failed,
// other ranks may be gone, so the window is not freed.
PutPath::~PutPath() {
  if (window_ == MPI_WIN_NULL || std::uncaught_exceptions() > 0) return;
  try {
    end();
  } catch (const Failure&) {
  }
  if (state_ == State::failed) return;
  const WaitsForOthers now;
  for (const std::byte* region : attached_) MPI_Win_detach(window_, region);
  MPI_Win_free(&window_);
}

void PutPath::bind(const ArrayBase& to) {
  if (window_ == MPI_WIN_NULL) return;
  auto [known, is_new] = addresses_.try_emplace(to.identity());
  bound_ = &known->second;
  if (!is_new) return;
  std::vector<MPI_Aint> mine(static_cast<std::size_t>(to.processors().count()));
  ranks_.together([&] {
    for (const Part& part : to.parts()) {
      const auto bytes = part.layout.elements() * static_cast<std::int64_t>(element_bytes_);
      mpi_check(MPI_Win_attach(window_, part.data, bytes));
      attached_.push_back(part.data);
      mpi_check(MPI_Get_address(first_ghost_point(part, element_bytes_),
                                &mine[static_cast<std::size_t>(part.number)]));
    }
  });
  known->second = gathered_values(ranks_, mine);
}

void PutPath::begin(const ArrayBase& from) {
  if (window_ == MPI_WIN_NULL) return;
  const WaitsForOthers now;
  state_ = State::failed;
  mpi_check(MPI_Win_post(sources_.get(), 0, window_));
  mpi_check(MPI_Win_start(targets_.get(), 0, window_));
  for (const Put& one : puts_) {
    const MPI_Aint there =
        (*bound_)[static_cast<std::size_t>(one.rank)][static_cast<std::size_t>(one.to)];
    mpi_check(MPI_Put(first_ghost_point(part_of(from, one.from), element_bytes_), 1,
                      one.source.get(), one.rank, there, 1, one.target.get(), window_));
  }
  state_ = State::writing;
}

void PutPath::complete() {
  if (state_ != State::writing) return;
  state_ = State::failed;
  mpi_check(waiting([&] { return MPI_Win_complete(window_); }));
  state_ = State::exposed;
}

bool PutPath::test() {
  complete();
  if (state_ != State::exposed) return true;
  int done = 0;
  mpi_check(MPI_Win_test(window_, &done));
  if (done != 0) state_ = State::idle;
  return done != 0;
}

void PutPath::end() {
  complete();
  if (state_ != State::exposed) return;
  state_ = State::failed;
  mpi_check(waiting([&] { return MPI_Win_wait(window_); }));
  state_ = State::idle;
}

}  // namespace portcost::distributed
