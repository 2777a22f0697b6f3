#pragma once

// The process of an agent that serves: answers a host's ranks, and goes its rounds.

#include "nic/agent/registry.hpp"

#include <cstdint>
#include <poll.h>
#include <vector>

namespace thalweg::nic {

class Server {
public:
  /// `listening`: a socket to connect to. `address`: the device's, in network order.
  Server(int listening, Registry& registry, Neighbors& neighbors, std::uint32_t address);

  /// Until it is to end (agent/keeper.hpp).
  void serve();

private:
  bool answer(int connection);
  void forget(int connection);

  Registry& registry_;
  Neighbors& neighbors_;
  std::uint32_t address_;
  std::vector<pollfd> watched_; // first those that want to connect, then other agents
};

} // namespace thalweg::nic
