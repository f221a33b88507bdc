// SPDX-License-Identifier: Apache-2.0
#include "src/memory/stream.hpp"

#include "src/memory/no_device.hpp"
#if PORTCOST_HAS_CUDA
#include "src/memory/cuda_check.hpp"
#endif

namespace portcost {

Stream::Stream(Place place) : place_(place) {
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

}  // namespace portcost
