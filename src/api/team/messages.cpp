// SPDX-License-Identifier: BSD-3-Clause
#include "team/messages.hpp"

#include "job/library/mpi_calls.hpp"

#include <climits>
#include <fmt/format.h>
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

} // namespace

Messages::Messages(const job::Group& group, const wait::Policy& policy)
    : group_(group), policy_(policy), shadow_(job::duplicate(group.communicator(), "inbox")),
      largest_tag_(largest_tag(shadow_->handle())), card_(join_card(group, policy)),
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
  if (message.size() > THALWEG_NIC_CARRIED_BYTES) {
    MPI_Request request = begin_send(to, tag, message);
    finish(request);
    return;
  }
  Kept& kept = kept_.emplace_back(Kept{{message.begin(), message.end()}});
  kept.request = begin_send(to, tag, kept.message);
}

void Messages::leave_at_most(std::size_t count) {
  std::erase_if(kept_, [](Kept& kept) {
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
