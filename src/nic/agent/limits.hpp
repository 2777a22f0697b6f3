// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What an agent lets its host's users do. The administrator's file is read before it starts
// (thalweg/nic/limits.py).

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace thalweg::nic {

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

} // namespace thalweg::nic
