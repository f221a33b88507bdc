// SPDX-License-Identifier: Apache-2.0
// For algorithm.cpp files: filling inputs, answers, instances. Plain C++; nothing here is part of
// the measured work.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "src/contract/rung.hpp"
#include "src/memory/buffer.hpp"
#include "src/memory/host_memory.hpp"
#include "src/support/error.hpp"
#include "variants/shared/numbers.hpp"

namespace portcost {

inline double real(const Problem& problem, std::string_view key) {
  return static_cast<double>(problem.size.at(key));
}

inline std::size_t count(const Problem& problem, std::string_view key) {
  return static_cast<std::size_t>(problem.size.at(key));
}

/// to[i] = rule(i), computed on the host by all threads; each touches its part first. A device's
/// buffer is filled in pieces, so that the host need not hold all of it.
template <class T, class Rule>
void fill(Buffer<T>& to, const Stream& stream, const Rule& rule) {
  const auto write = [&](T* target, std::size_t first, std::size_t count) {
    const auto end = static_cast<std::int64_t>(count);
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < end; ++i) {
      target[i] = rule(first + static_cast<std::uint64_t>(i));
    }
  };
  if (to.place() == Place::host) return write(to.data(), 0, to.size());
  const std::size_t most = std::min<std::size_t>(to.size(), std::size_t{1} << 26);
  Buffer<T> piece(most, Place::host);
  for (std::size_t first = 0; first < to.size(); first += most) {
    const std::size_t count = std::min(most, to.size() - first);
    write(piece.data(), first, count);
    copy_bytes(to.data() + first, to.place(), piece.data(), Place::host, count * sizeof(T), stream);
    stream.synchronize();
  }
}

/// Enqueues a copy of `bytes` bytes as an array of an answer. Words of more than 32 bits that are
/// no element type become several of 32, the fastest extent.
template <class T>
Array dense(std::string_view name, const T* from, std::vector<std::size_t> shape,
            const Stream& stream) {
  constexpr std::size_t parts = sizeof(T) / bytes(element_type_of<T>);
  if (parts > 1) shape.push_back(parts);
  Array result{std::string(name), element_type_of<T>, std::move(shape), {}};
  result.bytes = Buffer<std::byte>(result.count() * bytes(result.type), stream.place());
  copy_bytes(result.bytes.data(), stream.place(), from, stream.place(), result.bytes.size(),
             stream);
  return result;
}

/// An array of one number.
template <class T>
Array dense_one(std::string_view name, const T& value, const Stream& stream) {
  Buffer<T> one(1, stream.place());
  one.upload({&value, 1}, stream);
  Array result = dense(name, one.data(), {1}, stream);
  stream.synchronize();
  return result;
}

/// The same for `rows` rows of `columns` elements that begin every `pitch` elements; the copy
/// leaves out the padding between them.
template <class T>
Array dense_rows(std::string_view name, const T* from, std::int64_t pitch, std::int64_t rows,
                 std::int64_t columns, const Stream& stream) {
  const auto high = static_cast<std::size_t>(rows), wide = static_cast<std::size_t>(columns);
  Array result{std::string(name), element_type_of<T>, {high, wide}, {}};
  result.bytes = Buffer<std::byte>(high * wide * sizeof(T), stream.place());
  copy_rows(result.bytes.data(), wide * sizeof(T), from,
            static_cast<std::size_t>(pitch) * sizeof(T), wide * sizeof(T), high, stream);
  return result;
}

/// A new buffer of `count` elements with to[i] = rule(i), computed as by fill().
template <class Rule>
auto filled(std::size_t count, const Stream& stream, const Rule& rule) {
  Buffer<std::invoke_result_t<Rule, std::uint64_t>> result(count, stream.place());
  fill(result, stream, rule);
  return result;
}

/// An instance that owns the data of a run, declared as members that register with it: Buffer
/// (inputs that no run writes), Output, Workspace and Restored (below).
template <class Work>
class DataOf : public InstanceOf<Work> {
 public:
  using InstanceOf<Work>::InstanceOf;
  /// For members that are initialised where they are declared.
  DataOf(const Problem& problem, Stream& stream) : InstanceOf<Work>(stream), problem_(problem) {}
  const Problem& problem() const { return problem_; }
  std::uint64_t seed() const { return problem_.seed; }
  int size(std::string_view key) const { return static_cast<int>(problem_.size.at(key)); }
  std::size_t extent(std::string_view key) const { return count(problem_, key); }
  template <class Count, class Rule>
  auto input(Count elements, const Rule& rule) const {
    return filled(static_cast<std::size_t>(elements), this->stream(), rule);
  }

  /// True where every input is a Buffer, or may hold what a run has left.
  bool repeatable() const override { return true; }
  /// In the order of the members.
  void reset() override {
    for (const auto& one : resets_) one();
  }
  Answer answer() override {
    Answer result;
    for (const auto& one : arrays_) result.arrays.push_back(one());
    this->stream().synchronize();
    return result;
  }

  bool crosses() const override { return !fetched_.empty(); }
  void send() override {
    for (Crossing& one : sent_) {
      const void* const from = one.on_host();
      enqueue_copy(one.on_device(), from, one.bytes, this->stream());
    }
  }
  void fetch() override {
    for (Crossing& one : fetched_) {
      enqueue_copy(one.on_host(), one.on_device(), one.bytes, this->stream());
    }
  }

  void at_reset(std::function<void()> what) { resets_.push_back(std::move(what)); }
  void in_answer(std::function<Array()> what) { arrays_.push_back(std::move(what)); }
  /// Sync::transfers: send() copies `initial`, which outlives this object, to to().
  template <class T>
  void sends(const Buffer<T>& initial, std::function<T*()> to) {
    sent_.push_back({std::move(to), initial.bytes(), [this, &initial](std::byte* host) {
                       copy_bytes(host, Place::host, initial.data(), initial.place(),
                                  initial.bytes(), this->stream());
                     }});
  }
  /// fetch() copies `bytes` bytes of the answer from from().
  void fetches(std::function<void*()> from, std::size_t bytes) {
    fetched_.push_back({std::move(from), bytes});
  }

 private:
  // An array that crosses the link. Its memory on the host is allocated on first use, in a run
  // that is not timed.
  struct Crossing {
    std::function<void*()> on_device;
    std::size_t bytes;
    std::function<void(std::byte*)> filled = [](std::byte*) {};
    HostMemory memory = {};

    std::byte* on_host() {
      if (memory.size() < bytes) {
        memory = HostMemory(bytes, PORTCOST_HAS_CUDA ? HostKind::pinned : HostKind::pageable);
        filled(memory.data());
      }
      return memory.data();
    }
  };

  Problem problem_;
  std::vector<Crossing> sent_, fetched_;
  std::vector<std::function<void()>> resets_;
  std::vector<std::function<Array()>> arrays_;
};

/// Data that a run passes to its next phase or to another team: poisoned before every run.
template <class T>
class Workspace : public Buffer<T> {
 public:
  template <class Work>
  Workspace(DataOf<Work>& owner, std::size_t count) : Buffer<T>(count, owner.stream().place()) {
    owner.at_reset([this, &owner] { this->poison(owner.stream()); });
  }
};

/// A part of the answer, of the given shape (slowest extent first): poisoned before every run, so
/// that missing elements show.
template <class T>
class Output : public Workspace<T> {
 public:
  template <class Work>
  Output(DataOf<Work>& owner, std::string_view name, std::vector<std::size_t> shape)
      : Workspace<T>(owner, product(shape)) {
    owner.in_answer([=, this, &owner] { return dense(name, this->data(), shape, owner.stream()); });
  }

 private:
  static std::size_t product(const std::vector<std::size_t>& shape) {
    std::size_t result = 1;
    for (const std::size_t extent : shape) result *= extent;
    return result;
  }
};

/// Data that a run changes in place, or needs in its initial state: restored before every run.
template <class T>
class Restored : public Buffer<T> {
 public:
  template <class Work>
  Restored(DataOf<Work>& owner, Buffer<T> initial)
      : Buffer<T>(initial.size(), initial.place()), initial_(std::move(initial)) {
    owner.at_reset([this, &owner] { this->copy_from(initial_, owner.stream()); });
  }
  /// The same, also a part of the answer.
  template <class Work>
  Restored(DataOf<Work>& owner, std::string_view name, Buffer<T> initial)
      : Restored(owner, std::move(initial)) {
    owner.in_answer(
        [=, this, &owner] { return dense(name, this->data(), {this->size()}, owner.stream()); });
  }
  const Buffer<T>& initial() const { return initial_; }

 private:
  Buffer<T> initial_;
};

/// An instance for the problem's element type: Data<T> for the matching T among `Ts`.
template <template <class> class Data, class... Ts>
std::unique_ptr<Instance> make_instance(const Problem& problem, Stream& stream) {
  std::unique_ptr<Instance> result;
  const auto attempt = [&]<class T>(std::type_identity<T>) {
    if (problem.type != element_type_of<T>) return;
    result = std::make_unique<Data<T>>(problem, stream);
  };
  (attempt(std::type_identity<Ts>()), ...);
  require(result != nullptr, "no instance has this element type");
  return result;
}

/// The same for a problem of a single type.
template <class Data>
std::unique_ptr<Instance> make_instance(const Problem& problem, Stream& stream) {
  return std::make_unique<Data>(problem, stream);
}

/// The absences, in all three models, of steps over processes, for Algorithm::absent. A step that a
/// table has is not absent.
inline std::vector<Absence> absent_without_mpi(std::initializer_list<std::string_view> steps) {
  std::vector<Absence> result;
  for (const std::string_view step : steps) {
    result.push_back({step, Model::openmp, needs_mpi});
    if (PORTCOST_HAS_CUDA) result.push_back({step, Model::cuda, needs_mpi});
    result.push_back({step, Model::kokkos, needs_mpi});
  }
  return result;
}

/// The absences of steps that need a GPU, in both models and in CUDA alone, for Algorithm::absent.
inline std::vector<Absence> absent_without_cuda(const std::vector<std::string_view>& of_both,
                                                const std::vector<std::string_view>& of_cuda) {
  std::vector<Absence> result;
  const auto add = [&](Model model, const std::vector<std::string_view>& steps) {
    for (const std::string_view step : steps) {
      result.push_back({step, model, "it needs a GPU, and this build has no CUDA"});
    }
  };
  if (PORTCOST_HAS_CUDA) return result;
  add(Model::cuda, of_both);
  add(Model::cuda, of_cuda);
  add(Model::kokkos, of_both);
  return result;
}

/// Why the loads of a step are not CUDA's, for Algorithm::unequal_work.
inline constexpr std::string_view unneeded_load =
    "a load that no lane of a warp needs is issued all the same, where CUDA's code branches around "
    "it";

/// Throws UsageError with `what` unless `holds`.
inline void demand(bool holds, const std::string& what) {
  if (!holds) throw UsageError(what);
}

/// Agreement within so many roundings, as an algorithm's row has it.
template <int roundings>
Disagreement compare_within(const Problem&, const Answer& left, const Answer& right,
                            const Stream& stream) {
  return compare_within(roundings, left, right, stream);
}

/// The limit of fused multiply-adds in the problem's type.
inline std::string fma_limit(const Problem& problem) {
  return problem.type == ElementType::f64 ? "fma f64" : "fma f32";
}

/// The rows (columns, ...) of the process that has most of them; of one process all.
inline double largest_share(const Problem& problem, std::string_view key) {
  return std::ceil(real(problem, key) / std::max(1, problem.ranks));
}

/// Adds what one of several processes sends or receives.
inline Cost with_exchange(const Problem& problem, Cost cost, double bytes) {
  if (problem.ranks > 1) cost.push_back({bytes, "exchange"});
  return cost;
}
/// The same for a process with two neighbours (of two processes, one) that sends `row` to each.
inline Cost with_halos(const Problem& problem, Cost cost, double row) {
  return with_exchange(problem, std::move(cost), std::min(problem.ranks - 1, 2) * row);
}

}  // namespace portcost
