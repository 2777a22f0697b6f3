// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What an agent lets its host's users do, and which groups it takes. The administrator's file is read before
// it starts (thalweg/nic/limits.py).

#include "nic/agent_messages.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace thalweg::nic {

inline constexpr std::uint32_t max_groups = 256; ///< on a card

/// IPv4 addresses with a common beginning.
struct Network {
  std::uint32_t address = 0; ///< in network order
  std::uint32_t mask = 0;    ///< in network order
};

/// Reads "10.0.0.0/8". Throws Error where it is something else.
Network read_network(const std::string& text);

struct Limits {
  std::size_t groups_per_user = 64;
  /// On this host; 0: as many as it likes.
  std::uint32_t starts_per_second = 200'000;
  /// Where the hosts of a group may be; anywhere, if there are none.
  std::vector<Network> networks{};

  bool allow(std::uint32_t address) const;
};

/// What a group has to be like before anything is done for it.
class Admission {
public:
  /// `address`: this host's, in network order.
  Admission(std::uint32_t address, Limits limits) : address_(address), limits_(std::move(limits)) {}

  const Limits& limits() const { return limits_; }
  /// Throws Error where the request's local rank can be no member of its group here, or some host of the
  /// group is where none may be.
  void check_member(const thalweg_nic_request& request) const;
  /// The same of a group on this card that no rank of this host is in, which the agent at `from` asks for.
  void check_aggregate(std::uint32_t from, const thalweg_nic_request& request) const;
  /// No further group may be made, where there are so many of the user's, and of all.
  bool is_full(std::size_t of_user, std::size_t of_all) const {
    return of_all >= max_groups || of_user >= limits_.groups_per_user;
  }

private:
  void check_networks(const thalweg_nic_request& request) const;

  std::uint32_t address_;
  Limits limits_;
};

} // namespace thalweg::nic
