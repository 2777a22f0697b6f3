#pragma once

// How agents have a group made on a card without ranks: one asks, the other one answers, by datagrams from
// port to port of agents. Both may be lost, so the one that asks does so again, and to be asked again changes
// nothing.

#include "nic/agent_messages.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace thalweg::nic {

struct Placing {
  std::uint32_t user = 0; ///< whose group it is
  thalweg_nic_group group{};
  std::int32_t ranks[THALWEG_NIC_CONTRIBUTORS] = {}; ///< by contributor
};

struct Placed {
  std::uint32_t group = 0;
  std::uint64_t key = 0;
  std::string reason{}; ///< why it was not made; empty where it is there
};

std::vector<std::byte> write_placing(const Placing& placing);
std::vector<std::byte> write_placed(const Placed& placed);
/// Nothing where it is something else, or from an agent of another version or another order of bytes.
std::optional<Placing> read_placing(std::span<const std::byte> datagram);
std::optional<Placed> read_placed(std::span<const std::byte> datagram);

} // namespace thalweg::nic
