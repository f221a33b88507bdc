// SPDX-License-Identifier: Apache-2.0
// gauss over processes, of which each has memory for the whole matrix, and its own rows behind it.
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
        tiles_(padded(n_) / padding),
        ranks_(distributed::communicator_of(stream)),
        share_{ranks_.rank(), ranks_.size(),
               static_cast<int>(ceil_div(tiles_ - ranks_.rank(), std::int64_t{ranks_.size()})),
               [this](int k) { stage(k); }, [this](int k) { broadcast(k); }},
        all_((static_cast<std::size_t>(tiles_) + own()) * of_tiles(), stream.place()),
        bad_pivot_(1, stream.place()),
        broadcast_(ranks_, of_tiles() * sizeof(T), path_of(p, "panels"), stream) {
    const auto element = [input = input_of(p)](std::int64_t i, std::int64_t j) {
      return static_cast<T>(input.at(i, j));
    };
    greatest_ = greatest_of<T>(n_ * n_, [&](auto i) { return element(i / n_, i % n_); });
    first_ = filled(own() * of_tiles(), stream, [&](std::uint64_t number) {
      const auto at = static_cast<std::int64_t>(number), row = at / pitch();
      const std::int64_t tile = row / padding * share_.ranks + share_.rank;
      return padded_element(element, n_, greatest_, tile * padding + row % padding, at % pitch());
    });
  }

  void reset() override {
    all_.poison(this->stream());
    copy(tiles(tiles_), first_.data(), own());
    bad_pivot_.poison(this->stream());
  }
  // The broadcasts have left all rows on each rank.
  Answer answer() override {
    const int bad = least_found(ranks_, bad_pivot_.download(this->stream())[0]);
    Answer result;
    if (!ranks_.is_first()) return result;
    result.arrays.push_back(array_of_one("bad_pivot", bad));
    result.arrays.push_back(dense_rows("lu", all_.data(), pitch(), n_, n_ + 1, this->stream()));
    return result;
  }
  // A second run would have multipliers for its input.
  bool repeatable() const override { return false; }
  bool queued_ahead() const override { return false; }
  SharedSystem<T> work(int) const override {
    return {{all_.data(), static_cast<int>(n_), static_cast<std::uint32_t>(pitch()),
             bad_pivot_.data(), tiny_pivot(greatest_), panel_tile},
            &share_};
  }

 private:
  std::int64_t pitch() const { return padded(n_ + 1); }
  std::size_t own() const { return static_cast<std::size_t>(share_.own); }
  // Elements of a row of tiles, and where one begins.
  std::size_t of_tiles() const { return static_cast<std::size_t>(padding * pitch()); }
  T* tiles(std::int64_t row) const { return all_.data() + row * padding * pitch(); }
  void copy(T* to, const T* from, std::size_t rows) const {
    const Place place = this->stream().place();
    copy_bytes(to, place, from, place, rows * of_tiles() * sizeof(T), this->stream());
  }
  void stage(int k) const { copy(tiles(k), tiles(tiles_ + k / share_.ranks), 1); }
  void broadcast(int k) {
    broadcast_.run(reinterpret_cast<std::byte*>(tiles(k)), of_tiles() * sizeof(T),
                   k % share_.ranks);
  }

  std::int64_t n_, tiles_;
  const distributed::Communicator& ranks_;
  Share share_;
  Buffer<T> all_, first_;
  Buffer<int> bad_pivot_;
  T greatest_ = 0;
  distributed::Broadcast broadcast_;
};

}  // namespace

Unfit unfit_over_ranks(Place place) {
  return on_path("panels", place, [](const Problem& p) {
    return distributed::why_not_shared(padded(p.size.at("n")) / padding, std::max(1, p.ranks),
                                       distributed::Sharing::even, "rows of tiles");
  });
}

std::unique_ptr<Instance> make_over_ranks(const Problem& problem, Stream& stream) {
  return make_instance<RanksData, float, double>(problem, stream);
}

}  // namespace portcost::gauss
