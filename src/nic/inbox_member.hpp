// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A rank with an inbox: counts its messages and its receives, and says again what seems to be lost.

#include "nic/card.hpp"

#include <array>
#include <memory>
#include <span>
#include <vector>

namespace thalweg::nic {

/// A message on its way, from its beginning until the receiver's card has it.
struct OutgoingMessage {
  std::uint32_t to = 0;
  std::uint32_t tag = 0;
  std::uint32_t bytes = 0;
  std::span<const std::byte> carried{}; ///< all of it, at most THALWEG_NIC_CARRIED_BYTES; or nothing
  std::uint32_t sequence = 0;
  bool was_sent = false;
  bool is_held = false; ///< the receiver had no room for it
  Patience patience{};  ///< before it is sent again
};

/// A receive, from its beginning until it has a message.
struct IncomingMessage {
  std::uint32_t source = THALWEG_NIC_ANY_SOURCE;
  std::uint32_t tag = THALWEG_NIC_ANY_TAG;
  thalweg_nic_match match{};
  std::uint32_t number = 0;
  bool was_posted = false;
  Patience patience{}; ///< before it is posted again
};

/// Messages to a rank arrive in the order in which they are begun, and receives match in the order of theirs.
/// One thread at a time.
class InboxMember {
public:
  /// `ranks`: of the group.
  InboxMember(std::unique_ptr<InboxCard> card, std::uint32_t ranks);

  void begin(OutgoingMessage& message);
  void begin(IncomingMessage& receive);
  /// Is it accepted? Does not wait, and is not called again afterwards. Throws Error where the card is lost.
  bool look(OutgoingMessage& message);
  /// Has it a message? Likewise. `take` has to follow.
  bool look(IncomingMessage& receive);
  /// Copies what the message carried, as much as there is room for.
  void take(const IncomingMessage& receive, std::span<std::byte> message) {
    card_->take(receive.match, message);
  }
  /// Waits until it is.
  template <typename One>
  void run(One& one, const wait::Policy& policy) {
    begin(one);
    wait_on(
        *card_, policy, [&] { return look(one); }, [&] { return has_come(one); });
  }
  InboxCard& card() { return *card_; }

private:
  bool has_come(const OutgoingMessage& message);
  bool has_come(const IncomingMessage& receive);
  void send(const OutgoingMessage& message);

  std::unique_ptr<InboxCard> card_;
  std::vector<std::uint32_t> begun_; ///< messages, by receiver
  std::uint32_t receives_ = 0;
  std::array<std::uint32_t, THALWEG_NIC_RECEIVES> seen_; ///< by place: the last receive that has ended
};

} // namespace thalweg::nic
