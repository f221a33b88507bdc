// SPDX-License-Identifier: Apache-2.0
#include "src/distributed/communicator.hpp"

#include <atomic>
#include <exception>
#include <iterator>
#include <numeric>
#include <sstream>
#include <thread>

#include "src/distributed/array.hpp"
#include "src/distributed/mpi_calls.hpp"
#include "src/distributed/path.hpp"
#include "src/support/clock.hpp"
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif
#include "src/memory/cuda_check.hpp"
#include "src/support/reject.hpp"

namespace portcost::distributed {

std::string mpi_error(int code) {
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  if (MPI_Error_string(code, text, &length) != MPI_SUCCESS) return fmt::format("error {}", code);
  return {text, static_cast<std::size_t>(length)};
}

namespace {

std::atomic<int> waits{0};
std::atomic<std::uint64_t> life{0};

// A communicator in `impl` that returns its errors.
std::unique_ptr<Communicator::Impl> finished(std::unique_ptr<Communicator::Impl> impl) {
  const MPI_Comm comm = impl->comm.get();
  mpi_check(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
  mpi_check(MPI_Comm_rank(comm, &impl->rank));
  mpi_check(MPI_Comm_size(comm, &impl->size));
  return impl;
}

// What a rank threw, as one text: its kind and its words; empty where it threw nothing.
std::string thrown_by(const std::function<void()>& f) {
  try {
    f();
  } catch (const UsageError& error) {
    return std::string("u") + error.what();
  } catch (const std::exception& error) {
    return std::string("f") + error.what();
  }
  return {};
}

// The first rank for which something holds, or size().
int first_of(const Communicator& ranks, bool mine) {
  const WaitsForOthers now;
  int candidate = mine ? ranks.rank() : ranks.size(), result = 0;
  mpi_check(MPI_Allreduce(&candidate, &result, 1, MPI_INT, MPI_MIN, comm_of(ranks)));
  return result;
}

std::string from_rank(const Communicator& ranks, int root, const std::string& text) {
  const WaitsForOthers now;
  int length = static_cast<int>(text.size());
  mpi_check(MPI_Bcast(&length, 1, MPI_INT, root, comm_of(ranks)));
  std::string result = text;
  result.resize(length);
  mpi_check(MPI_Bcast(result.data(), length, MPI_CHAR, root, comm_of(ranks)));
  return result;
}

// The addresses of the GPUs that this process sees, each with a blank behind it.
std::string visible_gpus() {
  std::string result;
#if PORTCOST_HAS_CUDA
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess) {
    cudaGetLastError();
    devices = 0;
  }
  for (int i = 0; i < devices; ++i) {
    char address[32] = {};
    cuda_check(cudaDeviceGetPCIBusId(address, sizeof address, i));
    result += std::string(address) + ' ';
  }
#endif
  return result;
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream from(text);
  return {std::istream_iterator<std::string>(from), {}};
}

}  // namespace

WaitsForOthers::WaitsForOthers() {
  sign_of_life();
  ++waits;
}
WaitsForOthers::~WaitsForOthers() { --waits; }
bool waits_for_others() { return waits > 0; }
void sign_of_life() { life.fetch_add(1, std::memory_order_relaxed); }
std::uint64_t signs_of_life() { return life; }

MPI_Request* Requests::fresh() {
  requests_.push_back(MPI_REQUEST_NULL);
  return &requests_.back();
}

void Requests::tell(const Communicator& ranks, int rank, int tag) {
  mpi_check(MPI_Isend(nullptr, 0, MPI_BYTE, rank, tag, comm_of(ranks), fresh()));
}

void Requests::hear(const Communicator& ranks, int rank, int tag) {
  mpi_check(MPI_Irecv(nullptr, 0, MPI_BYTE, rank, tag, comm_of(ranks), fresh()));
}

bool Requests::test() {
  int done = 0;
  mpi_check(MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &done,
                        MPI_STATUSES_IGNORE));
  return done != 0;
}

void Requests::wait() {
  const WaitsForOthers now;
  const int code =
      MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
  requests_.clear();
  mpi_check(code);
}

bool Requests::wait_at_most(double seconds) noexcept {
  const Clock clock;
  bool all = false;
  for (;;) {
    int done = 0;
    const int count = static_cast<int>(requests_.size());
    const bool asked = MPI_Testall(count, requests_.data(), &done, MPI_STATUSES_IGNORE) == 0;
    all = asked && done != 0;
    if (all || !asked || clock.seconds() > seconds) break;
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
  for (MPI_Request& one : requests_) {
    if (one == MPI_REQUEST_NULL) continue;
    MPI_Cancel(&one);
    MPI_Request_free(&one);
  }
  requests_.clear();
  return all;
}

Communicator::Communicator() {
  auto impl = std::make_unique<Impl>();
  mpi_check(MPI_Comm_dup(MPI_COMM_WORLD, impl->comm.fresh()));
  impl_ = finished(std::move(impl));
}

Communicator::Communicator(std::unique_ptr<Impl> impl) : impl_(finished(std::move(impl))) {}
Communicator::~Communicator() = default;
Communicator::Communicator(Communicator&&) noexcept = default;
Communicator& Communicator::operator=(Communicator&&) noexcept = default;

int Communicator::rank() const { return impl_->rank; }
int Communicator::size() const { return impl_->size; }

void Communicator::barrier() const {
  const WaitsForOthers now;
  mpi_check(MPI_Barrier(impl_->comm.get()));
}

double Communicator::slowest(double seconds) const {
  const WaitsForOthers now;
  double result = 0;
  mpi_check(MPI_Allreduce(&seconds, &result, 1, MPI_DOUBLE, MPI_MAX, impl_->comm.get()));
  return result;
}

int Communicator::on_this_node() const {
  if (impl_->on_this_node == 0) impl_->on_this_node = of_this_node().size();
  return impl_->on_this_node;
}

Communicator Communicator::of_this_node() const {
  const WaitsForOthers now;
  auto impl = std::make_unique<Impl>();
  mpi_check(MPI_Comm_split_type(impl_->comm.get(), MPI_COMM_TYPE_SHARED, rank(), MPI_INFO_NULL,
                                impl->comm.fresh()));
  return Communicator(std::move(impl));
}

std::vector<int> Communicator::nodes() const {
  const std::string first = of_this_node().from_first(std::to_string(rank()));
  std::vector<int> result;
  for (const std::string& one : gathered(first)) result.push_back(std::stoi(one));
  return result;
}

Communicator Communicator::split(int colour) const {
  const WaitsForOthers now;
  auto impl = std::make_unique<Impl>();
  mpi_check(MPI_Comm_split(impl_->comm.get(), colour, rank(), impl->comm.fresh()));
  return Communicator(std::move(impl));
}

void Communicator::together(const std::function<void()>& f) const {
  const std::string mine = thrown_by(f);
  const int first = first_of(*this, !mine.empty());
  if (first == size()) return;
  const std::string thrown = from_rank(*this, first, mine);
  // What all say alike is nobody's alone.
  const bool alike = first_of(*this, mine != thrown) == size();
  const std::string who = alike ? "" : fmt::format("rank {}: ", first);
  if (thrown[0] == 'u') throw SharedUsageError(who + thrown.substr(1));
  throw SharedFailure(who + thrown.substr(1));
}

void Communicator::require_equal(std::string_view what, const std::string& text) const {
  const std::string first = from_rank(*this, 0, text);
  const int other = first_of(*this, first != text);
  if (other == size()) return;
  throw SharedUsageError(fmt::format("rank {} has another {} than rank 0: {}, not {}", other, what,
                                     from_rank(*this, other, text), first));
}

std::vector<double> Communicator::gathered(double value) const {
  const WaitsForOthers now;
  std::vector<double> result(static_cast<std::size_t>(size()));
  mpi_check(MPI_Allgather(&value, 1, MPI_DOUBLE, result.data(), 1, MPI_DOUBLE, impl_->comm.get()));
  return result;
}

std::vector<std::string> Communicator::gathered(const std::string& text) const {
  const WaitsForOthers now;
  const auto count = static_cast<std::size_t>(size());
  std::vector<int> lengths(count), begins(count + 1, 0);
  const int length = static_cast<int>(text.size());
  mpi_check(MPI_Allgather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, impl_->comm.get()));
  std::partial_sum(lengths.begin(), lengths.end(), begins.begin() + 1);
  std::string all(static_cast<std::size_t>(begins.back()), ' ');
  mpi_check(MPI_Allgatherv(text.data(), length, MPI_CHAR, all.data(), lengths.data(), begins.data(),
                           MPI_CHAR, impl_->comm.get()));
  std::vector<std::string> result;
  for (std::size_t i = 0; i < count; ++i) {
    result.push_back(
        all.substr(static_cast<std::size_t>(begins[i]), static_cast<std::size_t>(lengths[i])));
  }
  return result;
}

std::string Communicator::from_first(const std::string& text) const {
  return from_rank(*this, 0, text);
}

void Farewell::meet(const Communicator& ranks, std::vector<int> partners) {
  ranks_ = ranks.split(0);
  partners_ = std::move(partners);
}

void Farewell::part() noexcept {
  if (!ranks_) return;
  constexpr int tag = 0;
  Requests requests;
  try {
    for (const int one : partners_) requests.hear(*ranks_, one, tag);
    for (const int one : partners_) requests.tell(*ranks_, one, tag);
  } catch (const std::exception&) {  // MPI has failed: what is under way is waited for
  }
  const WaitsForOthers now;
  requests.wait_at_most(std::uncaught_exceptions() > 0 ? 0 : gpu_patience_s);
  ranks_.reset();
}

const Communicator& communicator_of(const Stream& stream) {
  const auto* const result = dynamic_cast<const Communicator*>(&stream.ranks());
  require(result != nullptr, "work of several processes on a stream of one process by itself");
  return *result;
}

bool takes_device_pointers() {
#if defined(MPIX_CUDA_AWARE_SUPPORT)  // Open MPI
  return MPIX_Query_cuda_support() == 1;
#elif defined(MPIX_GPU_SUPPORT_CUDA)  // MPICH
  int result = 0;
  mpi_check(MPIX_GPU_query_support(MPIX_GPU_SUPPORT_CUDA, &result));
  return result != 0;
#else
  return false;
#endif
}

std::string mpi_library() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  mpi_check(MPI_Get_library_version(text, &length));
  // Open MPI counts the character that ends the text, too.
  const std::string result(text, strnlen(text, static_cast<std::size_t>(length)));
  return result.substr(0, result.find_first_of("\n\r"));
}

int select_device(const Communicator& ranks, bool shared) {
  std::string mine;
  ranks.together([&] { mine = visible_gpus(); });
  const Communicator node = ranks.of_this_node();
  std::vector<std::vector<std::string>> seen;
  for (const std::string& text : node.gathered(mine)) seen.push_back(words_of(text));
  const auto of_this_node = static_cast<std::size_t>(node.rank());
  const std::optional<int> device = gpus_of_ranks(seen, shared)[of_this_node];
  ranks.together([&] {
    if (device) return;
    reject(
        "there is no GPU for this rank: {} GPUs are visible to it, and its computer has {} ranks; "
        "start no more ranks than GPUs",
        seen[of_this_node].size(), node.size());
  });
#if PORTCOST_HAS_CUDA
  ranks.together([&] { cuda_check(cudaSetDevice(*device)); });
#endif
  return *device;
}

}  // namespace portcost::distributed
