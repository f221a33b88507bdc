// SPDX-License-Identifier: Apache-2.0
#include "src/memory/stream.hpp"

#include "src/memory/no_device.hpp"
#include "src/support/error.hpp"
#if PORTCOST_HAS_CUDA
#include "src/memory/cuda_check.hpp"
#endif

namespace portcost {

namespace {

class Alone final : public Ranks {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  void barrier() const override {}
  double slowest(double seconds) const override { return seconds; }
};

}  // namespace

const Ranks& alone() {
  static const Alone ranks;
  return ranks;
}

Stream::Stream(Place place, const Ranks& ranks) : place_(place), ranks_(ranks) {
  if (place == Place::host) return;
#if PORTCOST_HAS_CUDA
  cuda_check(cudaStreamCreateWithFlags(&native_, cudaStreamNonBlocking));
#else
  no_device();
#endif
}

Stream::~Stream() {
  for (const auto& f : at_end_) f();
#if PORTCOST_HAS_CUDA
  if (native_ != nullptr) cudaStreamDestroy(native_);
#endif
}

void Stream::synchronize() const {
#if PORTCOST_HAS_CUDA
  if (place_ == Place::device) {
    cuda_check(cudaStreamSynchronize(native_));
    cuda_check(cudaGetLastError());
  }
#endif
}

// A further queue and the event by which queues wait for each other.
struct Queues::Other {
#if PORTCOST_HAS_CUDA
  explicit Other(Place place) : stream(place) {
    if (place == Place::device) {
      cuda_check(cudaEventCreateWithFlags(&reached, cudaEventDisableTiming));
    }
  }
  ~Other() {
    if (reached != nullptr) cudaEventDestroy(reached);
  }
  Other(const Other&) = delete;
  Other& operator=(const Other&) = delete;
  // `behind` goes on when `ahead` has done what is on it now.
  void order(const Stream& ahead, const Stream& behind) const {
    if (reached == nullptr) return;
    cuda_check(cudaEventRecord(reached, ahead.native()));
    cuda_check(cudaStreamWaitEvent(behind.native(), reached, 0));
  }
  cudaEvent_t reached = nullptr;
#else
  explicit Other(Place place) : stream(place) {}
  void order(const Stream&, const Stream&) const {}
#endif
  Stream stream;
};

Queues::Queues(const Stream& main, int count) : main_(main) {
  require(count >= 1, "there is at least one queue");
  for (int i = 1; i < count; ++i) others_.push_back(std::make_unique<Other>(main.place()));
}

Queues::~Queues() = default;

const Stream& Queues::operator[](int queue) const {
  require(queue >= 0 && queue < size(), "there is no such queue");
  return queue == 0 ? main_ : others_[static_cast<std::size_t>(queue - 1)]->stream;
}

void Queues::fork() const {
  for (const auto& other : others_) other->order(main_, other->stream);
}

void Queues::join() const {
  for (const auto& other : others_) other->order(other->stream, main_);
}

}  // namespace portcost
