#include "nic/relay_member.hpp"

namespace thalweg::nic {

RelayMember::RelayMember(std::unique_ptr<RelayCard> card, bool is_root)
    : card_(std::move(card)), is_root_(is_root) {}

void RelayMember::start(Relayed& broadcast) {
  if (is_root_ && !card_->has_room(broadcast.epoch))
    return;
  broadcast.is_started = true;
  card_->enter(broadcast.epoch);
  if (is_root_)
    card_->put(broadcast.epoch, broadcast.message);
  // Cards above know the way to those below only after they have heard from them.
  else if (broadcast.epoch == 1)
    card_->ask(broadcast.epoch);
}

void RelayMember::start_again(Relayed& broadcast) {
  if (!broadcast.patience.is_over())
    return;
  throw_if_lost(*card_);
  if (is_root_ && broadcast.is_started)
    card_->put(broadcast.epoch, broadcast.message);
  else
    card_->ask(broadcast.epoch);
}

bool RelayMember::look(Relayed& broadcast) {
  if (!broadcast.is_started)
    start(broadcast);
  if (broadcast.is_started && card_->has_ended(broadcast.epoch)) {
    card_->take(broadcast.epoch, is_root_ ? std::span<std::byte>() : broadcast.message);
    return true;
  }
  start_again(broadcast);
  return false;
}

void RelayMember::run(Relayed& broadcast, const wait::Policy& policy) {
  wait_on(
      *card_, policy, [&] { return look(broadcast); },
      [&] {
        return broadcast.is_started ? card_->has_ended(broadcast.epoch) : card_->has_room(broadcast.epoch);
      });
}

} // namespace thalweg::nic
