#include "mpi/node_memory.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "mpi/communicators.hpp"
#include "mpi/polling.hpp"
#include "mpi/runtime.hpp"
#include "transport/shm/shm_transport.hpp"

namespace thalweg::mpi {

namespace {

using transport::Segment;
using transport::SegmentAddress;

// Messages between the ranks of a node while they agree; nothing else is under way on the hidden duplicate.
class Agreement {
public:
  explicit Agreement(MPI_Comm hidden) : hidden_(hidden), tag_(spare_tag(hidden)) {}

  template <class Value>
  void tell(int rank, const Value& value) const {
    MPI_Request request = MPI_REQUEST_NULL;
    native.Isend(&value, sizeof value, MPI_BYTE, rank, tag_, hidden_, &request);
    poll_request(&request, MPI_STATUS_IGNORE);
  }

  template <class Value>
  Value hear(int rank) const {
    Value value{};
    MPI_Request request = MPI_REQUEST_NULL;
    native.Irecv(&value, sizeof value, MPI_BYTE, rank, tag_, hidden_, &request);
    poll_request(&request, MPI_STATUS_IGNORE);
    return value;
  }

private:
  MPI_Comm hidden_;
  int tag_;
};

// Why a rank could not take part, or nothing.
struct Reply {
  std::array<char, 256> reason{};
};

Reply refusal(const std::exception& error) {
  Reply reply;
  const std::string_view text = error.what();
  text.copy(reply.reason.data(), reply.reason.size() - 1);
  return reply;
}

// The first rank makes the segment; an address without bytes tells that it could not.
std::unique_ptr<Segment> lead(const Agreement& agreement, const std::vector<int>& members) {
  std::unique_ptr<Segment> segment;
  std::string reason;
  try {
    const transport::GroupMemory memory(static_cast<std::int32_t>(members.size()));
    segment = Segment::make(memory.bytes(), memory.bytes_to_prepare());
  } catch (const std::exception& error) {
    reason = error.what();
  }
  const SegmentAddress address = segment ? segment->address() : SegmentAddress{};
  for (std::size_t index = 1; index < members.size(); ++index)
    agreement.tell(members[index], address);
  for (std::size_t index = 1; index < members.size(); ++index) {
    const auto reply = agreement.hear<Reply>(members[index]);
    if (reason.empty() && reply.reason.front() != 0)
      reason = fmt::format("rank {}: {}", members[index], reply.reason.data());
  }
  const char all = reason.empty() ? 1 : 0;
  for (std::size_t index = 1; index < members.size(); ++index)
    agreement.tell(members[index], all);
  if (runtime.shared_memory.empty())
    runtime.shared_memory = reason.empty() ? "ranks of a node send each other messages through shared memory"
                                           : "no shared memory: " + reason;
  if (all == 0)
    return nullptr;
  segment->close_door();
  return segment;
}

std::unique_ptr<Segment> follow(const Agreement& agreement, int leader) {
  const auto address = agreement.hear<SegmentAddress>(leader);
  std::unique_ptr<Segment> segment;
  Reply reply;
  try {
    if (address.bytes > 0)
      segment = Segment::open(address);
  } catch (const std::exception& error) {
    reply = refusal(error);
  }
  agreement.tell(leader, reply);
  return agreement.hear<char>(leader) != 0 ? std::move(segment) : nullptr;
}

void visit_library(void* hidden) {
  progress_executions();
  int found = 0;
  native.Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, *static_cast<MPI_Comm*>(hidden), &found, MPI_STATUS_IGNORE);
}

} // namespace

std::unique_ptr<NodeMemory> share_node_memory(CommunicatorState& communicator) {
  if (!runtime.settings.shared_memory) {
    runtime.shared_memory = "no shared memory: THALWEG_SHARED_MEMORY=0";
    return nullptr;
  }
  auto memory = std::make_unique<NodeMemory>();
  const std::vector<int>& nodes = communicator.nodes();
  const int node = nodes[static_cast<std::size_t>(communicator.rank)];
  for (int rank = 0; rank < communicator.size; ++rank) {
    if (rank == communicator.rank)
      memory->rank = static_cast<int>(memory->members.size());
    if (nodes[static_cast<std::size_t>(rank)] == node)
      memory->members.push_back(rank);
  }
  if (memory->members.size() == 1)
    return nullptr;
  const Agreement agreement(communicator.hidden);
  memory->segment =
      memory->rank == 0 ? lead(agreement, memory->members) : follow(agreement, memory->members.front());
  return memory->segment ? std::move(memory) : nullptr;
}

transport::Waiting node_waiting(MPI_Comm& hidden) {
  transport::Waiting waiting;
  waiting.settings = runtime.settings.wait;
  waiting.visit = visit_library;
  waiting.with = &hidden;
  // Ranks that combine long vectors keep a core for some hundred microseconds: that is no reason to sleep.
  waiting.settings.long_yield_us = 1500;
  if (runtime.placement.crowded) {
    waiting.looks = 6;
  } else {
    waiting.settings.poll_us = std::max(waiting.settings.poll_us, 5U);
  }
  return waiting;
}

} // namespace thalweg::mpi
