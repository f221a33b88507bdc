// SPDX-License-Identifier: Apache-2.0
// transpose over processes (ranks): each rank has a block of rows of the given matrices, and the
// block of rows of the transposed matrices with the same number. Needs MPI; does not include it.
#pragma once

#include <deque>
#include <optional>

#include "src/distributed/exchange.hpp"
#include "src/distributed/mapped_parts.hpp"
#include "variants/shared/ranks_task.hpp"
#include "variants/transpose/problem.hpp"

namespace portcost::transpose {

template <class T>
class RanksData;

inline constexpr RanksWorks<RanksData> ranks_works;

/// A rank's share of a problem. Planes of its arrays are the matrices of the batch; rows are
/// contiguous, without padding. All ranks have ceil(rows / ranks) rows or columns, except the last,
/// which has the remainder, never more.
template <class T>
class RanksData final : public InstanceOf<RanksTask<RanksData<T>>> {
 public:
  /// Collective. Throws SharedUsageError, which names the numbers, where there are too many
  /// processes for the rows or the columns.
  RanksData(const Problem& problem, Stream& stream);

  void reset() override;
  Answer answer() override;
  bool repeatable() const override { return true; }
  RanksTask<RanksData<T>> work(int) const override { return {const_cast<RanksData*>(this)}; }
  bool queued_ahead() const override { return false; }

  /// Blocks of rows of the given matrices, and of the transposed ones, which no step reads.
  const distributed::Array<T>& given() const { return given_; }
  distributed::Array<T>& transposed() { return transposed_; }
  /// The transposed rows of the rank: all rows of the transposed matrices, in the columns that are
  /// the rank's rows of the given matrices. The rows for another rank are contiguous. Collective,
  /// as are the following, on the first call.
  distributed::Array<T>& packed();
  /// All rows of the given matrices, in the columns that are the rank's rows of the transposed
  /// matrices.
  distributed::Array<T>& columns();
  /// From packed() to transposed(): the parts of a rank's rows that other ranks have, as a whole;
  /// and in chunks() pieces of each part (distributed::piece_of).
  distributed::Redistribution& exchange();
  std::deque<distributed::Redistribution>& exchange_in_chunks();
  int chunks() const { return chunks_; }
  /// From given() to columns().
  distributed::Redistribution& to_columns();
  /// given() of all ranks, mapped in place, and transposed().
  distributed::MappedParts& rows_of_all();
  distributed::MappedParts& transposed_of_all();

 private:
  distributed::Shape cut(const distributed::Index& global, std::size_t axis) const {
    return portcost::cut(processors_, global, axis, distributed::Sharing::ceil);
  }

  int chunks_;
  distributed::Path path_;
  distributed::Processors processors_;
  distributed::Array<T> given_;
  distributed::Shape columns_shape_;
  distributed::Array<T> transposed_;
  std::optional<distributed::Array<T>> packed_, columns_;
  std::optional<distributed::Redistribution> exchange_, to_columns_;
  std::deque<distributed::Redistribution> in_chunks_;
  std::optional<distributed::MappedParts> rows_of_all_, transposed_of_all_;
};

/// The reason why all steps over processes refuse a problem, or an empty text.
std::string too_many_ranks(const Problem& problem);
/// The same for `direct` and `direct_stores`, which are paths of their own.
std::string unfit_for_direct(const Problem& problem);

}  // namespace portcost::transpose
