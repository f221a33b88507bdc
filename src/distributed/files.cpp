// SPDX-License-Identifier: Apache-2.0
#include "src/distributed/files.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "src/distributed/transfer_plan.hpp"
#include "src/support/reject.hpp"

namespace portcost::distributed {

namespace {

std::int64_t size_of(MPI_File file) {
  MPI_Offset size = 0;
  mpi_check(MPI_File_get_size(file, &size));
  return size;
}

int closed(MPI_File file) {
  return waiting([&] { return MPI_File_close(&file); });
}

// Opens a file, calls f(it) and closes it. Collective. Closing waits for all ranks, so that is done
// only where all have thrown the same: of one that fails by itself the others know nothing yet.
template <class F>
void with_file(const Communicator& ranks, const std::string& path, int mode, const F& f) {
  MPI_File file = MPI_FILE_NULL;
  const int code = waiting(
      [&] { return MPI_File_open(comm_of(ranks), path.c_str(), mode, MPI_INFO_NULL, &file); });
  ranks.together([&] {
    if (code == MPI_SUCCESS) return;
    reject("cannot open '{}': {}", path, mpi_error(code));
  });
  try {
    f(file);
  } catch (const SharedUsageError&) {
    closed(file);
    throw;
  } catch (const SharedFailure&) {
    closed(file);
    throw;
  }
  const int end = closed(file);
  ranks.together([&] { mpi_check(end); });
}

std::int64_t bytes_of(const ArrayBase& array) {
  return array.shape().distribution.domain().volume() *
         static_cast<std::int64_t>(array.element_bytes());
}

// Has the file show the points of a part alone, one part of each rank after the other, and calls
// f(part, slab, room for its bytes) for each slab; with an empty slab for a rank that has fewer
// slabs than another, and no part for a rank that has fewer parts. Collective.
template <class F>
void for_all_slabs(const ArrayBase& array, MPI_File file, std::int64_t header_bytes, const F& f) {
  const Communicator& ranks = array.processors().ranks();
  const auto most_of = [&](std::size_t mine) {
    return static_cast<std::size_t>(ranks.slowest(static_cast<double>(mine)));
  };
  const auto bytes = static_cast<std::int64_t>(array.element_bytes());
  const auto size = [&](const Box& slab) {
    return static_cast<std::size_t>(slab.volume() * bytes);
  };
  const Box domain = array.shape().distribution.domain();
  const auto mine = array.parts();
  const std::size_t parts = most_of(mine.size());
  for (std::size_t number = 0; number < parts; ++number) {
    const Part* const part = number < mine.size() ? &mine[number] : nullptr;
    const Box box = part != nullptr ? part->layout.corners : domain;
    MPI_Datatype view = MPI_DATATYPE_NULL;
    OwnedType owned;
    std::vector<Box> slabs;
    Buffer<std::byte> dense;
    ranks.together([&] {
      const OwnedType element = element_type(bytes);
      owned = subarray(box, domain, domain.extent(2), element.get());
      view = owned.get();
      mpi_check(MPI_Type_commit(&view));
      if (part == nullptr) return;
      slabs = slabs_of(box, bytes);
      dense = Buffer<std::byte>(size(slabs.front()), Place::host);  // none has more
    });
    const int code = waiting([&] {
      return MPI_File_set_view(file, header_bytes, MPI_BYTE, view, "native", MPI_INFO_NULL);
    });
    ranks.together([&] { mpi_check(code); });
    const std::size_t calls = most_of(slabs.size());
    for (std::size_t i = 0; i < calls; ++i) {
      const Box slab = i < slabs.size() ? slabs[i] : Box();
      f(part, slab, dense.span().first(size(slab)));
    }
  }
}

// Makes the file with all its bytes before any are written: where the file system has no room, that
// is known, and by whom. (What MPI says of a full file system depends on the library; some say
// nothing.)
void make_file(const std::string& path, std::int64_t bytes) {
  const int file = open(path.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0666);
  if (file < 0) reject("cannot create '{}': {}", path, std::strerror(errno));
  const int error = posix_fallocate(file, 0, bytes);
  close(file);
  require(error == 0,
          fmt::format("'{}' cannot have {} bytes: {}", path, bytes, std::strerror(error)));
}

// Throws unless a call has moved all bytes: where a file system is full, some libraries return a
// short count and no error.
void check_moved(int code, const MPI_Status& status, std::size_t bytes, const std::string& path) {
  int moved = 0;
  if (code == MPI_SUCCESS) MPI_Get_count(&status, MPI_BYTE, &moved);
  if (code == MPI_SUCCESS && static_cast<std::size_t>(moved) == bytes) return;
  throw Failure(fmt::format(
      "{} of {} bytes moved to or from '{}'{}: is the file system full, or a file limited (ulimit "
      "-f)?",
      code == MPI_SUCCESS ? moved : 0, bytes, path,
      code == MPI_SUCCESS ? "" : " (" + mpi_error(code) + ")"));
}

// Writes, or reads, a slab of each rank; what it returns is checked together.
template <class F>
int moved_by_all(const F& call, MPI_File file, std::span<std::byte> dense, MPI_Status& status) {
  return waiting(
      [&] { return call(file, dense.data(), static_cast<int>(dense.size()), MPI_BYTE, &status); });
}

void write_all(const ArrayBase& array, MPI_File file, const std::string& path,
               std::string_view header, std::int64_t header_bytes) {
  const Communicator& ranks = array.processors().ranks();
  ranks.together([&] {
    if (ranks.rank() != 0 || header.empty()) return;
    MPI_Status status;
    const int code = MPI_File_write_at(file, 0, header.data(), static_cast<int>(header.size()),
                                       MPI_BYTE, &status);
    check_moved(code, status, header.size(), path);
  });
  for_all_slabs(array, file, header_bytes,
                [&](const Part* part, const Box& slab, std::span<std::byte> dense) {
                  ranks.together([&] {
                    if (!dense.empty()) download(array, *part, slab, dense.data());
                  });
                  MPI_Status status;
                  const int code = moved_by_all(MPI_File_write_all, file, dense, status);
                  ranks.together([&] { check_moved(code, status, dense.size(), path); });
                });
  const int synced = waiting([&] { return MPI_File_sync(file); });
  ranks.together([&] {
    mpi_check(synced);
    const std::int64_t wanted = header_bytes + bytes_of(array), size = size_of(file);
    require(size == wanted, fmt::format("'{}' has {} bytes after {} were written: is the file "
                                        "system full?",
                                        path, size, wanted));
  });
}

// The same with the file made, opened and closed.
void write_file(const ArrayBase& array, const std::string& path, std::string_view header) {
  const Communicator& ranks = array.processors().ranks();
  const auto header_bytes = static_cast<std::int64_t>(
      ranks.slowest(ranks.rank() == 0 ? static_cast<double>(header.size()) : 0));
  ranks.together([&] {
    if (ranks.rank() == 0) make_file(path, header_bytes + bytes_of(array));
  });
  with_file(ranks, path, MPI_MODE_WRONLY,
            [&](MPI_File file) { write_all(array, file, path, header, header_bytes); });
}

}  // namespace

void gather(const ArrayBase& array, const std::string& path, std::string_view header) {
  const Communicator& ranks = array.processors().ranks();
  const std::string part = path + ".part";
  // By one rank, before and after all others.
  const auto by_first = [&](const std::function<void()>& f) {
    ranks.together([&] {
      if (ranks.rank() == 0) f();
    });
  };
  by_first([&] {
    if (std::filesystem::is_directory(path)) reject("'{}' is a folder", path);
    std::error_code ignored;
    std::filesystem::remove(part, ignored);
  });
  try {
    write_file(array, part, header);
    by_first([&] { std::filesystem::rename(part, path); });
  } catch (const std::exception&) {
    std::error_code ignored;
    if (ranks.rank() == 0) std::filesystem::remove(part, ignored);
    throw;
  }
}

void scatter(ArrayBase& array, const std::string& path, std::int64_t header_bytes) {
  const Communicator& ranks = array.processors().ranks();
  with_file(ranks, path, MPI_MODE_RDONLY, [&](MPI_File file) {
    ranks.together([&] {
      const std::int64_t wanted = header_bytes + bytes_of(array), size = size_of(file);
      if (size == wanted) return;
      const Index& n = array.shape().distribution.global();
      reject(
          "'{}' has {} bytes, not the {} of {} x {} x {} elements of {} bytes after a header of {}",
          path, size, wanted, n[0], n[1], n[2], array.element_bytes(), header_bytes);
    });
    for_all_slabs(array, file, header_bytes,
                  [&](const Part* part, const Box& slab, std::span<std::byte> dense) {
                    MPI_Status status;
                    const int code = moved_by_all(MPI_File_read_all, file, dense, status);
                    ranks.together([&] {
                      check_moved(code, status, dense.size(), path);
                      if (!dense.empty()) upload(array, *part, slab, dense.data());
                    });
                  });
  });
}

void collect_bytes(const ArrayBase& array, std::byte* to) {
  const Processors& processors = array.processors();
  const Communicator& ranks = processors.ranks();
  const MPI_Comm comm = comm_of(ranks);
  const auto bytes = static_cast<std::int64_t>(array.element_bytes());
  const Distribution& distribution = array.shape().distribution;
  const Strided whole = dense_rows(to, distribution.domain(), bytes);
  std::vector<std::byte> dense;
  for (int processor = 0; processor < processors.count(); ++processor) {
    const int owner = processors.rank_of(processor);
    if (owner != ranks.rank() && !ranks.is_first()) continue;
    for (const Box& slab : slabs_of(distribution.corners(processor), bytes)) {
      const std::int64_t size = slab.volume() * bytes;
      dense.resize(size);
      if (owner == ranks.rank()) {
        download(array, part_of(array, processor), slab, dense.data());
        if (!ranks.is_first()) {
          const WaitsForOthers now;
          mpi_check(MPI_Send(dense.data(), static_cast<int>(size), MPI_BYTE, 0, 0, comm));
        }
      } else {
        const WaitsForOthers now;
        mpi_check(MPI_Recv(dense.data(), static_cast<int>(size), MPI_BYTE, owner, 0, comm,
                           MPI_STATUS_IGNORE));
      }
      if (!ranks.is_first()) continue;
      Strided there = whole;
      there.data +=
          slab.begin[0] * there.plane + slab.begin[1] * there.pitch + slab.begin[2] * bytes;
      copy_box(copy_of(slab, there, dense_rows(dense.data(), slab, bytes)), array.element_bytes(),
               Stream(Place::host));
    }
  }
}

}  // namespace portcost::distributed
