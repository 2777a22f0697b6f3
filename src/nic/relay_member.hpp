#pragma once

// A rank in a group for broadcasts: gives its card the message, or takes it from there, and asks again for
// what seems to be lost.

#include "nic/card.hpp"
#include "nic/waiting.hpp"

#include <memory>
#include <span>

namespace thalweg::nic {

/// One of a member's broadcasts, from its beginning until its end was seen.
struct Relayed {
  std::span<std::byte> message{}; ///< the root's, or where it goes; the same length on all ranks, not 0
  std::uint32_t epoch = 0;        ///< its number among the group's operations, from 1 on
  bool is_started = false;
  Patience patience{}; ///< before it is asked for again
};

/// All members of a group have the same broadcasts with the same numbers. They need not begin them in order,
/// but begin all. The root is done when its card has the message, and the others when they have taken it from
/// theirs. Threads may look at different broadcasts at once.
class RelayMember {
public:
  RelayMember(std::unique_ptr<RelayCard> card, bool is_root);

  /// Begins it; may be left out.
  void start(Relayed& broadcast);
  /// Is it done? Does not wait, and is not called again afterwards. Throws Error where the card is lost.
  bool look(Relayed& broadcast);
  /// Waits until it is.
  void run(Relayed& broadcast, const wait::Policy& policy);

private:
  void start_again(Relayed& broadcast);

  std::unique_ptr<RelayCard> card_;
  bool is_root_;
};

} // namespace thalweg::nic
