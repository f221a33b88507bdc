// SPDX-License-Identifier: Apache-2.0
// gauss over processes, of which each has memory for the whole matrix, and its own tile rows behind
// it.
#include "variants/gauss/ranks.hpp"

#include "src/distributed/broadcast.hpp"
#include "variants/shared/data.hpp"
#include "variants/shared/lu_input.hpp"

namespace portcost::gauss {

namespace {

template <class T>
class RanksData final : public InstanceOf<SharedSystem<T>> {
 public:
  RanksData(const Problem& p, Stream& stream)
      : InstanceOf<SharedSystem<T>>(stream),
        n_(p.size.at("n")),
        tile_rows_(padded(n_) / padding),
        ranks_(distributed::communicator_of(stream)),
        share_{ranks_.rank(), ranks_.size(),
               static_cast<int>(ceil_div(tile_rows_ - ranks_.rank(), std::int64_t{ranks_.size()})),
               [this](int k) { stage(k); }, [this](int k) { broadcast(k); }},

        bad_pivot_(1, stream.place()),
        broadcast_(ranks_, tile_row_elements() * sizeof(T), path_of(p, "panels"), stream) {
    const auto element = [input = input_of(p)](std::int64_t i, std::int64_t j) {
      return static_cast<T>(input.at(i, j));
    };
    greatest_ = greatest_of<T>(n_ * n_, [&](auto i) { return element(i / n_, i % n_); });
    ranks_.together([&] {
      matrix_ = Buffer<T>((static_cast<std::size_t>(tile_rows_) + own()) * tile_row_elements(),
                          stream.place());
      initial_ = filled(own() * tile_row_elements(), stream, [&](std::uint64_t number) {
        const auto at = static_cast<std::int64_t>(number), row = at / pitch();
        const std::int64_t k = row / padding * share_.ranks + share_.rank;
        return padded_element(element, n_, greatest_, k * padding + row % padding, at % pitch());
      });
    });
  }

  void reset() override {
    matrix_.poison(this->stream());
    copy(tile_row(tile_rows_), initial_.data(), own());
    bad_pivot_.poison(this->stream());
  }
  // The broadcasts, which take L's part of a row along for this, have left all rows on each rank.
  Answer answer() override {
    const int bad = least_nonnegative(ranks_, bad_pivot_.download(this->stream())[0]);
    Answer result;
    if (!ranks_.is_first()) return result;
    result.arrays.push_back(dense_one("bad_pivot", bad, Stream(Place::host)));
    result.arrays.push_back(dense_rows("lu", matrix_.data(), pitch(), n_, n_ + 1, this->stream()));
    this->stream().synchronize();
    return result;
  }
  // A second run would have multipliers for its input.
  bool repeatable() const override { return false; }
  bool queued_ahead() const override { return false; }
  SharedSystem<T> work(int) const override {
    return {{matrix_.data(), static_cast<int>(n_), static_cast<std::uint32_t>(pitch()),
             bad_pivot_.data(), tiny_pivot(greatest_), panel_tile},
            &share_};
  }

 private:
  std::int64_t pitch() const { return padded(n_ + 1); }
  std::size_t own() const { return static_cast<std::size_t>(share_.own_tile_rows); }
  std::size_t tile_row_elements() const { return static_cast<std::size_t>(padding * pitch()); }
  T* tile_row(std::int64_t k) const { return matrix_.data() + k * padding * pitch(); }
  void copy(T* to, const T* from, std::size_t rows) const {
    const Place place = this->stream().place();
    copy_bytes(to, place, from, place, rows * tile_row_elements() * sizeof(T), this->stream());
  }
  void stage(int k) const { copy(tile_row(k), tile_row(tile_rows_ + k / share_.ranks), 1); }
  void broadcast(int k) {
    broadcast_.run(reinterpret_cast<std::byte*>(tile_row(k)), tile_row_elements() * sizeof(T),
                   k % share_.ranks);
  }

  std::int64_t n_, tile_rows_;
  const distributed::Communicator& ranks_;
  Share share_;
  Buffer<T> matrix_, initial_;
  Buffer<int> bad_pivot_;
  T greatest_ = 0;
  distributed::Broadcast broadcast_;
};

}  // namespace

std::unique_ptr<Instance> make_over_ranks(const Problem& problem, Stream& stream) {
  return make_instance<RanksData, float, double>(problem, stream);
}

}  // namespace portcost::gauss
