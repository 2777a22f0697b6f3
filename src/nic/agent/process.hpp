// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// An agent is two processes: one that serves, and one that keeps what must not end with it: the programs on
// their hooks, the sockets that it listens at, and what members hold. Where the one that serves ends other
// than regularly, another one goes on in its place. Calls run in the kernel meanwhile.

#include "nic/agent/ledger.hpp"

#include <functional>

namespace thalweg::nic {

/// From now on SIGTERM, SIGINT and SIGHUP ask this process to end regularly.
void handle_ends();
bool is_to_end();

/// Runs `serve` in a process of its own, again and again, until it returns or this process is asked to end.
/// Where this process is killed, the other one ends and calls `take_down` before. Throws Error where there
/// can be no such process.
void keep(const std::function<void(const Ledger&)>& serve, const std::function<void()>& take_down);

/// Gives up all that an agent needs no longer once its programs are attached: it becomes nobody, and keeps
/// CAP_BPF alone, to make groups' pages and to change the programs' maps; filters of clsact need
/// CAP_NET_ADMIN besides, to be taken away at the end. Throws Error where the kernel refuses.
void drop_privileges(bool keeps_network);

} // namespace thalweg::nic
