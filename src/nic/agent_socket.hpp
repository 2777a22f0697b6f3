// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A process's end of a socket to its host's agent. Nothing here waits: the agent may be stopped or busy, and
// whoever waits for it holds up all that its process has to do for others. What cannot be done at once is
// done by a later look.

#include "base/descriptor.hpp"
#include "nic/agent_messages.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

namespace thalweg::nic {

struct AgentReply {
  thalweg_nic_reply words = {};
  std::vector<Descriptor> given;
};

class AgentSocket {
public:
  /// `patience`: for an answer, from when the agent could be asked; and before, until it can. Throws Error
  /// where no agent is there, or one did not answer within the last minute.
  explicit AgentSocket(std::chrono::milliseconds patience);

  int descriptor() const { return socket_.number(); }
  /// The same where it has been asked something; -1 where that could not be sent yet.
  int asked() const { return unsent_ ? -1 : socket_.number(); }
  /// Asks at once if possible, after what was asked before has been answered.
  void ask(const thalweg_nic_request& request);
  /// The answer, or nothing yet. Throws Error where the agent refuses to listen, has ended, says what no
  /// agent says, or has not answered in time.
  std::optional<AgentReply> look();

private:
  bool connects();
  bool sends();
  void begin_patience();
  // Nothing yet, or it was too long.
  std::optional<AgentReply> nothing() const;

  std::chrono::milliseconds patience_;
  std::uint64_t due_ns_ = 0;
  Descriptor socket_;
  bool is_connected_ = false;
  std::optional<thalweg_nic_request> unsent_;
};

/// Sleeps until an answer is there, and a while at most. `asked`: AgentSocket::asked().
void sleep_unless_answered(int asked);

} // namespace thalweg::nic
