// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What agents of neighboring hosts tell each other of a group, each 0.4 s and when something happens: how
// far it is, who is missing, and who is gone.

#include "nic/agent_messages.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace thalweg::nic {

/// Agents listen here, beside the port of the cards.
inline constexpr std::uint16_t agent_port = 7748;

/// A rank that has not arrived where others wait.
struct Missing {
  std::int32_t rank = 0;
  std::uint32_t address = 0; ///< of its host, in network order
  std::uint32_t waited_ms = 0;
  bool operator==(const Missing&) const = default;
};

struct Beat {
  static constexpr std::size_t max_missing = 64; ///< so that a datagram fits where an MTU is 1280

  std::uint32_t group = 0;
  std::uint64_t key = 0;
  char host[sizeof(thalweg_nic_departure::host)] = {}; ///< the sender's name
  std::uint32_t newest = 0; ///< the last epoch that somebody is known to have started
  thalweg_nic_departure departure{};
  std::vector<Missing> missing{}; ///< at that epoch, as far as is known on the sender's side of the tree
};

/// The datagram. What is beyond the most is left out.
std::vector<std::byte> write_beat(const Beat& beat);
/// Nothing where it is no beat of this version, or not whole.
std::optional<Beat> read_beat(std::span<const std::byte> datagram);

} // namespace thalweg::nic
