// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What members hold, written down where it outlives the process that serves them (agent/process.hpp).
//
// The one that serves sends an entry for all that changes, with descriptors. The one that keeps reads them.
// So one that serves next has the same connections, and ranks notice nothing.

#include "nic/agent_messages.h"

#include <cstdint>
#include <map>
#include <sys/types.h>

namespace thalweg::nic {

struct KeptMember {
  int connection = -1; ///< -1: it has left
  int socket = -1;
};

struct GroupDescriptors {
  int page = -1;
  int doorbell = -1;
};

struct KeptGroup {
  uid_t user = 0;
  thalweg_nic_request request{}; ///< of who made it
  GroupDescriptors descriptors{};
  std::map<std::uint32_t, KeptMember> members{}; ///< by local rank; of those that left only the last
};

/// By index.
using KeptGroups = std::map<std::uint32_t, KeptGroup>;

/// The side that serves.
class Ledger {
public:
  /// `keeper`: a socket that leads to the one that keeps. `kept`: what was written down before.
  Ledger(int keeper, const KeptGroups& kept) : keeper_(keeper), kept_(kept) {}

  const KeptGroups& kept() const { return kept_; }
  /// The request's local rank is a member from now on. Throws Error where that cannot be kept.
  void joined(std::uint32_t index, uid_t user, const thalweg_nic_request& request, const KeptMember& member,
              const GroupDescriptors& group) const;
  void left(std::uint32_t index, std::uint32_t local) const;
  void removed(std::uint32_t index) const;

private:
  int keeper_;
  const KeptGroups& kept_;
};

/// The side that keeps: reads entries into `kept` until the other side has ended, whatever interrupts it.
void read_ledger(int server, KeptGroups& kept);

} // namespace thalweg::nic
