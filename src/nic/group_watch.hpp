// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What an agent knows of a group: how far it is, who is missing anywhere in it, who is gone, and what goes on
// only if somebody asks for it. It sees its own host's card, and hears the rest from the agents beside it in
// the tree, each of whom tells what lies on its own side.

#include "nic/agent_messages.h"
#include "nic/beat.hpp"
#include "nic/relay.h"

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace thalweg::nic {

/// A group for broadcasts as if it were gathered: a rank has arrived when it asks for the message or has
/// taken it, and a card below when it asks or has it. An epoch has ended when all have the message.
thalweg_nic_state as_gathered(const thalweg_nic_relay& relay, const thalweg_nic_group& view,
                              const thalweg_nic_page& page);

/// By place of the window: the epoch that goes on only if this card hears from another one; or 0.
using StuckEpochs = std::array<std::uint32_t, THALWEG_NIC_WINDOW>;
StuckEpochs stuck_epochs(const thalweg_nic_state& state, const thalweg_nic_group& view);
StuckEpochs stuck_epochs(const thalweg_nic_relay& relay, const thalweg_nic_group& view);

class GroupWatch {
public:
  using Clock = std::chrono::steady_clock;

  /// `ranks`: of the host's contributors. `address`: the host's, in network order; `host`: its name.
  GroupWatch(const thalweg_nic_group& view, std::span<const std::int32_t> ranks, std::uint32_t address,
             std::string host);

  /// Looks at the card's state.
  void look(const thalweg_nic_state& state, Clock::time_point now);
  /// Hears what the agent at that address says. True if somebody is gone who was not known to be.
  bool hear(std::uint32_t from, const Beat& beat, Clock::time_point now);
  /// A process of this host has ended. True if that is news.
  bool leave(std::uint32_t local);
  /// Somebody is known to be gone from before.
  void recall(const thalweg_nic_departure& departure) { departure_ = departure; }
  /// A host beside this one is silent, or its agent has ended. True if that is news.
  bool lose(std::uint32_t address, thalweg_nic_departure_kind kind);

  /// What the agent at that address is told.
  Beat beat_for(std::uint32_t neighbor, Clock::time_point now) const;
  /// Addresses of the hosts beside this one.
  std::vector<std::uint32_t> neighbors() const;
  bool is_neighbor(std::uint32_t address) const;

  const thalweg_nic_departure& departure() const { return departure_; }
  std::uint32_t newest() const { return newest_; }
  std::uint32_t ended() const { return ended_; }
  /// Who has not arrived at the newest epoch, on all hosts.
  std::vector<Missing> missing(Clock::time_point now) const;
  std::uint32_t waited_ms(Clock::time_point now) const;

private:
  struct Report {
    std::uint32_t newest = 0;
    std::vector<Missing> missing{};
    std::string host{};
  };

  void note(std::uint32_t epoch, Clock::time_point now);
  bool take(const thalweg_nic_departure& departure);
  /// Who is missing here and on the sides of all neighbors but one.
  std::vector<Missing> missing_without(std::uint32_t neighbor, Clock::time_point now) const;

  thalweg_nic_group view_;
  std::vector<std::int32_t> ranks_;
  std::uint32_t address_;
  std::string host_;
  std::uint32_t newest_ = 0;
  std::uint32_t ended_ = 0;
  Clock::time_point since_{};               ///< the newest epoch is known
  std::vector<std::uint32_t> arrived_;      ///< the last epoch of each contributor
  std::map<std::uint32_t, Report> heard_{}; ///< by address
  thalweg_nic_departure departure_{};
};

} // namespace thalweg::nic
