// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A process's connection with its host's agent, which becomes one group's. It needs no privileges.
//
// Nothing here waits: the agent may be stopped or busy, and whoever waits for it holds up all that its
// process has to do for others. What cannot be done at once is done by a later look.

#include "base/files.hpp"
#include "nic/agent_messages.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <sys/un.h>
#include <vector>

namespace thalweg::nic {

/// Where a host's agent listens: a name without a file, of the network namespace.
class AgentName {
public:
  AgentName() {
    name_.sun_family = AF_UNIX;
    std::memcpy(name_.sun_path + 1, text.data(), text.size());
  }
  static constexpr std::string_view text = THALWEG_NIC_AGENT;
  const sockaddr* address() const { return reinterpret_cast<const sockaddr*>(&name_); }
  static constexpr socklen_t length() {
    return static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + text.size());
  }

private:
  sockaddr_un name_{};
};

struct AgentReply {
  thalweg_nic_reply words = {};
  std::vector<Descriptor> given;
};

/// A process's end of a socket to its host's agent.
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
  /// Nothing yet, or it was too long.
  std::optional<AgentReply> nothing() const;

  std::chrono::milliseconds patience_;
  std::uint64_t due_ns_ = 0;
  Descriptor socket_;
  bool is_connected_ = false;
  std::optional<thalweg_nic_request> unsent_;
};

/// Sleeps until an answer is there, and a while at most. `asked`: AgentSocket::asked().
void sleep_unless_answered(int asked);

/// What is asked and answered over it.
class AgentConnection {
public:
  /// Connects, or tries to. `patience`: for each answer. Throws Error where no agent is there, or one did not
  /// answer within the last minute.
  explicit AgentConnection(std::chrono::milliseconds patience = std::chrono::seconds(5))
      : socket_(patience) {}

  int descriptor() const { return socket_.descriptor(); }
  int asked() const { return socket_.asked(); }
  /// Asks what the agent knows, also of an operator of users, if it has that name.
  void greet(std::string_view operator_name = {});
  /// Whether that is known by now. Throws Error where the agent is of another version, has no such operator,
  /// ends, or does not answer within the patience, which is remembered for a minute.
  bool has_greeted();
  /// Then: of the device that the agent serves, in network order.
  std::uint32_t address() const { return known_.address; }
  /// The most bytes that a packet may have there, with its IP header.
  std::uint32_t mtu() const { return known_.mtu; }
  /// Where a card without ranks is that groups of this host may have above them, in network order; 0:
  /// nowhere.
  std::uint32_t aggregator() const { return known_.aggregator; }
  /// Where one is that has that one below it, as far as the agent has heard; 0: nowhere.
  std::uint32_t spine() const { return known_.spine; }
  /// Which version it has of the operator that it was asked for: what that is known by in groups
  /// (operator_digest). `words`: of an element, as the caller has them. Throws Error where the operator is
  /// one for other elements.
  std::uint64_t operator_digest(std::string_view operator_name, std::uint32_t words) const;

  struct Membership {
    Descriptor page;
    Descriptor socket;
    Descriptor doorbell;
  };
  /// Asks to join the group as its `local`-th rank on this host. `ranks`: by contributor, for those who ask
  /// who is missing.
  void join(const thalweg_nic_group& group, std::uint32_t local, std::span<const std::int32_t> ranks);
  /// Nothing yet, or what it gave. Throws Error where the agent refuses, or as `has_greeted` does.
  std::optional<Membership> joined();
  /// Has the group made on the card of the aggregator there, which sees it so.
  void enroll(std::uint32_t aggregator, const thalweg_nic_group& group, std::span<const std::int32_t> ranks);
  /// What became of that: nothing yet, no text where it is done, or why it is not.
  std::optional<std::string> enrolled();

private:
  AgentSocket socket_;
  thalweg_nic_reply known_ = {};
};

/// What a process asks its host's agent when it starts: which aggregator there is. It may be asked long
/// before it is looked for.
class AggregatorQuestion {
public:
  AggregatorQuestion() noexcept;
  /// In network order; 0: none, or no agent is there. Nothing where it has not answered yet.
  std::optional<std::uint32_t> answer() noexcept;
  /// Sleeps until it has, so long at most; nothing where it has not even then.
  std::optional<std::uint32_t> answer_within(std::chrono::milliseconds patience) noexcept;

private:
  std::optional<AgentConnection> agent_;
};

} // namespace thalweg::nic
