// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Whether another host has an agent, or is there at all, by a connection to the port of agents that carries
// nothing. A host's kernel takes it for the agent, also where that one is stopped, and ends it when the agent
// has ended. Then it refuses each further one. That is surer than to hear that datagrams are refused: of
// those a kernel tells one in a second, and cards' packets are among them where the programs are gone.

#include "base/descriptor.hpp"

#include <cstdint>
#include <netinet/in.h>

namespace thalweg::nic {

/// `address` in network order, `port` in the host's.
sockaddr_in socket_address(std::uint32_t address, std::uint16_t port);

/// Listens there, for as long as the descriptor is open in any process. Throws Error where it may not.
Descriptor listen_for_probes(std::uint32_t own, std::uint16_t port);

class AgentProbe {
public:
  AgentProbe(std::uint32_t own, std::uint32_t other, std::uint16_t port)
      : own_(own), other_(other), port_(port) {}

  /// What the other host's kernel has said: nothing new, that no agent is there, or that the one that was is
  /// gone. Another one may be in its place.
  enum class Finding : std::uint8_t { nothing, refused, ended };
  /// Tries to connect, or looks what has become of it; does not wait.
  Finding look();

private:
  void connect();

  std::uint32_t own_;
  std::uint32_t other_;
  std::uint16_t port_;
  Descriptor socket_;
};

} // namespace thalweg::nic
