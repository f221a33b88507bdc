// SPDX-License-Identifier: Apache-2.0
// What moves between processors in one call, whether that is between processes, between a host and
// its device, or both.
#pragma once

#include "src/distributed/array.hpp"
#include "src/distributed/path.hpp"

namespace portcost::distributed {

/// What automatic is between GPUs, one of each rank. Collective.
Path automatic_path(const Communicator& ranks);

class TransferPlan;

/// Points that move between arrays, prepared once and carried out as often as wanted.
class Exchange {
 public:
  Exchange(Exchange&&) noexcept;
  ~Exchange();

  /// Returns true when end() will not wait. The library may need calls of test() for messages to
  /// move.
  bool test();
  void end();
  /// The path taken: not automatic.
  Path path() const;
  /// Whether all that this rank has to do is enqueued by begin(), and end() waits for nothing.
  bool is_only_enqueued() const;

 protected:
  Exchange(const ArrayBase& from, const ArrayBase& to, const std::vector<Transfer>& transfers,
           Path path, const PathSettings& settings);
  void run(const ArrayBase& from, const ArrayBase& to, const Stream* on);
  void begin(const ArrayBase& from, const ArrayBase& to, const Stream* on);

 private:
  void check(const ArrayBase& from, const ArrayBase& to) const;
  Shape from_, to_;
  std::unique_ptr<TransferPlan> plan_;
};

/// Brings the points of neighbours into the ghost points of an array (PETSc: global to local).
/// Arrays of one shape share an exchange.
class HaloExchange : public Exchange {
 public:
  /// For arrays of the shape, element and processors of `like`. Collective. Throws SharedUsageError
  /// where `path` cannot be taken, with the reason, and SharedFailure where it fails to be set up.
  explicit HaloExchange(const ArrayBase& like, Path path = Path::automatic,
                        const PathSettings& settings = {});

  /// Collective. Returns when the halos have arrived; on a device, what is enqueued later on `on`
  /// (default: the array's stream) finds them. What was enqueued there before is waited for where
  /// MPI takes part on the host's side; else (is_only_enqueued()) nothing is waited for.
  void run(ArrayBase& array, const Stream* on = nullptr) { Exchange::run(array, array, on); }
  /// The same in two halves, so that other work goes on meanwhile: points that are sent must not be
  /// changed before end(), nor ghost points be read.
  void begin(ArrayBase& array, const Stream* on = nullptr) { Exchange::begin(array, array, on); }
};

/// Copies an array to one of another distribution of the same points, among the same or other
/// processors of the same ranks. Ghost points stay as they are.
class Redistribution : public Exchange {
 public:
  /// For arrays of these shapes; all of their points, or a portion. Collective. Throws
  /// SharedUsageError where their extents or element sizes differ, or `path` cannot be taken.
  Redistribution(const ArrayBase& from, const ArrayBase& to, Path path = Path::automatic,
                 const Portion& portion = {}, const PathSettings& settings = {});

  /// Collective; `from` and `to` are not the same array. Returns when all has arrived; `on` and the
  /// halves are those of a HaloExchange. Several redistributions may be on their way at a time.
  void run(const ArrayBase& from, ArrayBase& to, const Stream* on = nullptr) {
    Exchange::run(from, to, on);
  }
  void begin(const ArrayBase& from, ArrayBase& to, const Stream* on = nullptr) {
    Exchange::begin(from, to, on);
  }
};

}  // namespace portcost::distributed
