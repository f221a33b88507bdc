// SPDX-License-Identifier: Apache-2.0
// The steps over processes: which blocks are transposed and when they travel. Written once for all
// models, as MPI's calls are the same in all; what a model writes by itself is the transposed of a
// block.
#include "variants/transpose/ranks.hpp"
#include "variants/transpose/ranks_launches.hpp"

namespace portcost::transpose {

namespace {

using distributed::Box;
using distributed::Layout;
using distributed::Part;
using distributed::Redistribution;

// Boxes are of the transposed matrices: rows of these, and columns, which are given rows.
template <class T>
class OverRanks : public Execution {
 public:
  OverRanks(RanksData<T>& data, const Stream& stream, TransposeBlock<T> launch)
      : data_(data), stream_(stream), launch_(launch) {}
  bool queued_ahead() const override { return data_.queued_ahead(); }

 protected:
  /// Fills a box of `to` from the given matrices, of which `from` has the rows or the columns.
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
  /// What the rank has of the transposed matrices at the end.
  const Box& mine() { return data_.transposed().parts()[0].layout.corners; }
  /// Of that, what it has of the given ones, too: nobody sends it.
  Box own() { return common(mine(), data_.packed().parts()[0].layout.corners); }

 private:
  RanksData<T>& data_;
  const Stream& stream_;
  TransposeBlock<T> launch_;
};

// Blocks of rows become blocks of columns, which each rank transposes by itself.
template <class T>
class Redistribute final : public OverRanks<T> {
 public:
  Redistribute(RanksData<T>& data, const Stream& stream, TransposeBlock<T> launch)
      : OverRanks<T>(data, stream, launch), to_columns_(data.to_columns()) {}
  void run(int) override {
    RanksData<T>& data = this->data();
    to_columns_.run(data.given(), data.columns());
    this->transpose(data.columns(), data.transposed(), this->mine());
  }

 private:
  Redistribution& to_columns_;
};

// Each rank transposes its rows into packed memory, where what a rank gets lies in one piece, and
// what it keeps to its place; then all is sent. It lands as whole stretches of rows.
template <class T>
class AllToAll final : public OverRanks<T> {
 public:
  AllToAll(RanksData<T>& data, const Stream& stream, TransposeBlock<T> launch)
      : OverRanks<T>(data, stream, launch), exchange_(data.exchange()) {
    // All rows of the transposed matrices before the rank's own, and all behind them.
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

// The same in chunks: of every block the same fraction is transposed and sent, while the next is
// transposed. What stays comes last, while the last chunks travel. On a device the exchange has a
// queue of its own, whose blocks come before those that transpose.
template <class T>
class Overlap final : public OverRanks<T> {
 public:
  Overlap(RanksData<T>& data, const Stream& stream, TransposeBlock<T> launch)
      : OverRanks<T>(data, stream, launch),
        chunks_(data.exchange_in_chunks()),
        queues_(stream, 2, Priority::high) {
    for (int chunk = 0; chunk < data.chunks(); ++chunk) ready_.emplace_back(stream.place());
  }
  void run(int) override {
    const bool device = this->stream().place() == Place::device;
    queues_.fork();
    begun_ = 0;
    // Enqueued at once on a device, whose queue then never runs empty; on a host one by one.
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

  // A chunk of what each of the other ranks gets.
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
  int begun_ = 0;             // chunks that are on their way
};

// The kernel that transposes reads other ranks' rows where they lie: nothing is packed, sent or
// received, and each element is written once. It begins when all rows are there, and the step ends
// when all have been read.
template <class T>
class Direct final : public Execution {
 public:
  Direct(RanksData<T>& data, const Stream& stream, TransposeRows<T> launch)
      : data_(data),
        stream_(stream),
        launch_(launch),
        from_(data.rows_of_all()),
        batch_(static_cast<int>(data.given().shape().distribution.global()[0])) {
    const auto& rows = data.given().shape().distribution;
    const Part& to = data.transposed().parts()[0];
    rows_.b = data.transposed().data(to);
    rows_.nx = static_cast<int>(to.layout.corners.extent(1));
    rows_.ny = static_cast<int>(rows.global()[1]);
    rows_.stride_b = to.layout.plane;
    rows_.last = rows.parts() - 1;
    rows_.share = static_cast<int>(rows.corners(0).extent(1));
    rows_.rest = static_cast<int>(rows.corners(rows_.last).extent(1));
    rows_.lda = static_cast<int>(from_.part(0).layout.pitch);
    for (int rank = 0; rank < rows.parts(); ++rank) {
      const Layout& in = from_.part(rank).layout;
      const T* const data_there = reinterpret_cast<const T*>(from_.part(rank).data);
      rows_.a[rank] = data_there + in.at({0, in.corners.begin[1], to.layout.corners.begin[1]});
    }
  }
  bool queued_ahead() const override { return data_.queued_ahead(); }
  void run(int) override {
    from_.meet(stream_);
    launch_(rows_, batch_, stream_);
    from_.meet(stream_);
  }

 private:
  RanksData<T>& data_;
  const Stream& stream_;
  TransposeRows<T> launch_;
  distributed::MappedParts& from_;
  int batch_;
  RowsOfRanks<T> rows_ = {};
};

}  // namespace

Rungs rungs_over_ranks(const ModelLaunches& model, Place place) {
  const auto step = [&model, place]<template <class> class Made>(std::string_view name) {
    return rung(ranks_works, name,
                [model]<class T>(const RanksTask<RanksData<T>>& task,
                                 const Stream& stream) -> std::unique_ptr<Execution> {
                  return std::make_unique<Made<T>>(*task.data, stream,
                                                   std::get<TransposeBlock<T>>(model));
                })
        .unless(place == Place::host ? unfit_on_host : too_many_ranks);
  };
  return {step.template operator()<Redistribute>("redistribute"),
          step.template operator()<AllToAll>("all_to_all"),
          step.template operator()<Overlap>("overlap")};
}

Rung direct_rung(const DirectLaunches& model) {
  return rung(ranks_works, "direct",
              [model]<class T>(const RanksTask<RanksData<T>>& task,
                               const Stream& stream) -> std::unique_ptr<Execution> {
                return std::make_unique<Direct<T>>(*task.data, stream,
                                                   std::get<TransposeRows<T>>(model));
              })
      .unless(unfit_for_direct);
}

}  // namespace portcost::transpose
