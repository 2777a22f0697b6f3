#include "team/group.hpp"

#include "team/mpi_calls.hpp"
#include "transport/mpi/mpi_transport.hpp"
#include "transport/routed/routed_transport.hpp"
#include "transport/shm/shm_transport.hpp"

#include <bitset>
#include <climits>
#include <map>
#include <sched.h>
#include <utility>

namespace thalweg::teams {

namespace {

const transport::MpiFunctions& functions() {
  static const transport::MpiFunctions table{PMPI_Isend,
                                             PMPI_Irecv,
                                             PMPI_Send,
                                             PMPI_Recv,
                                             PMPI_Sendrecv,
                                             PMPI_Waitall,
                                             PMPI_Waitsome,
                                             PMPI_Testsome,
                                             PMPI_Testall,
                                             PMPI_Cancel,
                                             PMPI_Request_free,
                                             PMPI_Type_contiguous,
                                             PMPI_Type_create_struct,
                                             PMPI_Type_commit,
                                             PMPI_Type_free,
                                             MPI_BYTE,
                                             MPI_REQUEST_NULL};
  return table;
}

std::int32_t tag_limit(MPI_Comm communicator) {
  void* value = nullptr;
  int found = 0;
  must(MPI_Comm_get_attr(communicator, MPI_TAG_UB, &value, &found), "MPI_Comm_get_attr");
  const int highest = found != 0 ? *static_cast<int*>(value) : 32767;
  return highest == INT_MAX ? highest : highest + 1;
}

} // namespace

Communicator& Communicator::operator=(Communicator&& other) noexcept {
  std::swap(handle_, other.handle_);
  return *this;
}

MPI_Comm Communicator::release() {
  return std::exchange(handle_, MPI_COMM_NULL);
}

Communicator::~Communicator() {
  int ended = 0;
  if (handle_ != MPI_COMM_NULL && MPI_Finalized(&ended) == MPI_SUCCESS && ended == 0)
    MPI_Comm_free(&handle_);
}

Group::Group(Communicator communicator) : communicator_(std::move(communicator)) {
  must(MPI_Comm_set_errhandler(communicator_.get(), MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  must(MPI_Comm_rank(communicator_.get(), &rank_), "MPI_Comm_rank");
  must(MPI_Comm_size(communicator_.get(), &ranks_), "MPI_Comm_size");
  find_nodes();
  find_cores();
  make_transport();
}

void Group::find_nodes() {
  MPI_Comm node = MPI_COMM_NULL;
  must(MPI_Comm_split_type(communicator_.get(), MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &node),
       "MPI_Comm_split_type");
  node_ = Communicator(node);
  int leader = rank_;
  must(MPI_Bcast(&leader, 1, MPI_INT, 0, node), "MPI_Bcast");
  std::vector<int> leaders(static_cast<std::size_t>(ranks_));
  must(MPI_Allgather(&leader, 1, MPI_INT, leaders.data(), 1, MPI_INT, communicator_.get()), "MPI_Allgather");
  std::map<int, std::int32_t> numbers;
  std::vector<std::int32_t> nodes;
  near_count_ = 0;
  for (const int of : leaders) {
    nodes.push_back(numbers.try_emplace(of, static_cast<std::int32_t>(numbers.size())).first->second);
    near_ranks_.push_back(of == leader ? near_count_++ : -1);
  }
  node_count_ = static_cast<std::int32_t>(numbers.size());
  nodes_ = std::make_shared<const std::vector<std::int32_t>>(std::move(nodes));
}

// Launchers give each rank a few cores: what a node's ranks have together counts.
void Group::find_cores() {
  cpu_set_t own;
  CPU_ZERO(&own);
  sched_getaffinity(0, sizeof own, &own);
  cpu_set_t all;
  must(MPI_Allreduce(&own, &all, sizeof own, MPI_BYTE, MPI_BOR, node_.get()), "MPI_Allreduce");
  const int cores = std::max(1, CPU_COUNT(&all));
  crowded_ = near_count_ > cores;
  must(MPI_Allreduce(&cores, &cores_, 1, MPI_INT, MPI_MIN, communicator_.get()), "MPI_Allreduce");
}

void Group::make_transport() {
  // Ranks that combine long vectors keep a core for some hundred microseconds: that is no reason to sleep.
  waiting_.settings.long_yield_us = 1500;
  waiting_.settings.poll_us = crowded_ ? 0 : 5;
  if (crowded_)
    waiting_.looks = 6;
  const bool has_far = near_count_ < ranks_;
  if (has_far) {
    // Each look is one of the library's, which takes a microsecond, and nodes may share cores (containers).
    waiting_.looks = 2;
    waiting_.settings.poll_us = 0;
  }
  std::shared_ptr<transport::Segment> segment;
  if (near_count_ > 1) {
    const transport::GroupMemory memory(near_count_);
    segment = share(memory.bytes(), memory.bytes_to_prepare());
  }
  std::unique_ptr<transport::Transport> far;
  if (has_far || !segment) {
    auto library = std::make_unique<transport::MpiTransport>(functions(), communicator_.get(), rank_, ranks_,
                                                             tag_limit(communicator_.get()));
    auto parcels = std::make_unique<transport::ParcelTransport>(std::move(library), waiting_);
    parcels_ = parcels.get();
    far = std::move(parcels);
  }
  if (!segment) {
    transport_ = std::move(far);
    return;
  }
  const std::shared_ptr<std::byte> memory(segment, segment->memory());
  int world = 0;
  must(MPI_Comm_size(MPI_COMM_WORLD, &world), "MPI_Comm_size");
  auto shared = transport::make_shm_transport(memory, near_rank(), near_count_,
                                              {waiting_, crowded_, false, ranks_ == world});
  transport_ = has_far ? transport::make_routed(std::move(shared), std::move(far), near_ranks_, waiting_)
                       : std::move(shared);
}

std::shared_ptr<transport::Segment> Group::share(std::size_t bytes, std::size_t prepared) {
  std::shared_ptr<transport::Segment> segment;
  transport::SegmentAddress address;
  const auto attempt = [&](auto&& make) {
    try {
      segment = make();
    } catch (const Error&) { // the other ways to the ranks of the node do
      segment = nullptr;
    }
  };
  if (near_rank() == 0) {
    attempt([&] { return transport::Segment::make(bytes, prepared); });
    if (segment)
      address = segment->address();
  }
  must(MPI_Bcast(&address, sizeof address, MPI_BYTE, 0, node_.get()), "MPI_Bcast");
  if (near_rank() != 0 && address.bytes > 0)
    attempt([&] { return transport::Segment::open(address); });
  int mine = segment ? 1 : 0;
  int all = 0;
  must(MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, node_.get()), "MPI_Allreduce");
  if (all == 0)
    return nullptr;
  segment->close_door();
  return segment;
}

} // namespace thalweg::teams
