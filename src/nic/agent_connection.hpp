#pragma once

// A process's connection with its host's agent, which becomes one group's. It needs no privileges.

#include "nic/agent_messages.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace thalweg::nic {

class AgentConnection {
public:
  /// Throws Error where no agent is there, one of another version, or one that does not answer within
  /// `patience`, or has not done so within the last minute.
  explicit AgentConnection(std::chrono::milliseconds patience = std::chrono::seconds(5));
  ~AgentConnection();
  AgentConnection(const AgentConnection&) = delete;
  AgentConnection& operator=(const AgentConnection&) = delete;

  /// Of the device that the agent serves, in network order.
  std::uint32_t address() const { return address_; }
  /// The most bytes that a packet may have there, with its IP header.
  std::uint32_t mtu() const { return mtu_; }
  /// Where a card without ranks is that groups of this host may have above them, in network order; 0:
  /// nowhere.
  std::uint32_t aggregator() const { return aggregator_; }
  /// Where one is that has that one below it, as far as the agent has heard; 0: nowhere.
  std::uint32_t spine() const { return spine_; }
  int descriptor() const { return descriptor_; }

  /// Which version of an operator of users the agent has: what it is known by in groups (operator_digest).
  /// `words`: of an element, as the caller has them. Throws Error where the agent has none of that name, or
  /// one for other elements.
  std::uint64_t operator_named(const std::string& name, std::uint32_t words);

  /// Descriptors that the caller closes.
  struct Membership {
    int page = -1;
    int socket = -1;
    int doorbell = -1;
  };
  /// Joins the group as its `local`-th rank on this host. `ranks`: by contributor, for those who ask who is
  /// missing. Throws Error where the agent refuses.
  Membership join(const thalweg_nic_group& group, std::uint32_t local, std::span<const std::int32_t> ranks);
  /// Has the group made on the card of the aggregator there, which sees it so. Does not wait. Throws Error
  /// where the agent does not listen.
  void enroll(std::uint32_t aggregator, const thalweg_nic_group& group, std::span<const std::int32_t> ranks);
  /// What became of that: nothing yet, no text where it is done, or why it is not. Does not wait.
  std::optional<std::string> enrolled();

private:
  std::chrono::milliseconds patience_;
  std::uint64_t answers_until_ns_ = 0;
  int descriptor_ = -1;
  std::uint32_t address_ = 0;
  std::uint32_t mtu_ = 0;
  std::uint32_t aggregator_ = 0;
  std::uint32_t spine_ = 0;
};

/// The aggregator that this host's agent knows, in network order; 0: none, or no agent is there. Waits at
/// most a second for one that does not answer.
std::uint32_t known_aggregator();

} // namespace thalweg::nic
