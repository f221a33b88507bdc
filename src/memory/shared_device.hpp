// SPDX-License-Identifier: Apache-2.0
// Device memory and events that several processes of one computer share (CUDA IPC). Builds without
// CUDA throw Failure from everything but destructors.
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "src/memory/stream.hpp"

namespace portcost {

/// What another process needs to open what this one has: bytes that can be sent.
using SharedHandle = std::array<std::byte, 64>;

/// Of the device in use, as its bus numbers it: "0000:18:00.0". Empty without CUDA.
std::string device_address();

/// Of device memory, by the pointer that its allocation returned.
SharedHandle share_memory(void* memory);

/// Another process's device memory, in this one's addresses until this goes. Where the other one
/// frees it before, it stays until then.
class MappedMemory {
 public:
  MappedMemory() = default;
  /// Throws Failure where the device in use does not reach that memory.
  explicit MappedMemory(const SharedHandle& handle);
  ~MappedMemory();
  MappedMemory(MappedMemory&& other) noexcept : data_(std::exchange(other.data_, nullptr)) {}
  MappedMemory& operator=(MappedMemory&& other) noexcept {
    std::swap(data_, other.data_);
    return *this;
  }
  std::byte* data() const { return static_cast<std::byte*>(data_); }

 private:
  void* data_ = nullptr;
};

/// An event that one process records and others wait for. A wait is for what was last recorded when
/// the wait was enqueued: who waits must have been told that it has been recorded.
class SharedEvent : public Event {
 public:
  /// A new one, or one of another process.
  static SharedEvent made();
  static SharedEvent opened(const SharedHandle& handle);
  SharedHandle handle() const;
};

/// Orders the uses of one thing by several streams of this process: each begins after the last has
/// ended.
class Turns {
 public:
  void begin(const Stream& stream) const {
    if (ended_) ended_->enqueue_wait(stream.native());
  }
  void end(const Stream& stream) {
    if (!ended_) ended_.emplace(Place::device);
    ended_->record(stream.native());
  }
  /// The host waits for the last one's end. Throws nothing: for destructors.
  void finish() const noexcept {
    if (ended_) ended_->finish();
  }

 private:
  std::optional<Event> ended_;
};

}  // namespace portcost
