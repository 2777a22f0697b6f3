// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A team's inboxes on its hosts' network devices (nic/inbox.h).

#include "job/library/group.hpp"
#include "nic/inbox_member.hpp"

#include <memory>
#include <string>

namespace thalweg::teams {

struct CardInbox {
  std::unique_ptr<nic::InboxMember> member; ///< null on all ranks where one cannot have it
  std::string why_not;                      ///< the first such rank's reason
};

/// Collective. Ranks tell each other whether they have an agent, and whether it has taken them.
CardInbox join_card(const job::Group& group, const wait::Policy& policy);

} // namespace thalweg::teams
