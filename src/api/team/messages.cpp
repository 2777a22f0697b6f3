// SPDX-License-Identifier: BSD-3-Clause
#include "team/messages.hpp"

#include "base/assertion.hpp"
#include "base/error.hpp"
#include "job/library/mpi_library.hpp"
#include "nic/datagram.hpp"
#include "nic/kernel_card.hpp"
#include "nic/kernel_group.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <climits>
#include <exception>
#include <fmt/format.h>
#include <functional>
#include <numeric>
#include <optional>
#include <random>
#include <string_view>
#include <vector>

namespace thalweg::teams {

namespace {

// MPI has at least so many tags.
constexpr std::uint32_t tags_of_rests = 1U << 15;

constexpr std::size_t max_kept = 1024;

int tag_of_rest(std::uint32_t sequence) {
  return static_cast<int>(sequence % tags_of_rests);
}

int largest_tag(MPI_Comm communicator) {
  int* found = nullptr;
  int is_there = 0;
  job::must(PMPI_Comm_get_attr(communicator, MPI_TAG_UB, &found, &is_there), "MPI_Comm_get_attr");
  return is_there != 0 ? *found : static_cast<int>(tags_of_rests) - 1;
}

void check_room(const thalweg_received& received, std::size_t room) {
  if (received.bytes > room)
    throw Error(fmt::format("a message of {} bytes with tag {} from rank {}, and room for {}", received.bytes,
                            received.tag, received.from, room),
                "give as much room as the longest message needs; this one is lost");
}

// A packet with a whole message, and all that is before it.
constexpr std::uint32_t mtu_of_messages =
    THALWEG_NIC_CARRIED_BYTES + sizeof(nic::EnvelopeHead) + 8 + 20; // UDP, IP

// What ranks tell each other. Without a reason all is well.
struct Candidate {
  std::array<char, 152> reason{};
  std::uint32_t address = 0;
  std::uint32_t id = 0;
  std::uint64_t key = 0;
};
using Candidates = std::vector<Candidate>;

void set_reason(Candidate& one, std::string_view text) {
  text.copy(one.reason.data(), one.reason.size() - 1);
}

// Of the first rank that cannot take part; empty where all can.
std::string objection(const Candidates& candidates) {
  for (std::size_t rank = 0; rank < candidates.size(); ++rank)
    if (candidates[rank].reason.front() != 0)
      return fmt::format("rank {}: {}", rank, candidates[rank].reason.data());
  return {};
}

// What others need of this rank goes on while its agent is waited for.
void wait_until(const wait::Policy& policy, const std::function<bool()>& has_answered) {
  const auto look = [&] { return has_answered() ? wait::Look::reached : wait::Look::nothing; };
  wait::until(policy, look);
}

std::unique_ptr<nic::AgentConnection> find_agent(Candidate& own, const wait::Policy& policy) {
  try {
    auto agent = std::make_unique<nic::AgentConnection>();
    agent->greet();
    wait_until(policy, [&] { return agent->has_greeted(); });
    if (agent->mtu() < mtu_of_messages)
      throw Error(fmt::format("the device's MTU is {}, and messages need {}", agent->mtu(), mtu_of_messages),
                  "give the device a larger one, on all hosts", thalweg_error_system);
    own.address = agent->address();
    std::random_device random;
    own.id = random();
    own.key = std::uint64_t{random()} << 32 | random();
    return agent;
  } catch (const std::exception& error) {
    set_reason(own, error.what());
    return nullptr;
  }
}

std::uint32_t ranks_at(std::uint32_t address, const Candidates& candidates, std::size_t before) {
  return static_cast<std::uint32_t>(
      std::count_if(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(before),
                    [address](const Candidate& one) { return one.address == address; }));
}

// As many cells for each pair of ranks as all hosts have memory for.
std::uint32_t width_of(const Candidates& candidates) {
  const auto ranks = static_cast<std::uint32_t>(candidates.size());
  std::uint32_t max_locals = 1;
  for (const Candidate& one : candidates)
    max_locals = std::max(max_locals, ranks_at(one.address, candidates, candidates.size()));
  return std::bit_floor(std::min({std::uint32_t{THALWEG_NIC_MAX_WIDTH}, THALWEG_NIC_RECORDS / ranks,
                                  THALWEG_NIC_CELLS / (ranks * max_locals)}));
}

thalweg_nic_group group_of(const Candidates& candidates, std::uint32_t own_address) {
  thalweg_nic_group group{};
  group.id = candidates.front().id;
  group.key = candidates.front().key;
  group.contributors = static_cast<std::uint16_t>(candidates.size());
  group.locals = static_cast<std::uint16_t>(ranks_at(own_address, candidates, candidates.size()));
  group.width = static_cast<std::uint16_t>(width_of(candidates));
  for (std::size_t rank = 0; rank < candidates.size(); ++rank)
    group.below[rank] = {candidates[rank].address, thalweg_nic_order16(THALWEG_NIC_PORT),
                         static_cast<std::uint16_t>(ranks_at(candidates[rank].address, candidates, rank))};
  return group;
}

std::unique_ptr<nic::InboxMember> join(std::unique_ptr<nic::AgentConnection> agent,
                                       const Candidates& candidates, Rank own, Candidate& reported,
                                       const wait::Policy& policy) {
  try {
    std::vector<std::int32_t> ranks(candidates.size());
    std::iota(ranks.begin(), ranks.end(), 0);
    const thalweg_nic_group view = group_of(candidates, agent->address());
    nic::GroupRequest joining(std::move(agent), view, static_cast<std::uint32_t>(own), ranks);
    std::unique_ptr<nic::KernelInbox> inbox;
    wait_until(policy, [&] {
      if (std::optional<nic::KernelGroup> joined = joining.look())
        inbox = std::make_unique<nic::KernelInbox>(std::move(*joined));
      return inbox != nullptr;
    });
    return std::make_unique<nic::InboxMember>(std::move(inbox),
                                              static_cast<std::uint32_t>(candidates.size()));
  } catch (const std::exception& error) {
    set_reason(reported, error.what());
    return nullptr;
  }
}

/// Collective. Ranks tell each other whether they have an agent, and whether it has taken them.
CardInbox join_card(const job::Group& group, Operations& operations) {
  if (group.node_count() <= 1)
    return {nullptr, "all ranks are on one host"};
  if (group.ranks() > THALWEG_NIC_CONTRIBUTORS)
    return {nullptr, fmt::format("{} ranks are more than {}", group.ranks(), int{THALWEG_NIC_CONTRIBUTORS})};
  const wait::Policy& policy = operations.policy();
  Candidate own;
  std::unique_ptr<nic::AgentConnection> agent = find_agent(own, policy);
  const Candidates candidates = operations.allgather(own);
  if (std::string why = objection(candidates); !why.empty())
    return {nullptr, std::move(why)};
  Candidate reported;
  std::unique_ptr<nic::InboxMember> member =
      join(std::move(agent), candidates, group.rank(), reported, policy);
  if (std::string why = objection(operations.allgather(reported)); !why.empty())
    return {nullptr, std::move(why)};
  return {std::move(member), {}};
}

} // namespace

Messages::Messages(const job::Group& group, Operations& operations)
    : group_(group), policy_(operations.policy()), shadow_(job::duplicate(group.communicator(), "inbox")),
      largest_tag_(largest_tag(shadow_->handle())), card_(join_card(group, operations)),
      where_(card_.member != nullptr ? "messages are matched on the hosts' network devices"
                                     : fmt::format("the MPI library matches messages: {}", card_.why_not)) {}

void Messages::check(Rank rank, int tag, bool may_be_open) const {
  const bool is_rank = rank >= 0 && rank < group_.ranks();
  if (!is_rank && !(may_be_open && rank == thalweg_any))
    throw Error(fmt::format("rank {} of a message", rank),
                fmt::format("the team has ranks 0 to {}{}", group_.ranks() - 1,
                            may_be_open ? ", and thalweg_any" : ""));
  if ((tag < 0 || tag > largest_tag_) && !(may_be_open && tag == thalweg_any))
    throw Error(fmt::format("tag {} of a message", tag),
                fmt::format("tags are 0 to {}{}", largest_tag_, may_be_open ? ", or thalweg_any" : ""));
}

void Messages::send(Rank to, int tag, std::span<const std::byte> message) {
  check(to, tag, false);
  if (message.size() > INT_MAX)
    throw Error(fmt::format("a message of {} bytes", message.size()),
                fmt::format("{} are the most: send it in parts", INT_MAX));
  if (card_.member != nullptr)
    return send_by_card(static_cast<std::uint32_t>(to), static_cast<std::uint32_t>(tag), message);
  send_by_library(to, tag, message);
}

// The library may hold on to a message of any length until it is received, and its sender with it.
void Messages::send_by_library(Rank to, int tag, std::span<const std::byte> message) {
  leave_at_most(max_kept - 1);
  THALWEG_ASSERT(normal, kept_.size() < max_kept);
  if (message.size() > THALWEG_NIC_CARRIED_BYTES) {
    MPI_Request request = begin_send(to, tag, message);
    finish(request);
    return;
  }
  CopiedMessage& kept = kept_.emplace_back(CopiedMessage{{message.begin(), message.end()}});
  kept.request = begin_send(to, tag, kept.message);
}

void Messages::leave_at_most(std::size_t count) {
  std::erase_if(kept_, [](CopiedMessage& kept) {
    int is_done = 0;
    job::must(PMPI_Test(&kept.request, &is_done, MPI_STATUS_IGNORE), "MPI_Test");
    return is_done != 0;
  });
  for (; kept_.size() > count; kept_.pop_front())
    finish(kept_.front().request);
}

void Messages::complete() {
  leave_at_most(0);
}

void Messages::send_by_card(std::uint32_t to, std::uint32_t tag, std::span<const std::byte> message) {
  const bool is_carried = message.size() <= THALWEG_NIC_CARRIED_BYTES;
  nic::OutgoingMessage outgoing{.to = to, .tag = tag, .bytes = static_cast<std::uint32_t>(message.size())};
  if (is_carried)
    outgoing.carried = message;
  card_.member->run(outgoing, policy_);
  if (is_carried)
    return;
  MPI_Request request = begin_send(static_cast<Rank>(to), tag_of_rest(outgoing.sequence), message);
  finish(request);
}

MPI_Request Messages::begin_send(Rank to, int tag, std::span<const std::byte> message) const {
  MPI_Request request = MPI_REQUEST_NULL;
  job::must(PMPI_Isend(message.data(), static_cast<int>(message.size()), MPI_BYTE, to, tag, shadow_->handle(),
                       &request),
            "MPI_Isend");
  return request;
}

void Messages::finish(MPI_Request& request) const {
  auto look = [&] {
    int is_done = 0;
    job::must(PMPI_Test(&request, &is_done, MPI_STATUS_IGNORE), "MPI_Test");
    return is_done != 0 ? wait::Look::reached : wait::Look::nothing;
  };
  wait::until(policy_, look);
}

thalweg_received Messages::receive(Rank from, int tag, std::span<std::byte> room) {
  check(from, tag, true);
  return card_.member != nullptr ? receive_by_card(from, tag, room) : receive_by_library(from, tag, room);
}

thalweg_received Messages::receive_by_card(Rank from, int tag, std::span<std::byte> room) {
  nic::IncomingMessage incoming{.source = from == thalweg_any ? THALWEG_NIC_ANY_SOURCE : std::uint32_t(from),
                                .tag = tag == thalweg_any ? THALWEG_NIC_ANY_TAG : std::uint32_t(tag)};
  card_.member->run(incoming, policy_);
  card_.member->take(incoming, room);
  const thalweg_nic_match& match = incoming.match;
  THALWEG_ASSERT(normal, match.source < static_cast<std::uint32_t>(group_.ranks()));
  if (match.bytes > THALWEG_NIC_CARRIED_BYTES)
    receive_rest(match, room);
  const thalweg_received received{
      .from = static_cast<int>(match.source), .tag = static_cast<int>(match.tag), .bytes = match.bytes};
  check_room(received, room.size());
  return received;
}

void Messages::receive_rest(const thalweg_nic_match& match, std::span<std::byte> room) {
  std::vector<std::byte> lost;
  if (match.bytes > room.size()) {
    lost.resize(match.bytes);
    room = lost;
  }
  MPI_Request request = MPI_REQUEST_NULL;
  job::must(PMPI_Irecv(room.data(), static_cast<int>(match.bytes), MPI_BYTE, static_cast<int>(match.source),
                       tag_of_rest(match.sequence), shadow_->handle(), &request),
            "MPI_Irecv");
  finish(request);
}

thalweg_received Messages::receive_by_library(Rank from, int tag, std::span<std::byte> room) {
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Status status{};
  auto look = [&] {
    int is_there = 0;
    job::must(PMPI_Improbe(from == thalweg_any ? MPI_ANY_SOURCE : from,
                           tag == thalweg_any ? MPI_ANY_TAG : tag, shadow_->handle(), &is_there, &message,
                           &status),
              "MPI_Improbe");
    return is_there != 0 ? wait::Look::reached : wait::Look::nothing;
  };
  wait::until(policy_, look);
  int bytes = 0;
  job::must(PMPI_Get_count(&status, MPI_BYTE, &bytes), "MPI_Get_count");
  const thalweg_received received{
      .from = status.MPI_SOURCE, .tag = status.MPI_TAG, .bytes = static_cast<std::size_t>(bytes)};
  std::vector<std::byte> lost;
  if (received.bytes > room.size())
    lost.resize(received.bytes);
  MPI_Request request = MPI_REQUEST_NULL;
  job::must(PMPI_Imrecv(lost.empty() ? room.data() : lost.data(), bytes, MPI_BYTE, &message, &request),
            "MPI_Imrecv");
  finish(request);
  check_room(received, room.size());
  return received;
}

} // namespace thalweg::teams
