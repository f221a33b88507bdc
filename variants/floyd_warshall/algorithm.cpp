// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "src/contract/solvers.hpp"
#include "src/contract/truth.hpp"
#include "src/distributed/path.hpp"
#include "src/support/error.hpp"
#include "variants/floyd_warshall/problem.hpp"
#include "variants/shared/data.hpp"
#include "variants/shared/kokkos_runtime.hpp"

namespace portcost::floyd_warshall {

namespace {

constexpr std::array size_keys{SizeKey{"n", 4096, 1, most_vertices, "vertices"}};
constexpr std::int64_t standard_r1 = 256;
constexpr std::array parameter_keys{
    ParameterKey::choice("graph", kind_names, "which pairs have an edge"),
    ParameterKey::choice("weights", weight_names, "lengths of edges: whole numbers, or any (f32)"),
    ParameterKey::choice("paths", off_on, "next hops beside the distances"),
    ParameterKey::whole("r1", standard_r1, "vertices a round of deep_k, a multiple of 128"),
    ParameterKey::choice("panels", distributed::broadcast_path_names,
                         "distributed: the path of pivot rows to all processes")};
constexpr std::array types{ElementType::f32, ElementType::i32};

template <class T>
class Data final : public DataOf<Graph<T>> {
 public:
  Data(const Problem& p, Stream& stream)
      : Data(p.size.at("n"), static_cast<int>(p.parameters.whole("r1")), with_hops(p), stream,
             [input = input_of(p)](std::int64_t i, std::int64_t j) {
               const double length = weight(input, i, j);
               return std::isinf(length) ? no_edge<T> : static_cast<T>(length);
             }) {}
  // edge(i, j): the length of an edge, no_edge<T> if missing; at most 0 where i = j.
  template <class Edge>
  Data(std::int64_t n, int r1, bool paths, Stream& stream, const Edge& edge)
      : DataOf<Graph<T>>(stream),
        n_(n),
        r1_(r1),
        a_(*this, by_pairs(stream, edge)),
        negative_(*this, "negative_cycle", {1}) {
    this->in_answer([this] { return without_padding("distance", a_); });
    this->template sends<T>(a_.initial(), [this] { return a_.data(); });
    this->fetches([this] { return a_.data(); }, a_.bytes());
    if (!paths) return;
    next_.emplace(*this, by_pairs(stream, [&](std::int64_t i, std::int64_t j) {
      return i == j ? static_cast<int>(i) : is_no_path(edge(i, j)) ? -1 : static_cast<int>(j);
    }));
    this->template sends<int>(next_->initial(), [this] { return next_->data(); });
    this->fetches([this] { return next_->data(); }, next_->bytes());
    this->in_answer([this] { return without_padding("next", *next_); });
  }
  Answer answer() override {
    Answer result = DataOf<Graph<T>>::answer();
    if constexpr (std::is_integral_v<T>) {
      for (std::size_t i = 1; i < result.arrays.size(); ++i) {  // the first is negative_cycle
        Buffer<std::byte>& bytes = result.arrays[i].bytes;
        if (bytes.place() == Place::host) continue;
        Buffer<std::byte> on_host(bytes.size(), Place::host);
        on_host.copy_from(bytes, this->stream());
        this->stream().synchronize();
        bytes = std::move(on_host);
      }
      mark_missing_paths(result.arrays[1], next_ ? &result.arrays[2] : nullptr);
    }
    return result;
  }
  // A second run would find the distances in its input.
  bool repeatable() const override { return false; }
  Graph<T> work(int) const override {
    return {a_.data(),
            next_ ? next_->data() : nullptr,
            static_cast<int>(n_),
            static_cast<std::uint32_t>(padded(n_)),
            negative_.data(),
            r1_};
  }

 private:
  template <class Rule>
  auto by_pairs(const Stream& stream, const Rule& rule) const {
    const std::int64_t pitch = padded(n_);
    using Element = decltype(rule(std::int64_t{}, std::int64_t{}));
    constexpr Element none =
        std::is_same_v<Element, T> ? static_cast<Element>(no_edge<T>) : Element(-1);
    return filled(static_cast<std::size_t>(pitch * pitch), stream, [=, n = n_](std::uint64_t at) {
      const std::int64_t i = static_cast<std::int64_t>(at) / pitch,
                         j = static_cast<std::int64_t>(at) % pitch;
      return i < n && j < n ? rule(i, j) : none;
    });
  }
  template <class Element>
  Array without_padding(std::string_view name, const Buffer<Element>& from) const {
    return dense_rows(name, from.data(), padded(n_), n_, n_, this->stream());
  }

  std::int64_t n_;
  int r1_;
  Restored<T> a_;
  std::optional<Restored<int>> next_;
  Output<int> negative_;
};

void validate(const Problem& p) {
  const std::int64_t r1 = p.parameters.whole("r1");
  demand(r1 >= padding && r1 % padding == 0 && r1 <= most_vertices,
         fmt::format("r1={} must be a multiple of {} from {} to {}", r1, padding, padding,
                     most_vertices));
  demand(!input_of(p).real || p.type != ElementType::i32,
         "weights=real needs --type f32: i32 has whole numbers");
}

// The matrix, its initial contents, and two answers. Over processes: the initial contents and a
// copy of the own rows, and on rank 0 the answer with its padding. As much again for next hops.
double footprint(const Problem& p) {
  const auto pitch = static_cast<double>(padded(p.size.at("n")));
  const double n = real(p, "n"), share = tile_row_share(p.size.at("n"), p.ranks);
  const double copies = p.ranks > 0 ? 2 + 2 * share : 2;
  return (copies * pitch * pitch + 2 * n * n) * 4 * (with_hops(p) ? 2 : 1);
}

// Every pair over every vertex: an addition and a minimum. A process receives the others' rows.
Cost cost(const Problem& p) {
  const double n = real(p, "n"), share = tile_row_share(p.size.at("n"), p.ranks);
  return with_exchange(
      p, {{share * n * n * n, p.type == ElementType::i32 ? "add-min i32" : "add-min f32"}},
      (1 - share) * n * n * 4);
}

Disagreement compare_distances(const Problem& p, const Answer& left, const Answer& right,
                               const Stream& stream) {
  const Array &a = left.at("distance"), &b = right.at("distance");
  const double allowed = tolerance(p, longest(a, stream));
  return apart(a, on_host<float>(a, 0, a.count(), stream), on_host<float>(b, 0, b.count(), stream),
               allowed, [=](double one, double other) {
                 return one == other || std::abs(one - other) <= allowed;  // NaN is not
               });
}

}  // namespace

bool with_hops(const Problem& p) { return p.parameters.number_of("paths", off_on) == 1; }

Input input_of(const Problem& p) {
  return {static_cast<Kind>(p.parameters.number_of("graph", kind_names)),
          p.parameters.number_of("weights", weight_names) == 1, p.seed, p.size.at("n")};
}

double weight(const Input& input, std::int64_t i, std::int64_t j) {
  constexpr double none = std::numeric_limits<double>::infinity();
  if (i == j) return 0;
  const std::uint64_t bits =
      random_bits(input.seed, static_cast<std::uint64_t>(i * input.n + j) + 1);
  const double fraction = input.real ? static_cast<double>(bits >> 40) * 0x1p-24 : 0;
  const auto whole = [&](std::uint64_t most) {
    return static_cast<double>(1 + (bits >> 8) % most);
  };
  if (input.kind == Kind::dense) return whole(999) + fraction;
  if (input.kind == Kind::ring) {
    const std::int64_t first = 2 * input.n / 3, begin = i < first ? 0 : first,
                       length = i < first ? first : input.n - first;
    if (i == 0 && j == first) return whole(99) + fraction;
    if ((j < first) != (i < first)) return none;
    const std::int64_t ahead = (j - i + length) % length;
    const bool back = ahead == length - 1 && (i - begin) % 2 == 1;
    return ahead == 1 || back ? whole(99) + fraction : none;
  }
  if (j % 7 == 6 || bits % 4 != 0) return none;
  const auto potential = [&](std::int64_t vertex) {
    return static_cast<double>(random_bits(~input.seed, static_cast<std::uint64_t>(vertex)) % 999);
  };
  return whole(999) + fraction + potential(i) - potential(j);
}

void mark_missing_paths(Array& distance, Array* next) {
  auto* const length = reinterpret_cast<int*>(distance.bytes.data());
  int* const hop = next == nullptr ? nullptr : reinterpret_cast<int*>(next->bytes.data());
  const auto count = static_cast<std::int64_t>(distance.count());
#pragma omp parallel for schedule(static)
  for (std::int64_t at = 0; at < count; ++at) {
    if (!is_no_path(length[at])) continue;
    length[at] = no_path<int>;
    if (hop != nullptr) hop[at] = -1;
  }
}

Disagreement compare(const Problem& p, const Answer& left, const Answer& right,
                     const Stream& stream) {
  const bool real = input_of(p).real;
  std::vector<std::string_view> exact{"negative_cycle"};
  if (!real) exact.push_back("distance");
  Disagreement found = compare_exact(left, right, stream, exact);
  if (!found.agrees()) return found;
  if (real) found = compare_distances(p, left, right, stream);
  if (!found.agrees() || !with_hops(p)) return found;
  for (const Answer* one : {&left, &right}) {
    const std::string fault = hop_fault(p, *one, stream);
    if (!fault.empty()) return {1, "next", 0, 0, 0, fault};
  }
  return found;
}

namespace {

Problem problem(std::int64_t vertices, ElementType type, bool paths) {
  return {parse_size(fmt::format("n={}", vertices), size_keys),
          parse_parameters(paths ? "paths=on" : "", parameter_keys), type};
}

// Element [i][i] is a loop, which counts where it is negative.
std::unique_ptr<Instance> make(const Problem& p, std::span<const std::byte> lengths,
                               Stream& stream) {
  require(p.type != ElementType::f64, "there are no kernels in f64");
  const std::int64_t n = p.size.at("n");
  const auto made = [&]<class T>(T) -> std::unique_ptr<Instance> {
    const std::span<const T> matrix(reinterpret_cast<const T*>(lengths.data()),
                                    lengths.size() / sizeof(T));
    require(n >= 1 && n <= most_vertices && matrix.size() == static_cast<std::size_t>(n * n),
            "a matrix that is not n by n");
    return std::make_unique<Data<T>>(n, static_cast<int>(standard_r1), with_hops(p), stream,
                                     [=](std::int64_t i, std::int64_t j) {
                                       const T length = matrix[static_cast<std::size_t>(i * n + j)];
                                       if (i == j) return lesser(T(0), length);
                                       return length == no_path<T> ? no_edge<T> : length;
                                     });
  };
  return p.type == ElementType::f32 ? made(float{}) : made(int{});
}

std::vector<std::string_view> steps(const Problem&, Model model) {
  if (model == Model::reference) return {"naive_2d"};
  const bool device =
      model == Model::cuda || (model == Model::kokkos && kokkos_place() == Place::device);
  return {device ? "dataflow" : "register_tile"};
}

constexpr GraphSolver graph_solver{.most_vertices = most_vertices,
                                   .standard_type = ElementType::f32,
                                   .problem = problem,
                                   .make = make,
                                   .steps = steps,
                                   .longest_whole_path = most_length};

}  // namespace

Algorithm algorithm() {
  return {
      .name = "floyd_warshall",
      .summary = "shortest paths between all pairs of n vertices, in place",
      .size_keys = size_keys,
      .parameter_keys = parameter_keys,
      .types = types,
      .absent = absent_without_mpi({"distributed"}),
      .unequal_work = {{"dataflow", "loads",
                        "a thread that waits reads a count again and again, so that how often "
                        "depends on how long it waits"},
                       {"dataflow", "atomic operations",
                        "Kokkos's atomic load, with which a thread waits by the book, is a "
                        "compare-exchange in CUDA"}},
      .validate = validate,
      .footprint = footprint,
      .cost = cost,
      // A second on an H200 holds enough runs of the slowest usual form for a verdict up to n=1536.
      .measured = {.device = "1536 512",
                   .device_full = "4096 256 512 1024 2048 3001 8192",
                   .host = "1024 256",
                   .host_full = "1024 128 256 512 2048"},
      .host_sizes = {"128|256|512|1024|2048", 45},  // the usual form is that slow
      .checked = "1|2|33|65|127|129|200|385",
      .drawn = {{1, 40, {1, 2, 31, 32, 33}}},
      .make = make_instance<Data, float, int>,
      .compare = compare,
      .agreement = "equal; real lengths within the roundings of a path; next hops lead there",
      .judge = judge,
      // The plain step, which the usual forms follow, and the fastest steps.
      .headline = {.device = {"naive_2d", "look_ahead", "dataflow"},
                   .host = {"naive_2d", "register_tile"}},
      .graph_solver = &graph_solver,
  };
}

}  // namespace portcost::floyd_warshall
