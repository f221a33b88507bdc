// SPDX-License-Identifier: Apache-2.0
// Portable variants: deep_copy between Views in host, host-pinned, managed and device memory, on an
// execution-space instance and waiting, create_mirror_view_and_copy, and kernels. Kokkos has no
// name for write-combined memory.
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>

#include "variants/transfer_bandwidth/kokkos/packs.hpp"

namespace portcost::transfer_bandwidth {

namespace {

using Space = KokkosSpace;

template <class Byte, class Memory>
using Bytes = Kokkos::View<Byte*, Memory, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

// The Views of a transfer's ends.
template <class To, class From>
struct Views {
  Views(const Ends& ends, std::size_t bytes) : to(ends.target, bytes), from(ends.source, bytes) {}
  Bytes<std::byte, To> to;
  Bytes<const std::byte, From> from;
};

// How deep_copy is called.
struct OnInstance {
  const Stream* stream;
  template <class V>
  void operator()(const V& views) const {
    Kokkos::deep_copy(kokkos_space(*stream), views.to, views.from);
  }
};
struct Waiting {
  const Stream* stream;
  template <class V>
  void operator()(const V& views) const {
    Kokkos::deep_copy(views.to, views.from);
  }
};

#if PORTCOST_HAS_CUDA

struct OnInstanceWaiting : OnInstance {
  template <class V>
  void operator()(const V& views) const {
    OnInstance::operator()(views);
    kokkos_space(*stream).fence("portcost: the copy has ended");
  }
};

using Device = Space::memory_space;

// With f, a memory space of a kind of host memory.
template <class F>
auto with_space(HostKind kind, const F& f) {
  if (kind == HostKind::pageable) return f(Kokkos::HostSpace());
  if (kind == HostKind::managed) return f(Kokkos::SharedSpace());
  return f(Kokkos::SharedHostPinnedSpace());
}

template <class To, class From, class How>
std::unique_ptr<Execution> copying(const Transfer& t, const Route& route, const How& how) {
  return moving(t, route.kind, route.direction, route.waits, [&](const Ends& ends) {
    return [views = Views<To, From>(ends, t.bytes), how] { how(views); };
  });
}

template <class How>
std::unique_ptr<Execution> copying(const Transfer& t, const Route& route, const How& how) {
  return with_space(route.kind, [&](auto host) {
    using Host = decltype(host);
    if (route.direction == Direction::to_device) return copying<Device, Host>(t, route, how);
    return copying<Host, Device>(t, route, how);
  });
}

auto by_call(const Route& route) {
  return [route](const Transfer& t, const Stream& on) {
    if (route.waits) return copying(t, route, Waiting{&on});
    return copying(t, route, OnInstance{&on});
  };
}

// A call that waits, and the documented way to wait for this copy alone.
auto on_instance_waiting(const Route& route) {
  return [route](const Transfer& t, const Stream& on) {
    return copying(t, route, OnInstanceWaiting{{&on}});
  };
}

// create_mirror_view_and_copy: a run allocates the target. It stays until the next run, because the
// answer lies there.
template <class Memory, class Source>
class Mirroring final : public Execution {
 public:
  Mirroring(Arrays* arrays, Source source) : arrays_(arrays), source_(std::move(source)) {}
  void run(int) override {
    mirror_ = {};
    mirror_ = Kokkos::create_mirror_view_and_copy(Memory(), source_);
    constexpr bool on_device = std::is_same_v<Memory, Device>;
    arrays_->answer_in_own(mirror_.data(), on_device ? Place::device : Place::host);
  }
  bool queued_ahead() const override { return false; }

 private:
  Arrays* arrays_;
  Source source_;
  decltype(Kokkos::create_mirror_view_and_copy(Memory(), std::declval<Source>())) mirror_;
};

template <class To, class From>
std::unique_ptr<Execution> mirroring(const Transfer& t, const Route& route) {
  const Ends ends = t.arrays->ends_of(route.kind, route.direction);
  using Source = Bytes<const std::byte, From>;
  return std::make_unique<Mirroring<To, Source>>(t.arrays, Source(ends.source, t.bytes));
}

auto by_mirror(const Route& route) {
  return [route](const Transfer& t, const Stream&) {
    return with_space(route.kind, [&](auto host) {
      using Host = decltype(host);
      if (route.direction == Direction::to_device) return mirroring<Device, Host>(t, route);
      return mirroring<Host, Device>(t, route);
    });
  };
}

// ---- Kernels that read or write the host's memory.

template <class Policy>
void copy_words(const KernelEnds& ends, const Space& space, std::int64_t words) {
  auto* const to = reinterpret_cast<std::uint32_t*>(ends.target);
  const auto* const from = reinterpret_cast<const std::uint32_t*>(ends.source);
  Kokkos::parallel_for(
      "portcost::transfer_bandwidth::words", Policy(space, 0, words),
      KOKKOS_LAMBDA(const std::int64_t i) { to[i] = from[i]; });
}

// Words, as one writes it first: in the space's own index type, as long as that reaches. The end of
// an array that has no whole words by another launch.
void by_words(const KernelEnds& ends, const Stream& on) {
  const Space& space = kokkos_space(on);
  const std::int64_t words = ends.bytes / 4, rest = ends.bytes % 4;
  if (words <= std::numeric_limits<int>::max()) {
    copy_words<Kokkos::RangePolicy<Space>>(ends, space, words);
  } else {
    copy_words<Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>>(ends, space, words);
  }
  if (rest == 0) return;
  Kokkos::parallel_for(
      "portcost::transfer_bandwidth::rest", Kokkos::RangePolicy<Space>(space, 0, rest),
      KOKKOS_LAMBDA(const std::int64_t i) {
        ends.target[4 * words + i] = ends.source[4 * words + i];
      });
}

// A pack an index, in 64 bits.
void by_packs(const KernelEnds& ends, const Stream& on) {
  using Policy = Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>;
  Kokkos::parallel_for(
      "portcost::transfer_bandwidth::packs", Policy(kokkos_space(on), 0, ends.packs()),
      KOKKOS_LAMBDA(const std::int64_t i) { ends.move(i); });
}

using Kernel = void (*)(const KernelEnds&, const Stream&);

std::unique_ptr<Execution> moved_by(Kernel kernel, const Route& route, const Transfer& t,
                                    const Stream& on) {
  return moving(t, route.kind, route.direction, false, [&](const Ends& ends) {
    return [kernel, in_kernel = kernel_ends(t, ends, route.direction), stream = &on] {
      kernel(in_kernel, *stream);
    };
  });
}

auto by_kernel(const Route& route, Kernel kernel) {
  return [route, kernel](const Transfer& t, const Stream& on) {
    return moved_by(kernel, route, t, on);
  };
}

#else

// make(ends, bytes, stream) gives the function that copies.
template <class Make>
auto in_host(const Make& make) {
  return [make](const Transfer& t, const Stream& on) {
    const auto with_ends = [&](const Ends& ends) { return make(ends, t.bytes, on); };
    return moving(t, HostKind::pageable, Direction::within_host, true, with_ends);
  };
}

// A part a thread, copied by the C library, as the native variant has it.
struct Parts {
  Ends ends;
  std::size_t bytes;
  int count;
  void copy(int part) const {
    const auto [begin, end] = page_part(bytes, part, count);
    if (begin < end) std::memcpy(ends.target + begin, ends.source + begin, end - begin);
  }
};

void each_by_range(const Parts& parts, const Space& space) {
  Kokkos::parallel_for("portcost::transfer_bandwidth::parts",
                       Kokkos::RangePolicy<Space>(space, 0, parts.count),
                       [=](const int part) { parts.copy(part); });
}

void each_by_the_book(const Parts& parts, const Space& space) {
  book::copy_parts(space, parts.count, book::Array<const std::byte>(parts.ends.source, parts.bytes),
                   book::Array<std::byte>(parts.ends.target, parts.bytes));
}

using Each = void (*)(const Parts&, const Space&);

void copy_parts(const Ends& ends, std::size_t bytes, const Space& space, Each each) {
  if (bytes <= one_thread_bytes) {
    std::memcpy(ends.target, ends.source, bytes);
  } else {
    each({ends, bytes, static_cast<int>(space.concurrency())}, space);
  }
}

using HostViews = Views<Kokkos::HostSpace, Kokkos::HostSpace>;

auto in_parts(Each each) {
  return in_host([each](const Ends& ends, std::size_t bytes, const Stream& on) {
    return [=, stream = &on] { copy_parts(ends, bytes, kokkos_space(*stream), each); };
  });
}
template <class How>
auto by_views() {
  return in_host([](const Ends& ends, std::size_t bytes, const Stream& on) {
    return [views = HostViews(ends, bytes), how = How{&on}] { how(views); };
  });
}

#endif

}  // namespace

Rungs kokkos_rungs() {
#if PORTCOST_HAS_CUDA
  return {
      rung(works, "pageable_to_device", by_call(pageable_to_device)),
      rung(works, "pageable_to_host", by_call(pageable_to_host)),
      rung(works, "pageable_to_device_waiting", by_call(pageable_to_device_waiting)),
      rung(works, "pageable_to_host_waiting", by_call(pageable_to_host_waiting)),
      rung(works, "pinned_to_device", by_call(pinned_to_device)),
      rung(works, "pinned_to_host", by_call(pinned_to_host)),
      rung(works, "pinned_to_device_waiting", by_call(pinned_to_device_waiting)),
      rung(works, "pinned_to_host_waiting", by_call(pinned_to_host_waiting)),
      rung(works, "managed_to_device", by_call(managed_to_device)),
      rung(works, "managed_to_host", by_call(managed_to_host)),
      rung(works, "pageable_to_device_waiting", by_mirror(pageable_to_device_waiting))
          .written(Way::usual),
      rung(works, "pageable_to_host_waiting", by_mirror(pageable_to_host_waiting))
          .written(Way::usual),
      rung(works, "pinned_to_device_waiting", by_mirror(pinned_to_device_waiting))
          .written(Way::usual),
      rung(works, "pinned_to_host_waiting", by_mirror(pinned_to_host_waiting)).written(Way::usual),
      rung(works, "pageable_to_device_waiting", on_instance_waiting(pageable_to_device_waiting))
          .written(Way::usual, "call=on_instance"),
      rung(works, "pageable_to_host_waiting", on_instance_waiting(pageable_to_host_waiting))
          .written(Way::usual, "call=on_instance"),
      rung(works, "pinned_to_device_waiting", on_instance_waiting(pinned_to_device_waiting))
          .written(Way::usual, "call=on_instance"),
      rung(works, "pinned_to_host_waiting", on_instance_waiting(pinned_to_host_waiting))
          .written(Way::usual, "call=on_instance"),
      rung(works, "mapped_to_device", by_kernel(mapped_to_device, copy_packs)),
      rung(works, "mapped_to_device", by_kernel(mapped_to_device, copy_by_the_book))
          .written(Way::book),
      rung(works, "mapped_to_host", by_kernel(mapped_to_host, copy_packs)),
      rung(works, "mapped_to_host", by_kernel(mapped_to_host, copy_by_the_book)).written(Way::book),
      rung(works, "mapped_to_device", by_kernel(mapped_to_device, by_words)).written(Way::usual),
      rung(works, "mapped_to_host", by_kernel(mapped_to_host, by_words)).written(Way::usual),
      rung(works, "mapped_to_device", by_kernel(mapped_to_device, by_packs))
          .written(Way::usual, "items=pack"),
      rung(works, "mapped_to_host", by_kernel(mapped_to_host, by_packs))
          .written(Way::usual, "items=pack"),
      absent_rung("within_host", "this build's Kokkos variants run on the device")};
#else
  const auto usual = [](std::string_view dials, const auto& f) {
    return rung(works, "within_host", f).written(Way::usual, dials);
  };
  return {rung(works, "within_host", in_parts(each_by_range)),
          rung(works, "within_host", in_parts(each_by_the_book)).written(Way::book),
          usual("", by_views<Waiting>()), usual("call=on_instance", by_views<OnInstance>())};
#endif
}

}  // namespace portcost::transfer_bandwidth
