// SPDX-License-Identifier: Apache-2.0
#include "src/distributed/transfer_plan.hpp"

namespace portcost::distributed {

namespace {

const Stream& host_stream() {
  static const Stream stream(Place::host);
  return stream;
}

// What is enqueued for one array must come before what is enqueued for the other.
void require_one_stream(const ArrayBase& from, const ArrayBase& to) {
  const Stream* const one = device_stream(from, from);
  const Stream* const other = device_stream(to, to);
  require(one == nullptr || other == nullptr || one == other,
          "a path between GPUs for two arrays with different streams");
}

void sort_out(std::vector<int>& ranks) {
  std::ranges::sort(ranks);
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
}

}  // namespace

TransferPlan::TransferPlan(const ArrayBase& from, const ArrayBase& to,
                           const std::vector<Transfer>& transfers, Path path,
                           const PathSettings& settings)
    : senders_(from.processors()),
      receivers_(to.processors()),
      element_bytes_(static_cast<std::int64_t>(from.element_bytes())),
      path_(path) {
  std::vector<Transfer> crossing;
  sort(transfers, settings, crossing);
  senders_.ranks().together([&] { allocate(from, to); });
  has_messages_ = senders_.ranks().any(!out_.planned.empty() || !in_.planned.empty());
  make_graph();
  if (path == Path::one_sided) {
    std::vector<Transfer> sent;
    for (const Planned& one : out_.planned) sent.push_back(one.transfer);
    puts_ = std::make_unique<PutPath>(from, to, sent, in_.ranks, out_.ranks);
  }
  if (!needs_gpus(path)) return;
  senders_.ranks().together([&] { require_one_stream(from, to); });
  device_path_ = make_device_path(path, from, to, crossing, settings);
}

void TransferPlan::sort(const std::vector<Transfer>& transfers, const PathSettings& settings,
                        std::vector<Transfer>& crossing) {
  for (const Transfer& transfer : transfers) {
    const bool other = senders_.rank_of(transfer.from) != receivers_.rank_of(transfer.to);
    if (needs_gpus(path_) && (other || settings.own_too) &&
        senders_.place_of(transfer.from) == Place::device &&
        receivers_.place_of(transfer.to) == Place::device) {
      crossing.push_back(transfer);
      continue;
    }
    const bool sends = senders_.is_mine(transfer.from), receives = receivers_.is_mine(transfer.to);
    (sends && receives ? local_ : sends ? out_ : in_).planned.push_back({transfer});
    if (sends && !receives) out_.ranks.push_back(receivers_.rank_of(transfer.to));
    if (receives && !sends) in_.ranks.push_back(senders_.rank_of(transfer.from));
  }
  sort_out(out_.ranks);
  sort_out(in_.ranks);
}

void TransferPlan::allocate(const ArrayBase& from, const ArrayBase& to) {
  reserve(out_, from);
  reserve(in_, to);
  for (Planned& one : local_.planned) {
    if (part_of(from, one.transfer.from).place == part_of(to, one.transfer.to).place) continue;
    one.staged = local_.staging.reserve(one.transfer.source.volume() * element_bytes_);
    is_staged_ = true;
  }
  for (End* const end : {&out_, &in_, &local_}) end->staging.allocate();
}

TransferPlan::~TransferPlan() {
  if (request_ == MPI_REQUEST_NULL) return;
  const WaitsForOthers now;
  MPI_Wait(&request_, MPI_STATUS_IGNORE);
}

void TransferPlan::reserve(End& end, const ArrayBase& array) {
  for (Planned& one : end.planned) {
    if (part_of(array, one.transfer.*end.mine).place == Place::host) continue;
    is_staged_ = true;
    one.staged = end.staging.reserve(one.transfer.source.volume() * element_bytes_);
  }
}

void TransferPlan::make_graph() {
  const WaitsForOthers now;
  mpi_check(MPI_Dist_graph_create_adjacent(
      comm_of(senders_.ranks()), static_cast<int>(in_.ranks.size()), in_.ranks.data(),
      MPI_UNWEIGHTED, static_cast<int>(out_.ranks.size()), out_.ranks.data(), MPI_UNWEIGHTED,
      MPI_INFO_NULL, 0, graph_.fresh()));
  mpi_check(MPI_Comm_set_errhandler(graph_.get(), MPI_ERRORS_RETURN));
}

struct TransferPlan::Copies {
  std::vector<BoxCopy> packs, unpacks, to_link, rest;
};

// A transfer with both ends on this rank: one copy, or two by way of the link.
void TransferPlan::bind_local(const Planned& one, const ArrayBase& from, const ArrayBase& to,
                              Copies& copies) const {
  const Part& source = part_of(from, one.transfer.from);
  const Part& target = part_of(to, one.transfer.to);
  const Box& box = one.transfer.source;
  const Strided begin = rows_of(source, box.begin, element_bytes_);
  const Strided end = rows_of(target, one.transfer.target.begin, element_bytes_);
  if (source.place == target.place) {
    const bool device = source.place == Place::device;
    (device ? copies.packs : copies.rest).push_back(copy_of(box, end, begin));
    return;
  }
  const Strided of_host = dense_rows(local_.staging.of_mpi(one.staged), box, element_bytes_);
  const Strided of_device = dense_rows(local_.staging.of_device(one.staged), box, element_bytes_);
  if (source.place == Place::device) {
    copies.packs.push_back(copy_of(box, of_device, begin));
    copies.rest.push_back(copy_of(box, end, of_host));
  } else {
    copies.to_link.push_back(copy_of(box, of_host, begin));
    copies.unpacks.push_back(copy_of(box, end, of_device));
  }
}

// What MPI sends or receives, by ranks; what a device packs or unpacks of it is added to `copies`.
std::map<int, Pieces> TransferPlan::pieces_of(const End& end, const ArrayBase& array,
                                              const Processors& others,
                                              std::vector<BoxCopy>& copies) const {
  std::map<int, Pieces> result;
  for (const Planned& one : end.planned) {
    const Part& part = part_of(array, one.transfer.*end.mine);
    const Box& box = one.transfer.*end.box;
    Pieces& pieces = result[others.rank_of(one.transfer.*end.other)];
    if (part.place == Place::host) {
      pieces.add(part, box, element_bytes_);
      continue;
    }
    pieces.add(end.staging.of_mpi(one.staged), box, element_bytes_);
    const Strided there = rows_of(part, box.begin, element_bytes_);
    const Strided packed = dense_rows(end.staging.of_device(one.staged), box, element_bytes_);
    copies.push_back(&end == &out_ ? copy_of(box, packed, there) : copy_of(box, there, packed));
  }
  return result;
}

std::unique_ptr<TransferPlan::Bound> TransferPlan::bound_to(const ArrayBase& from,
                                                            const ArrayBase& to,
                                                            const Stream* stream) const {
  Copies copies;
  const std::map<int, Pieces> sent = pieces_of(out_, from, receivers_, copies.packs);
  const std::map<int, Pieces> received = pieces_of(in_, to, senders_, copies.unpacks);
  for (const Planned& one : local_.planned) bind_local(one, from, to, copies);

  const auto bytes = static_cast<std::size_t>(element_bytes_);
  const Stream host(Place::host);
  auto bound = std::make_unique<Bound>(Bound{Side(sent), Side(received), {}, {}, {}, {}});
  bound->to_link = BoxCopies(std::move(copies.to_link), bytes, host);
  bound->rest = BoxCopies(std::move(copies.rest), bytes, host);
  if (stream != nullptr) {
    bound->packs = BoxCopies(std::move(copies.packs), bytes, *stream);
    bound->unpacks = BoxCopies(std::move(copies.unpacks), bytes, *stream);
  }
  return bound;
}

TransferPlan::Bound& TransferPlan::bind(const ArrayBase& from, const ArrayBase& to,
                                        const Stream* stream) {
  std::vector<std::byte*> addresses;
  for (const ArrayBase* array : {&from, &to}) {
    for (const Part& part : array->parts()) addresses.push_back(part.data);
  }
  // Who uses ever new arrays does not keep what belongs to those that are gone.
  constexpr std::size_t most = 16;
  if (bound_.size() > most) bound_.clear();
  std::unique_ptr<Bound>& bound = bound_[addresses];
  if (!bound) bound = bound_to(from, to, stream);
  return *bound;
}

void TransferPlan::pack(const ArrayBase& from, const ArrayBase& to, const Stream* on) {
  require(bound_now_ == nullptr, "an exchange begins before the last has ended");
  sign_of_life();
  const Stream* mine = device_stream(from, to);
  const Stream* stream = mine != nullptr && on != nullptr ? on : mine;
  Bound& bound = bind(from, to, stream);
  if (device_path_) device_path_->bind(from, to);
  if (puts_) puts_->bind(to);
  if (stream != nullptr) bound.packs.run(*stream);
  // MPI reads what was packed; and what was unpacked before has left the staging buffers.
  if (stream != nullptr && (is_staged_ || (!device_path_ && !bound.packs.empty()))) {
    stream->synchronize();
  }
  if (device_path_ && stream != nullptr) device_path_->enqueue(from, to, *stream);
  bound.to_link.run(host_stream());
  bound_now_ = &bound;
  stream_now_ = stream;
}

void TransferPlan::unpack() {
  bound_now_->rest.run(host_stream());
  if (device_path_ && stream_now_ != nullptr) device_path_->finish(*stream_now_);
  if (stream_now_ != nullptr) bound_now_->unpacks.run(*stream_now_);
  bound_now_ = nullptr;
}

void TransferPlan::run(const ArrayBase& from, const ArrayBase& to, const Stream* on) {
  pack(from, to, on);
  const Side &sent = bound_now_->sent, &received = bound_now_->received;
  if (puts_) {
    puts_->begin(from);
    puts_->end();
  } else if (has_messages_) {
    const WaitsForOthers now;
    mpi_check(MPI_Neighbor_alltoallw(
        MPI_BOTTOM, sent.counts.data(), sent.offsets.data(), sent.handles.data(), MPI_BOTTOM,
        received.counts.data(), received.offsets.data(), received.handles.data(), graph_.get()));
  }
  unpack();
}

void TransferPlan::begin(const ArrayBase& from, const ArrayBase& to, const Stream* on) {
  pack(from, to, on);
  const Side &sent = bound_now_->sent, &received = bound_now_->received;
  if (puts_) return puts_->begin(from);
  if (!has_messages_) return;
  mpi_check(MPI_Ineighbor_alltoallw(MPI_BOTTOM, sent.counts.data(), sent.offsets.data(),
                                    sent.handles.data(), MPI_BOTTOM, received.counts.data(),
                                    received.offsets.data(), received.handles.data(), graph_.get(),
                                    &request_));
}

bool TransferPlan::test() {
  int done = 1;
  mpi_check(MPI_Test(&request_, &done, MPI_STATUS_IGNORE));
  const bool crossed = (!device_path_ || device_path_->test()) && (!puts_ || puts_->test());
  return done != 0 && crossed;
}

void TransferPlan::end() {
  require(bound_now_ != nullptr, "an exchange ends that has not begun");
  mpi_check(waiting([&] { return MPI_Wait(&request_, MPI_STATUS_IGNORE); }));
  if (puts_) puts_->end();
  unpack();
}

OwnedType element_type(std::int64_t bytes) {
  OwnedType result;
  mpi_check(MPI_Type_contiguous(static_cast<int>(bytes), MPI_BYTE, result.fresh()));
  return result;
}

OwnedType subarray(const Box& box, const Box& within, std::int64_t pitch, MPI_Datatype element) {
  std::array<int, axes> sizes{}, extents{}, starts{};
  for (std::size_t axis = 0; axis < axes; ++axis) {
    sizes[axis] = static_cast<int>(axis + 1 == axes ? pitch : within.extent(axis));
    extents[axis] = static_cast<int>(box.extent(axis));
    starts[axis] = static_cast<int>(box.begin[axis] - within.begin[axis]);
  }
  OwnedType result;
  mpi_check(MPI_Type_create_subarray(static_cast<int>(axes), sizes.data(), extents.data(),
                                     starts.data(), MPI_ORDER_C, element, result.fresh()));
  return result;
}

void Pieces::add(const void* address, OwnedType type) {
  MPI_Aint where = 0;
  mpi_check(MPI_Get_address(address, &where));
  addresses_.push_back(where);
  types_.push_back(std::move(type));
}

void Pieces::add(const Part& part, const Box& box, std::int64_t element_bytes) {
  const Layout& layout = part.layout;
  const OwnedType element = element_type(element_bytes);
  add(part.data + layout.lead * element_bytes,
      subarray(box, layout.ghost_corners, layout.pitch, element.get()));
}

void Pieces::add(const std::byte* dense, const Box& box, std::int64_t element_bytes) {
  const OwnedType element = element_type(element_bytes);
  add(dense, subarray(box, box, box.extent(2), element.get()));
}

OwnedType Pieces::together() const {
  std::vector<MPI_Datatype> handles;
  for (const OwnedType& type : types_) handles.push_back(type.get());
  const std::vector<int> ones(handles.size(), 1);
  OwnedType result;
  mpi_check(MPI_Type_create_struct(static_cast<int>(ones.size()), ones.data(), addresses_.data(),
                                   handles.data(), result.fresh()));
  MPI_Datatype handle = result.get();
  mpi_check(MPI_Type_commit(&handle));
  return result;
}

Side::Side(const std::map<int, Pieces>& of_ranks) {
  for (const auto& [rank, pieces] : of_ranks) {
    types.push_back(pieces.together());
    handles.push_back(types.back().get());
  }
  // MPI wants arrays also where there is no neighbour.
  const std::size_t count = std::max<std::size_t>(1, types.size());
  handles.resize(count, MPI_BYTE);
  counts.assign(count, 1);
  offsets.assign(count, 0);
}

}  // namespace portcost::distributed
