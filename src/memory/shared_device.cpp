// SPDX-License-Identifier: Apache-2.0
#include "src/memory/shared_device.hpp"

#include <cstring>

#include "src/memory/cuda_check.hpp"

namespace portcost {

#if PORTCOST_HAS_CUDA

namespace {

static_assert(sizeof(cudaIpcMemHandle_t) == sizeof(SharedHandle));
static_assert(sizeof(cudaIpcEventHandle_t) == sizeof(SharedHandle));

template <class Native>
SharedHandle bytes_of(const Native& native) {
  SharedHandle result;
  std::memcpy(result.data(), &native, sizeof native);
  return result;
}
template <class Native>
Native native_of(const SharedHandle& handle) {
  Native result;
  std::memcpy(&result, handle.data(), sizeof result);
  return result;
}

// A refusal is the user's to understand: which call it was, and what can be done.
void ipc_check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  cudaGetLastError();
  throw Failure(std::string("CUDA IPC: ") + what + ": " + cudaGetErrorString(status) +
                ": the processes must see each other (one computer, one container or a common "
                "namespace of processes) and their GPUs reach each other (nvidia-smi topo -p2p r)");
}

}  // namespace

std::string device_address() {
  int device = 0;
  char text[32] = {};
  cuda_check(cudaGetDevice(&device));
  cuda_check(cudaDeviceGetPCIBusId(text, sizeof text, device));
  return text;
}

SharedHandle share_memory(void* memory) {
  cudaIpcMemHandle_t handle;
  ipc_check(cudaIpcGetMemHandle(&handle, memory), "device memory cannot be shared");
  return bytes_of(handle);
}

MappedMemory::MappedMemory(const SharedHandle& handle) {
  ipc_check(cudaIpcOpenMemHandle(&data_, native_of<cudaIpcMemHandle_t>(handle),
                                 cudaIpcMemLazyEnablePeerAccess),
            "another process's device memory cannot be opened");
}

MappedMemory::~MappedMemory() {
  if (data_ != nullptr) cudaIpcCloseMemHandle(data_);
}

SharedEvent SharedEvent::made() {
  SharedEvent result;
  const unsigned flags = cudaEventDisableTiming | cudaEventInterprocess;
  ipc_check(cudaEventCreateWithFlags(&result.native_, flags), "no event for several processes");
  return result;
}

SharedEvent SharedEvent::opened(const SharedHandle& handle) {
  SharedEvent result;
  ipc_check(cudaIpcOpenEventHandle(&result.native_, native_of<cudaIpcEventHandle_t>(handle)),
            "another process's event cannot be opened");
  return result;
}

SharedHandle SharedEvent::handle() const {
  cudaIpcEventHandle_t handle;
  ipc_check(cudaIpcGetEventHandle(&handle, native_), "an event cannot be shared");
  return bytes_of(handle);
}

#else

std::string device_address() { return {}; }
SharedHandle share_memory(void*) { no_device(); }
MappedMemory::MappedMemory(const SharedHandle&) { no_device(); }
MappedMemory::~MappedMemory() = default;
SharedEvent SharedEvent::made() { no_device(); }
SharedEvent SharedEvent::opened(const SharedHandle&) { no_device(); }
SharedHandle SharedEvent::handle() const { no_device(); }

#endif

}  // namespace portcost
