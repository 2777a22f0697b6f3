// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Ranks as threads of one process, for tests: every message is matched under one lock.

#include "transport/transport.hpp"

#include <vector>

namespace thalweg::transport {

/// When a send finishes: as soon as its bytes are copied aside (eager), or only when the receive took them
/// (rendezvous).
enum class Protocol { eager, rendezvous };

class LoopbackHub;

/// `ranks` transports joined by one hub; give each to its own thread. They keep the hub alive.
std::vector<std::unique_ptr<Transport>> make_loopback(std::int32_t ranks, Protocol protocol);

/// The mailboxes of as many ranks.
std::vector<std::unique_ptr<Mailbox>> make_loopback_mailboxes(std::int32_t ranks);

} // namespace thalweg::transport
