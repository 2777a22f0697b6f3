// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Messages from rank to rank of a team, which the receiver's network device matches where it can, and the MPI
// library elsewhere.

#include "job/library/mpi_library.hpp"
#include "nic/inbox_member.hpp"
#include "team/operations.hpp"
#include "thalweg/team.h"

#include <deque>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace thalweg::teams {

/// A team's inboxes on its hosts' network devices (nic/inbox.h).
struct CardInbox {
  std::unique_ptr<nic::InboxMember> member; ///< null on all ranks where one cannot have it
  std::string why_not;                      ///< the first such rank's reason
};

class Messages {
public:
  /// Collective. Both outlive it.
  Messages(const job::Group& group, Operations& operations);

  /// Who matches, and why not the devices: for people.
  const std::string& where() const { return where_; }
  /// Returns when the receiver's device has the message, or the library a copy of it. One that is too long
  /// for that waits for its receiver.
  void send(Rank to, int tag, std::span<const std::byte> message);
  /// `from` and `tag` may be left open (thalweg_any). Throws Error for a message that is too long; it is
  /// lost.
  thalweg_received receive(Rank from, int tag, std::span<std::byte> room);
  /// Waits until the library has sent what it has copies of.
  void complete();

private:
  void check(Rank rank, int tag, bool may_be_open) const;
  void send_by_card(std::uint32_t to, std::uint32_t tag, std::span<const std::byte> message);
  thalweg_received receive_by_card(Rank from, int tag, std::span<std::byte> room);
  thalweg_received receive_by_library(Rank from, int tag, std::span<std::byte> room);
  /// What is too long for a device's packet follows its envelope.
  void receive_rest(const thalweg_nic_match& match, std::span<std::byte> room);
  void send_by_library(Rank to, int tag, std::span<const std::byte> message);
  MPI_Request begin_send(Rank to, int tag, std::span<const std::byte> message) const;
  void finish(MPI_Request& request) const;
  /// Forgets what was sent, and waits where more is left than so many.
  void leave_at_most(std::size_t count);

  const job::Group& group_;
  const wait::Policy& policy_;
  std::shared_ptr<job::ShadowCommunicator> shadow_;
  int largest_tag_ = 0;
  CardInbox card_;
  struct CopiedMessage {
    std::vector<std::byte> message;
    MPI_Request request = MPI_REQUEST_NULL;
  };
  std::deque<CopiedMessage> kept_; ///< in the order of sending
  std::string where_;
};

} // namespace thalweg::teams
