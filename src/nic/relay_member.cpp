// SPDX-License-Identifier: BSD-3-Clause
#include "nic/relay_member.hpp"

namespace thalweg::nic {

// A card takes a message when all below it have the one a window before, and its ranks have taken that. So
// each level of cards may be a window behind the one above, and the ranks of the lowest one more.
RelayMember::RelayMember(std::unique_ptr<RelayCard> card, bool is_root, std::uint32_t levels)
    : card_(std::move(card)), is_root_(is_root),
      kept_(is_root ? std::size_t{THALWEG_NIC_WINDOW} * (levels + 1) : 0) {}

void RelayMember::start(Relayed& broadcast) {
  if (window_.is_frozen()) { // what came before this rank did is there
    broadcast.is_started = window_.is_held(broadcast.epoch);
    return;
  }
  if (is_root_ && !card_->has_room(broadcast.epoch))
    return;
  broadcast.is_started = true;
  card_->enter(broadcast.epoch);
  if (is_root_) {
    Kept& kept = kept_[broadcast.epoch % kept_.size()];
    kept.message.assign(broadcast.message.begin(), broadcast.message.end());
    kept.epoch.store(broadcast.epoch, std::memory_order_release);
    card_->put(broadcast.epoch, broadcast.message);
  }
  // Cards above know the way to those below only after they have heard from them.
  else if (broadcast.epoch == 1)
    card_->ask(broadcast.epoch);
}

// Where the card is lost, that is found elsewhere.
void RelayMember::start_again(Relayed& broadcast) {
  if (!broadcast.patience.is_over() || window_.is_frozen() || !card_->loss().empty())
    return;
  if (is_root_ && broadcast.is_started)
    card_->put(broadcast.epoch, broadcast.message);
  else
    card_->ask(broadcast.epoch);
}

bool RelayMember::look(Relayed& broadcast) {
  if (!broadcast.is_started)
    start(broadcast);
  if (broadcast.is_started && card_->has_ended(broadcast.epoch) && window_.counts(broadcast.epoch)) {
    card_->take(broadcast.epoch, is_root_ ? std::span<std::byte>() : broadcast.message);
    window_.take(broadcast.epoch);
    return true;
  }
  start_again(broadcast);
  return false;
}

bool RelayMember::run(Relayed& broadcast, const wait::Policy& policy) {
  bool is_done = false;
  wait_on(
      *card_, policy,
      [&] {
        is_done = look(broadcast);
        return is_done || window_.is_frozen();
      },
      [&] {
        return window_.is_frozen() ||
               (broadcast.is_started ? card_->has_ended(broadcast.epoch) : card_->has_room(broadcast.epoch));
      });
  return is_done;
}

void RelayMember::freeze() {
  window_.freeze([this](std::uint32_t epoch) { return card_->has_ended(epoch); });
}

std::span<std::byte> RelayMember::kept(std::uint32_t epoch) {
  Kept& found = kept_[epoch % kept_.size()];
  return found.epoch.load(std::memory_order_acquire) == epoch ? std::span<std::byte>(found.message)
                                                              : std::span<std::byte>();
}

} // namespace thalweg::nic
