// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The groups of a host, and who is a member of which: what of them the card's programs have, what the agents
// beside this one are told, and what is written down for the process that serves next.

#include "nic/agent/group.hpp"
#include "nic/agent/ledger.hpp"
#include "nic/agent/limits.hpp"
#include "nic/agent/members.hpp"
#include "nic/agent/neighbors.hpp"
#include "nic/agent/programs.hpp"
#include "nic/enrollment.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <sys/types.h>
#include <vector>

namespace thalweg::nic {

/// What an agent has to do with cards without ranks.
struct Aggregation {
  bool is_offered = false; ///< this one makes groups on its own card for others
  std::uint32_t known = 0; ///< where this card's groups may have one above it, in network order; 0: nowhere
};

class Registry {
public:
  /// `address`: the device's, in network order. `host`: this host's name, for people. Goes on with what is in
  /// the ledger.
  Registry(const Programs& programs, Neighbors& neighbors, std::uint32_t address, std::string host,
           const Aggregation& aggregation, Limits limits, const Ledger& ledger);
  ~Registry();
  Registry(const Registry&) = delete;
  Registry& operator=(const Registry&) = delete;

  /// What a member holds, by its connection. The descriptors are the registry's.
  struct Membership {
    std::uint32_t index = 0;
    int socket = -1; ///< its starts leave through this one alone
    int page = -1;
    int doorbell = -1;
  };

  /// Of all members.
  std::vector<int> connections() const { return members_.connections(); }
  /// A process of that user, over that connection, is the request's local rank. Throws Error where it may
  /// not.
  Membership join(int connection, uid_t user, const thalweg_nic_request& request);
  /// Makes a group without ranks on this card, as the agent at that address asks for; if it is there already,
  /// that is all right. Throws Error where it may not be.
  void enroll(std::uint32_t from, const Enrollment& enrollment);
  /// The connection has ended. A group without members lives on for a while, as cards below may not have
  /// heard of its last end yet; but not where its ranks have said that none needs it.
  void leave(int connection);
  const Operators& operators() const { return programs_.operators(); }
  /// Devices may have come or gone.
  void follow(const Device& device) const { programs_.follow(device); }
  /// Removes one group that was left long ago, if there is one; false where there is none. The kernel lets
  /// who removes one wait several times until no packet looks at it, so requests are answered between two.
  bool expire_one();
  /// Looks at all groups, and tells the agents beside this one how they are.
  void beat();
  /// An agent has said something, or somebody else has.
  void hear(std::uint32_t from, std::span<const std::byte> datagram);
  /// Starts again what all ranks and cards here have arrived at, and what has not ended for a while: its
  /// packet up may be lost, and the ranks may be computing. Gives how soon to come again, in ms.
  int start_again();
  /// All groups, as JSON.
  std::string describe();

private:
  std::uint32_t find_or_make(uid_t user, const thalweg_nic_request& request);
  void restore(std::uint32_t index, const KeptGroup& kept);
  /// From the programs, which know its socket no more.
  void forget(const StartSocket& start) const;
  void remove(std::uint32_t index, Group& group) const;
  void look(std::uint32_t index, Group& group, Group::Clock::time_point now) const;
  StuckEpochs stuck(std::uint32_t index, const Group& group) const;
  /// Does some card below a group that was left here still lack a broadcast?
  bool is_needed(std::uint32_t index, const Group& group) const;
  /// Tells the ranks of this host, and the agents beside it, who is gone.
  void announce(Group& group);
  /// Tells the agents beside this one.
  void dissolve(Group& group) const;
  void report_to_neighbors(const Group& group) const;
  void report_unknown(std::uint32_t from, const Beat& beat) const;

  const Programs& programs_;
  Neighbors& neighbors_;
  std::uint32_t address_;
  std::string host_;
  Aggregation aggregation_;
  Admission admission_;
  const Ledger& ledger_;
  std::uint64_t refused_ = 0;             ///< of what others say
  std::map<std::uint32_t, Group> groups_; ///< by index
  Members members_;
};

} // namespace thalweg::nic
