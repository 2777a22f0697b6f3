// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The process of an agent that serves: answers a host's ranks, and goes its rounds.

#include "nic/agent/device.hpp"
#include "nic/agent/enrollments.hpp"
#include "nic/agent/registry.hpp"

#include <cstdint>
#include <poll.h>
#include <vector>

namespace thalweg::nic {

class Server {
public:
  /// So many may want to connect at once.
  static constexpr int max_waiting = 64;
  /// `listening`: a socket to connect to.
  Server(int listening, Registry& registry, Neighbors& neighbors, const Device& device,
         const Aggregation& aggregation);

  /// Until it is to end (agent/process.hpp).
  void serve();

private:
  void accept_new();
  bool answer(int connection);
  void forget(int connection);
  thalweg_nic_reply reply_with(const char* reason) const;
  void report_operator(const thalweg_nic_request& request, thalweg_nic_reply& reply) const;

  Registry& registry_;
  Neighbors& neighbors_;
  const Device& device_;
  Aggregation aggregation_;
  Enrollments enrollments_;
  std::vector<pollfd> watched_; ///< first those that want to connect, then other agents
};

} // namespace thalweg::nic
