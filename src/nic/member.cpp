// SPDX-License-Identifier: BSD-3-Clause
#include "nic/member.hpp"

#include "base/assertion.hpp"

namespace thalweg::nic {

// Whoever saw an end before this was frozen saw it before the looks here, which see it too. At a place, no
// epoch starts before the end of the one before is known: so there is none behind the next one.
void Window::freeze(const std::function<bool(std::uint32_t)>& has_ended) {
  THALWEG_ASSERT(light, !are_ends_known_.load(std::memory_order_relaxed)); // once
  is_frozen_.store(true, std::memory_order_seq_cst);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  for (std::uint32_t place = 0; place < THALWEG_NIC_WINDOW; ++place) {
    const std::uint32_t taken = taken_[place].load(std::memory_order_acquire);
    for (const std::uint32_t epoch : {taken, taken + THALWEG_NIC_WINDOW})
      if (has_ended(epoch))
        ends_[place] = epoch;
  }
  are_ends_known_.store(true, std::memory_order_release);
}

WindowEpochs Window::satisfied() const {
  WindowEpochs found{};
  for (std::uint32_t place = 0; place < THALWEG_NIC_WINDOW; ++place)
    found[place] = later_of(ends_[place], taken_[place].load(std::memory_order_acquire));
  return found;
}

// Nothing was left: at each place stands an epoch that is not of it.
Member::Member(std::unique_ptr<Card> card) : card_(std::move(card)) {
  for (std::uint32_t place = 0; place < THALWEG_NIC_WINDOW; ++place)
    left_[place].epoch.store(place + 1, std::memory_order_relaxed);
}

// Of the epoch a window before, whose place this one takes, the end must be known and the result taken.
bool Member::may_start(std::uint32_t epoch) {
  const std::uint32_t before = epoch - THALWEG_NIC_WINDOW;
  if (window_.is_frozen() || window_.last(epoch) != before)
    return false;
  const Contribution& left = left_[epoch % THALWEG_NIC_WINDOW];
  return left.epoch.load(std::memory_order_acquire) != before || card_->has_ended(before);
}

void Member::start(MemberOperation& operation) {
  if (may_start(operation.epoch))
    operation.is_started = card_->start(operation.epoch, operation.content);
}

bool Member::has_ended(std::uint32_t epoch) {
  return card_->has_ended(epoch) && window_.counts(epoch);
}

// Where the card is lost, that is found elsewhere.
void Member::start_again(MemberOperation& operation) {
  if (operation.patience.is_over() && !window_.is_frozen() && card_->loss().empty())
    card_->start(operation.epoch, operation.content);
}

bool Member::look(MemberOperation& operation) {
  THALWEG_ASSERT(normal, operation.content.count <= THALWEG_NIC_ROW);
  if (!operation.is_started)
    start(operation);
  if (!operation.is_started)
    return false;
  if (!has_ended(operation.epoch)) {
    start_again(operation);
    return false;
  }
  card_->read(operation.epoch, operation.content);
  window_.take(operation.epoch);
  return true;
}

bool Member::leave(MemberOperation& operation) {
  if (!operation.is_started)
    start(operation);
  if (!operation.is_started)
    return false;
  Contribution& left = left_[operation.epoch % THALWEG_NIC_WINDOW];
  thalweg_nic_copy(&left.content, &operation.content);
  left.epoch.store(operation.epoch, std::memory_order_release);
  window_.take(operation.epoch);
  return true;
}

bool Member::run(MemberOperation& operation, const wait::Policy& policy) {
  bool is_done = false;
  wait_on(
      *card_, policy,
      [&] {
        is_done = look(operation);
        return is_done || window_.is_frozen();
      },
      [&] {
        return window_.is_frozen() ||
               (operation.is_started ? card_->has_ended(operation.epoch) : may_start(operation.epoch));
      });
  return is_done;
}

void Member::freeze() {
  window_.freeze([this](std::uint32_t epoch) { return card_->has_ended(epoch); });
}

Knowledge Member::known_of(std::uint32_t epoch, thalweg_nic_content& content) {
  const Contribution& left = left_[epoch % THALWEG_NIC_WINDOW];
  if (window_.is_held(epoch)) {
    content = {};
    card_->read(epoch, content);
    return Knowledge::result;
  }
  if (left.epoch.load(std::memory_order_acquire) == epoch) {
    content = {};
    thalweg_nic_copy(&content, &left.content);
    return Knowledge::contribution;
  }
  return thalweg_nic_later(epoch, window_.last(epoch)) != 0 ? Knowledge::nothing : Knowledge::past;
}

// A card takes a message when all below it have the one a window before, and its ranks have taken that. So
// each level of cards may be a window behind the one above, and the ranks of the lowest one more.
RelayMember::RelayMember(std::unique_ptr<RelayCard> card, bool is_root, std::uint32_t levels)
    : card_(std::move(card)), is_root_(is_root),
      kept_(is_root ? std::size_t{THALWEG_NIC_WINDOW} * (levels + 1) : 0) {}

void RelayMember::start(MemberBroadcast& broadcast) {
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
void RelayMember::start_again(MemberBroadcast& broadcast) {
  if (!broadcast.patience.is_over() || window_.is_frozen() || !card_->loss().empty())
    return;
  if (is_root_ && broadcast.is_started)
    card_->put(broadcast.epoch, broadcast.message);
  else
    card_->ask(broadcast.epoch);
}

bool RelayMember::look(MemberBroadcast& broadcast) {
  THALWEG_ASSERT(normal, !broadcast.message.empty());
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

bool RelayMember::run(MemberBroadcast& broadcast, const wait::Policy& policy) {
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
  THALWEG_ASSERT(normal, is_root_);
  Kept& found = kept_[epoch % kept_.size()];
  return found.epoch.load(std::memory_order_acquire) == epoch ? std::span<std::byte>(found.message)
                                                              : std::span<std::byte>();
}

} // namespace thalweg::nic
