#pragma once

// The process of an agent that serves: answers a host's ranks, and goes its rounds.

#include "nic/agent/registry.hpp"

#include <cstdint>
#include <poll.h>
#include <vector>

namespace thalweg::nic {

/// The network device that is served.
struct Device {
  std::uint32_t address = 0; ///< in network order
  std::uint32_t mtu = 0;     ///< bytes of a packet with its IP header
};

class Server {
public:
  /// `listening`: a socket to connect to.
  Server(int listening, Registry& registry, Neighbors& neighbors, Device device);

  /// Until it is to end (agent/keeper.hpp).
  void serve();

private:
  bool answer(int connection);
  void forget(int connection);

  Registry& registry_;
  Neighbors& neighbors_;
  Device device_;
  std::vector<pollfd> watched_; // first those that want to connect, then other agents
};

} // namespace thalweg::nic
