// SPDX-License-Identifier: Apache-2.0
// The steps over processes: which blocks are transposed and when they travel. They are written once
// for all models, as MPI's calls are the same in all; a model provides only the transposition of a
// block.
#include "variants/transpose/ranks.hpp"
#include "variants/transpose/ranks_launches.hpp"

namespace portcost::transpose {

namespace {

using distributed::Box;
using distributed::Layout;
using distributed::Part;
using distributed::Redistribution;

// Boxes are in the transposed matrices: their rows, and their columns, which are given rows.
template <class T>
class OverRanks : public Execution {
 public:
  OverRanks(RanksData<T>& data, const Stream& stream, Transpose<Submatrix, T> launch)
      : data_(data), stream_(stream), launch_(launch) {}
  bool queued_ahead() const override { return data_.queued_ahead(); }

 protected:
  /// Fills a box of `to` from the given matrices, whose rows or columns `from` holds.
  void transpose(const distributed::Array<T>& from, distributed::Array<T>& to, const Box& box) {
    if (box.empty()) return;
    const Part &source = from.parts()[0], &target = to.parts()[0];
    const Layout &in = source.layout, &out = target.layout;
    const Submatrix<T> block{from.data(source) + in.at({box.begin[0], box.begin[2], box.begin[1]}),
                             to.data(target) + out.at(box.begin),
                             static_cast<int>(box.extent(1)),
                             static_cast<int>(box.extent(2)),
                             static_cast<int>(in.pitch),
                             static_cast<int>(out.pitch),
                             in.plane,
                             out.plane};
    launch_(block, static_cast<int>(box.extent(0)), stream_);
  }

  RanksData<T>& data() { return data_; }
  const Stream& stream() const { return stream_; }
  /// The rank's part of the transposed matrices at the end.
  const Box& mine() { return data_.transposed().parts()[0].layout.corners; }
  /// The part of mine() that comes from the rank's own rows, which no rank sends.
  Box own() { return common(mine(), data_.packed().parts()[0].layout.corners); }

 private:
  RanksData<T>& data_;
  const Stream& stream_;
  Transpose<Submatrix, T> launch_;
};

// Blocks of rows become blocks of columns, which each rank then transposes locally.
template <class T>
class Redistribute final : public OverRanks<T> {
 public:
  Redistribute(RanksData<T>& data, const Stream& stream, Transpose<Submatrix, T> launch)
      : OverRanks<T>(data, stream, launch), to_columns_(data.to_columns()) {}
  void run(int) override {
    RanksData<T>& data = this->data();
    to_columns_.run(data.given(), data.columns());
    this->transpose(data.columns(), data.transposed(), this->mine());
  }

 private:
  Redistribution& to_columns_;
};

// Each rank transposes the rows for other ranks into packed memory, where each rank's part is
// contiguous, and its own part to its place. Then it sends all parts, which arrive as whole pieces
// of rows.
template <class T>
class AllToAll final : public OverRanks<T> {
 public:
  AllToAll(RanksData<T>& data, const Stream& stream, Transpose<Submatrix, T> launch)
      : OverRanks<T>(data, stream, launch), exchange_(data.exchange()) {
    // All rows of the transposed matrices before the rank's own, and all rows behind them.
    before_ = behind_ = data.packed().parts()[0].layout.corners;
    before_.end[1] = this->mine().begin[1];
    behind_.begin[1] = this->mine().end[1];
  }
  void run(int) override {
    RanksData<T>& data = this->data();
    this->transpose(data.given(), data.packed(), before_);
    this->transpose(data.given(), data.packed(), behind_);
    this->transpose(data.given(), data.transposed(), this->own());
    exchange_.run(data.packed(), data.transposed());
  }

 private:
  Redistribution& exchange_;
  Box before_, behind_;
};

// The same in chunks: the same fraction of every block is transposed and sent while the next is
// transposed. The own part comes last, while the last chunks travel. On a device the exchange has a
// queue of its own, whose blocks have priority over the transpositions.
template <class T>
class Overlap final : public OverRanks<T> {
 public:
  Overlap(RanksData<T>& data, const Stream& stream, Transpose<Submatrix, T> launch)
      : OverRanks<T>(data, stream, launch),
        chunks_(data.exchange_in_chunks()),
        queues_(stream, 2, Priority::high) {
    for (int chunk = 0; chunk < data.chunks(); ++chunk) ready_.emplace_back(stream.place());
  }
  void run(int) override {
    const bool device = this->stream().place() == Place::device;
    queues_.fork();
    begun_ = 0;
    // On a device all chunks are enqueued at once, so that its queue never runs empty; on a host
    // one by one.
    if (device) {
      for (int chunk = 0; chunk < count(); ++chunk) make(chunk);
      transpose_own();
    }
    for (int chunk = 0; chunk < count(); ++chunk) {
      if (!device) make(chunk);
      begin(chunk);
    }
    if (!device) transpose_own();
    for (Redistribution& chunk : chunks_) chunk.end();
    queues_.join();
  }

 private:
  int count() const { return static_cast<int>(chunks_.size()); }

  // Transposes a chunk of each other rank's part.
  void make(int chunk) {
    RanksData<T>& data = this->data();
    const auto& rows = data.transposed().shape().distribution;
    const int me = data.transposed().parts()[0].number;
    for (int other = 1; other < rows.parts(); ++other) {
      const int to = (me + other) % rows.parts();
      const Box& columns = data.packed().parts()[0].layout.corners;
      const Box block = common(rows.corners(to), columns);
      this->transpose(data.given(), data.packed(), piece_of(block, chunk, count()));
      let_messages_move();
    }
    ready_[static_cast<std::size_t>(chunk)].record(this->stream().native());
  }

  void begin(int chunk) {
    RanksData<T>& data = this->data();
    const Stream& queue = queues_[1];
    ready_[static_cast<std::size_t>(chunk)].enqueue_wait(queue.native());
    chunks_[static_cast<std::size_t>(chunk)].begin(data.packed(), data.transposed(), &queue);
    begun_ = chunk + 1;
    let_messages_move();
  }

  // In pieces, between which the MPI library gets the processor.
  void transpose_own() {
    RanksData<T>& data = this->data();
    for (int piece = 0; piece < count(); ++piece) {
      this->transpose(data.given(), data.transposed(), piece_of(this->own(), piece, count()));
      let_messages_move();
    }
  }

  void let_messages_move() {
    for (int chunk = 0; chunk < begun_; ++chunk) {
      chunks_[static_cast<std::size_t>(chunk)].test();
    }
  }

  std::deque<Redistribution>& chunks_;
  Queues queues_;
  std::vector<Event> ready_;  // a chunk has been transposed
  int begun_ = 0;             // chunks whose exchange has begun
};

// The rows of all ranks in place, from column `first` on.
template <class T>
RowsWithRanks<T> rows_with_ranks(const distributed::MappedParts& all,
                                 const distributed::Distribution& rows, std::int64_t first) {
  RowsWithRanks<T> result{};
  result.last = rows.parts() - 1;
  result.share = static_cast<int>(rows.corners(0).extent(1));
  result.rest = static_cast<int>(rows.corners(result.last).extent(1));
  result.pitch = static_cast<int>(all.part(0).layout.pitch);
  for (int rank = 0; rank < rows.parts(); ++rank) {
    const Layout& there = all.part(rank).layout;
    result.begin[rank] =
        reinterpret_cast<T*>(all.part(rank).data) + there.at({0, there.corners.begin[1], first});
  }
  return result;
}

// The rows of all ranks, which are read in place.
template <class T>
distributed::MappedParts& reach(RanksData<T>& data, RowsOfRanks<T>& matrices) {
  distributed::MappedParts& all = data.rows_of_all();
  const auto& rows = data.given().shape().distribution;
  const Part& to = data.transposed().parts()[0];
  matrices = {rows_with_ranks<const T>(all, rows, to.layout.corners.begin[1]),
              data.transposed().data(to), static_cast<int>(to.layout.corners.extent(1)),
              static_cast<int>(rows.global()[1]), to.layout.plane};
  return all;
}

// The rows of all ranks, which are written in place.
template <class T>
distributed::MappedParts& reach(RanksData<T>& data, RowsToRanks<T>& matrices) {
  distributed::MappedParts& all = data.transposed_of_all();
  const auto& rows = data.transposed().shape().distribution;
  const Part& from = data.given().parts()[0];
  const std::int64_t first = from.layout.corners.begin[1];
  const auto to = rows_with_ranks<T>(all, rows, first);
  // Every part begins where its memory does, and a matrix of it has whole rows.
  const int step = static_cast<int>(first) | to.pitch;
  matrices = {data.given().data(from),
              to,
              static_cast<int>(rows.global()[1]),
              static_cast<int>(from.layout.corners.extent(1)),
              from.layout.plane,
              step};
  return all;
}

// One kernel that reaches the memory of all ranks, without packing, sends or receives. It begins
// when all ranks are ready, and the step ends when all kernels have ended.
template <template <class> class At, class T>
class Direct final : public Execution {
 public:
  Direct(RanksData<T>& data, const Stream& stream, Transpose<At, T> launch)
      : data_(data), stream_(stream), launch_(launch), reached_(reach(data, matrices_)) {}
  bool queued_ahead() const override { return data_.queued_ahead(); }
  void run(int) override {
    reached_.meet(stream_);
    launch_(matrices_, batch_, stream_);
    reached_.meet(stream_);
  }

 private:
  RanksData<T>& data_;
  const Stream& stream_;
  Transpose<At, T> launch_;
  At<T> matrices_ = {};
  distributed::MappedParts& reached_;
  int batch_ = static_cast<int>(data_.given().shape().distribution.global()[0]);
};
template <class T>
using DirectLoads = Direct<RowsOfRanks, T>;
template <class T>
using DirectStores = Direct<RowsToRanks, T>;

template <template <class> class Made, template <class> class At>
Rung step(std::string_view name, const Launches<At>& model, Unfit unfit) {
  return rung(ranks_works, name,
              [model]<class T>(const RanksTask<RanksData<T>>& task,
                               const Stream& stream) -> std::unique_ptr<Execution> {
                return std::make_unique<Made<T>>(*task.data, stream,
                                                 std::get<Transpose<At, T>>(model));
              })
      .unless(std::move(unfit));
}

}  // namespace

Rungs rungs_over_ranks(const ModelLaunches& model, Place place) {
  const Unfit unfit = on_path("path", place, too_many_ranks);
  return {step<Redistribute, Submatrix>("redistribute", model, unfit),
          step<AllToAll, Submatrix>("all_to_all", model, unfit),
          step<Overlap, Submatrix>("overlap", model, unfit)};
}

Rungs direct_rungs(const Launches<RowsOfRanks>& loads, const Launches<RowsToRanks>& stores) {
  return {step<DirectLoads, RowsOfRanks>("direct", loads, unfit_for_direct),
          step<DirectStores, RowsToRanks>("direct_stores", stores, unfit_for_direct)};
}

}  // namespace portcost::transpose
