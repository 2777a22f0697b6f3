// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What an agent sees in a card's memory: how far a group is, and what goes on only if somebody asks for it.

#include "nic/agent_messages.h"
#include "nic/relay.h"

#include <array>
#include <cstdint>

namespace thalweg::nic {

/// A group for broadcasts as if it were gathered: a rank has arrived when it asks for the message or has
/// taken it, and a card below when it asks or has it. An epoch has ended when all have the message.
thalweg_nic_state as_gathered(const thalweg_nic_relay& relay, const thalweg_nic_group& view,
                              const thalweg_nic_page& page);

/// By place of the window: the epoch that goes on only if this card hears from another one; or 0.
using StuckEpochs = std::array<std::uint32_t, THALWEG_NIC_WINDOW>;
StuckEpochs stuck_epochs(const thalweg_nic_state& state, const thalweg_nic_group& view);
StuckEpochs stuck_epochs(const thalweg_nic_relay& relay, const thalweg_nic_group& view);

} // namespace thalweg::nic
