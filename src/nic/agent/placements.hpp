#pragma once

// Groups with a card that has no ranks: has them made by the aggregator's agent for this host's jobs, and
// makes them for others where this one is the aggregator's.

#include "nic/agent/neighbors.hpp"
#include "nic/agent/registry.hpp"
#include "nic/placing.hpp"

#include <chrono>
#include <functional>
#include <map>
#include <span>
#include <string>

namespace thalweg::nic {

class Placements {
public:
  /// Tells a connection why its group was not made; with no text, that it was.
  using Reply = std::function<void(int connection, const std::string& reason)>;

  Placements(const Aggregation& aggregation, Registry& registry, Neighbors& neighbors, Reply reply);

  /// A process of that user wants a group on the aggregator's card. Throws Error where it may not have it.
  void ask(int connection, std::uint32_t user, const thalweg_nic_request& request);
  /// The connection has ended.
  void forget(int connection) { asked_.erase(connection); }
  /// False where it is nothing of the kind.
  bool hear(const Sender& from, std::span<const std::byte> datagram);
  /// Asks again. Gives how soon to come again, in ms.
  int go_on();

private:
  using Clock = std::chrono::steady_clock;
  struct Asked {
    Placing placing;
    Clock::time_point due;
    int times = 0;
  };

  void answer(const Sender& from, const Placing& placing);

  Aggregation aggregation_;
  Registry& registry_;
  Neighbors& neighbors_;
  Reply reply_;
  std::map<int, Asked> asked_{}; // by connection
};

} // namespace thalweg::nic
