// SPDX-License-Identifier: Apache-2.0
// floyd_warshall over processes, of which each has memory for the whole matrix.
#include "variants/floyd_warshall/ranks.hpp"

#include <optional>

#include "src/distributed/broadcast.hpp"
#include "variants/shared/data.hpp"

namespace portcost::floyd_warshall {

namespace {

// A rank's matrix: memory for all of it, and the initial contents of its own rows.
template <class E>
class Matrix {
 public:
  /// element(i, j): of the padded matrix.
  template <class Element>
  Matrix(const distributed::Processors& processors, std::int64_t n, const Stream& stream,
         const Element& element)
      : pitch_(padded(n)),
        stream_(stream),
        initial_(
            processors,
            cut(processors, {1, pitch_ / padding, padding * pitch_}, 1, distributed::Sharing::even),
            &stream) {
    processors.ranks().together(
        [&] { matrix_ = Buffer<E>(static_cast<std::size_t>(pitch_ * pitch_), stream.place()); });
    initial_.fill([&](const distributed::Index& at) {
      return element(at[1] * padding + at[2] / pitch_, at[2] % pitch_);
    });
  }
  E* data() const { return matrix_.data(); }
  E* tile_row(std::int64_t k) const { return data() + k * padding * pitch_; }
  std::size_t tile_row_bytes() const {
    return static_cast<std::size_t>(padding * pitch_) * sizeof(E);
  }
  const distributed::Distribution& shares() const { return initial_.shape().distribution; }
  /// This rank's tile rows: [first(), end()).
  int first() const { return static_cast<int>(own().begin[1]); }
  int end() const { return static_cast<int>(own().end[1]); }

  void reset() {
    matrix_.poison(stream_);
    copy_rows(initial_.data(initial_.parts()[0]), tile_row(first()));
  }
  /// On rank 0 all rows, without padding. Collective.
  Answer answer(std::string_view name, std::int64_t n) const {
    distributed::Array<E> rows(initial_.processors(), initial_.shape(), &stream_);
    copy_rows(tile_row(first()), rows.data(rows.parts()[0]));
    const auto extent = static_cast<std::size_t>(pitch_);
    Answer result = collected(rows, name, {extent, extent});
    for (Array& whole : result.arrays) {
      const auto* const elements = reinterpret_cast<const E*>(whole.bytes.data());
      whole = dense_rows(name, elements, pitch_, n, n, Stream(Place::host));
    }
    return result;
  }

 private:
  const distributed::Box& own() const { return initial_.parts()[0].layout.corners; }
  void copy_rows(const E* from, E* to) const {
    copy_bytes(to, stream_.place(), from, stream_.place(),
               static_cast<std::size_t>(own().volume()) * sizeof(E), stream_);
  }

  std::int64_t pitch_;
  const Stream& stream_;
  distributed::Array<E> initial_;
  Buffer<E> matrix_;
};

// A process reads next hops of its own rows only, so only lengths are broadcast. Inputs have no
// negative cycles, so `negative` need not be shared.
template <class T>
class RanksData final : public InstanceOf<SharedGraph<T>> {
 public:
  RanksData(const Problem& p, Stream& stream)
      : InstanceOf<SharedGraph<T>>(stream),
        n_(p.size.at("n")),
        input_(input_of(p)),
        processors_(distributed::communicator_of(stream), {stream.place(), 1}),
        a_(processors_, n_, stream, [this](std::int64_t i, std::int64_t j) { return edge(i, j); }),
        negative_(1, stream.place()),
        broadcast_(processors_.ranks(), a_.tile_row_bytes(), path_of(p, "panels"), stream),
        share_{a_.first(), a_.end(), [this](int k) { broadcast(k); }} {
    if (!with_hops(p)) return;
    next_.emplace(processors_, n_, stream, [this](std::int64_t i, std::int64_t j) {
      if (i == j && i < n_) return static_cast<int>(i);
      return is_no_path(edge(i, j)) ? -1 : static_cast<int>(j);
    });
  }

  void reset() override {
    a_.reset();
    if (next_) next_->reset();
    negative_.poison(this->stream());
  }
  Answer answer() override {
    const int negative =
        least_nonnegative(processors_.ranks(), negative_.download(this->stream())[0]);
    Answer result, distance = a_.answer("distance", n_);
    Answer next = next_ ? next_->answer("next", n_) : Answer();
    if (distance.arrays.empty()) return result;
    if constexpr (std::is_integral_v<T>) {
      mark_missing_paths(distance.arrays[0], next_ ? &next.arrays[0] : nullptr);
    }
    result.arrays.push_back(dense_one("negative_cycle", negative, Stream(Place::host)));
    for (Answer* const one : {&distance, &next}) {
      for (Array& array : one->arrays) result.arrays.push_back(std::move(array));
    }
    return result;
  }
  // A second run would find the distances in its input.
  bool repeatable() const override { return false; }
  bool queued_ahead() const override { return false; }
  SharedGraph<T> work(int) const override {
    return {{a_.data(), next_ ? next_->data() : nullptr, static_cast<int>(n_),
             static_cast<std::uint32_t>(padded(n_)), negative_.data(), padding},
            &share_};
  }

 private:
  T edge(std::int64_t i, std::int64_t j) const {
    const double length = i < n_ && j < n_ ? weight(input_, i, j) : no_edge<double>;
    return std::isinf(length) ? no_edge<T> : static_cast<T>(length);
  }
  void broadcast(int k) {
    broadcast_.run(reinterpret_cast<std::byte*>(a_.tile_row(k)), a_.tile_row_bytes(),
                   processors_.rank_of(a_.shares().owner({0, k, 0})));
  }

  std::int64_t n_;
  Input input_;
  distributed::Processors processors_;
  Matrix<T> a_;
  std::optional<Matrix<int>> next_;
  Buffer<int> negative_;
  distributed::Broadcast broadcast_;
  Share share_;
};

}  // namespace

std::unique_ptr<Instance> make_over_ranks(const Problem& problem, Stream& stream) {
  return make_instance<RanksData, float, int>(problem, stream);
}

}  // namespace portcost::floyd_warshall
