#pragma once

// A rank's side of a card in the kernel: a socket to start through, and a page to look at. It needs no
// privileges, and calls no function of the kernel's programs but through these two.

#include "nic/agent_messages.h"
#include "nic/card.hpp"

#include <memory>
#include <span>

namespace thalweg::nic {

/// A connection with the host's agent, which becomes one group's.
class AgentConnection {
public:
  /// Throws Error where no agent is there, or one of another version.
  AgentConnection();
  ~AgentConnection();
  AgentConnection(const AgentConnection&) = delete;
  AgentConnection& operator=(const AgentConnection&) = delete;

  /// Of the device that the agent serves, in network order.
  std::uint32_t address() const { return address_; }
  /// The most bytes that a packet may have there, with its IP header.
  std::uint32_t mtu() const { return mtu_; }
  int descriptor() const { return descriptor_; }
  /// Joins the group as its `local`-th rank on this host. `ranks`: by contributor, for those who ask who is
  /// missing. Throws Error where the agent refuses.
  static std::unique_ptr<Card> join(std::unique_ptr<AgentConnection> connection,
                                    const thalweg_nic_group& group, std::uint32_t local,
                                    std::span<const std::int32_t> ranks);
  /// The same for a group for broadcasts, which has `segment_bytes`.
  static std::unique_ptr<RelayCard> join_relay(std::unique_ptr<AgentConnection> connection,
                                               const thalweg_nic_group& group, std::uint32_t local,
                                               std::span<const std::int32_t> ranks);

private:
  int descriptor_ = -1;
  std::uint32_t address_ = 0;
  std::uint32_t mtu_ = 0;
};

} // namespace thalweg::nic
