// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <tuple>
#include <utility>

#include "src/memory/host_memory.hpp"
#include "variants/shared/data.hpp"
#include "variants/transfer_overlap/problem.hpp"

namespace portcost::transfer_overlap {

namespace {

constexpr std::array<std::int64_t, 5> stream_counts{1, 2, 4, 8, 16};
constexpr std::array size_keys{
    SizeKey{"n", std::int64_t{1} << 26, 1, most_elements, "elements of the array"},
    SizeKey{"streams", 4, 1, 16, "streams, or execution-space instances", false, stream_counts}};
// Each has some calls and events of its own, which the host keeps.
constexpr std::int64_t most_chunks = 65'536;
constexpr std::array parameter_keys{
    math_key,
    ParameterKey::whole("host_work", 0, "elements of its own that the host changes beside", 0,
                        most_elements),
    ParameterKey::whole("chunks", 0, "pieces the array is cut into; 0: as many as streams", 0,
                        most_chunks),
    ParameterKey::whole("buffers", 0,
                        "device buffers of ring, a chunk each; 0: half as many as chunks", 0,
                        most_chunks)};

Cut cut_of(const Problem& p) {
  const std::int64_t streams = p.size.at("streams"), chunks = p.parameters.whole("chunks");
  return {p.size.at("n"), chunks > 0 ? chunks : streams, p.parameters.whole("buffers"),
          static_cast<int>(streams)};
}

template <class T>
class Data final : public InstanceOf<Overlap<T>>, private Room<T> {
 public:
  Data(const Problem& p, Stream& stream)
      : InstanceOf<Overlap<T>>(stream),
        cut_(cut_of(p)),
        seed_(p.seed),
        fast_(is_fast(p)),
        a_(count(p, "n") * sizeof(T),
           stream.place() == Place::device ? HostKind::pinned : HostKind::pageable),
        own_(static_cast<std::size_t>(p.parameters.whole("host_work")), Place::host) {
    restore();
  }
  Overlap<T> work(int) const override {
    return {a(),
            a_.kind() == HostKind::pinned || this->stream().place() == Place::host,
            const_cast<Data*>(this),
            cut_,
            fast_,
            own_.size() > 0};
  }
  bool repeatable() const override { return true; }
  void reset() override {
    this->stream().synchronize();
    restore();
    whole_.poison(this->stream());
    ring_.poison(this->stream());
  }
  Answer answer() override {
    this->stream().synchronize();
    const auto n = static_cast<std::size_t>(cut_.n);
    Answer result = increases();
    const std::size_t kept = a_.size() <= most_bytes_kept ? n : 0;
    const auto keep = [&](std::string_view name, const T* from, std::size_t elements) {
      result.arrays.push_back(array(name, elements));
      if (elements > 0) {
        std::memcpy(result.arrays.back().bytes.data(), from, elements * sizeof(T));
      }
    };
    keep("out", a(), kept);
    if (own_.size() > 0) keep("own", own_.data(), own_.size());
    return result;
  }

 private:
  T* a() const { return reinterpret_cast<T*>(a_.data()); }
  T* whole() override { return made(whole_, cut_.n); }
  T* ring() override { return made(ring_, cut_.ring().elements()); }
  T* made(Buffer<T>& room, std::int64_t elements) {
    if (room.size() == 0) {
      room = Buffer<T>(static_cast<std::size_t>(elements), this->stream().place());
      room.poison(this->stream());
      this->stream().synchronize();
    }
    return room.data();
  }
  void work_of_host() override {
#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < own_.size(); ++i) {
      own_.data()[i] = increased(own_.data()[i], static_cast<T>(i));
    }
  }
  void restore() {
    for (std::size_t i = 0; i < own_.size(); ++i) own_.data()[i] = element<T>(seed_, i);
    for_page_parts(a_.size(), [this](std::size_t begin, std::size_t end) {
      T* const to = a();
      for (std::size_t i = begin / sizeof(T); i < end / sizeof(T); ++i) {
        to[i] = element<T>(seed_, i);
      }
    });
  }
  static Array array(std::string_view name, std::size_t elements) {
    return {std::string(name),
            element_type_of<T>,
            {elements},
            Buffer<std::byte>(elements * sizeof(T), Place::host)};
  }
  // By how much elements have increased, at least and at most. What is no number is both.
  std::pair<T, T> increase(std::int64_t first, std::int64_t end) const {
    constexpr T infinity = std::numeric_limits<T>::infinity();
    const T* const from = a();
    T least = infinity, most = -infinity;
    int no_numbers = 0;
#pragma omp simd reduction(min : least) reduction(max : most) reduction(+ : no_numbers)
    for (std::int64_t i = first; i < end; ++i) {
      const T by = from[i] - element<T>(seed_, static_cast<std::uint64_t>(i));
      least = by < least ? by : least;
      most = by > most ? by : most;
      no_numbers += std::isnan(by);
    }
    constexpr T no_number = std::numeric_limits<T>::quiet_NaN();
    return no_numbers > 0 ? std::pair(no_number, no_number) : std::pair(least, most);
  }
  // The same of each part.
  Answer increases() const {
    const std::int64_t parts = ceil_div(cut_.n, part_elements);
    Answer result;
    for (const char* name : {"least", "most"}) {
      result.arrays.push_back(array(name, static_cast<std::size_t>(parts)));
    }
    T* const least = reinterpret_cast<T*>(result.arrays[0].bytes.data());
    T* const most = reinterpret_cast<T*>(result.arrays[1].bytes.data());
#pragma omp parallel for schedule(static)
    for (std::int64_t part = 0; part < parts; ++part) {
      const std::int64_t first = part * part_elements,
                         end = std::min(cut_.n, first + part_elements);
      std::tie(least[part], most[part]) = increase(first, end);
    }
    return result;
  }

  Cut cut_;
  std::uint64_t seed_;
  bool fast_;
  HostMemory a_;
  Buffer<T> own_;
  Buffer<T> whole_, ring_;
};

double bytes_of(const Problem& p) { return real(p, "n") * bytes(p.type); }

// What is on the device, or beside the array on a host. The host's memory of a device's instance is
// checked when it is allocated.
double footprint(const Problem& p) {
  const double ring = static_cast<double>(cut_of(p).ring().elements()) * bytes(p.type);
  return ring + (larger_than_device(p).empty() ? bytes_of(p) : 0) + 64;
}

Cost cost(const Problem& p) { return {{2 * bytes_of(p), "copy"}}; }

// A pipeline whose slowest stage never waits, but for the first piece, which must come to it, and
// for the last one, which must go from it to the end. Before the one and behind the other there is
// nothing to copy the other way; between, both ways are busy.
Cost device_cost(const Problem& p) {
  const Cut cut = cut_of(p);
  const Plan plan = cut.chunked();
  const double all = bytes_of(p);
  const double first = static_cast<double>(plan.piece(0).count) * bytes(p.type);
  const double last = static_cast<double>(plan.piece(plan.pieces - 1).count) * bytes(p.type);
  Cost stages{{first, "link to device pinned", 0},
              {all - first, "link to device both ways", 0},
              {2 * last, "copy", 0},
              {last, "link from device pinned", 0},
              {first, "link to device pinned", 1},
              {2 * first, "copy", 1},
              {all - last, "link from device both ways", 1},
              {last, "link from device pinned", 1},
              {first, "link to device pinned", 2},
              {2 * all, "copy", 2},
              {last, "link from device pinned", 2}};
  std::erase_if(stages, [](const Amount& stage) { return stage.amount <= 0; });
  return stages;
}

}  // namespace

std::string_view larger_than_device(const Problem& p) {
  if (!device_present()) return {};
  if (bytes_of(p) < 0.9 * available_bytes(Place::device)) return {};
  return "the array is larger than the device's free memory: ring alone takes such";
}

Algorithm algorithm() {
  return {
      .name = "transfer_overlap",
      .summary =
          "an array copied to the device, changed there and copied back, in chunks whose "
          "copies and kernels overlap",
      .size_keys = size_keys,
      .parameter_keys = parameter_keys,
      .absent = absent_without_cuda({"v1", "v2", "v3", "graph"}, {"sequential", "ring"}),
      .footprint = footprint,
      .cost = cost,
      .device_cost = device_cost,
      .measured = {.device = "2^26,4|1|2|8|16",
                   .device_full = "2^26,4|1|2|8|16 2^22|2^24|2^28,4",
                   .host = "2^22,4|1|2|8|16",
                   .host_full = "2^22,4|1|2|8|16 2^18|2^20|2^24,4"},
      .checked = "1|2|5|17|1000|4097|300001,1|2|4|16",
      .drawn = {{1,
                 200'000,
                 {1, 2, 3, 4, 5, 15, 16, 17, 127, 128, 129, 4095, 4097, 65'536, 65'537}},
                {1, 0, {1, 2, 4, 8, 16}}},
      .make = make_instance<Data, float, double>,
      .compare =
          [](const Problem& p, const Answer& left, const Answer& right, const Stream& stream) {
            return compare_within(is_fast(p) ? 18 : 9, left, right, stream);
          },
      .agreement = "within 9 roundings, by fast functions 18",
      .judge = judge,
      .in_default_campaign = false,
  };
}

}  // namespace portcost::transfer_overlap
