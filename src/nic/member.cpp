// SPDX-License-Identifier: BSD-3-Clause
#include "nic/member.hpp"

namespace thalweg::nic {

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
  const Left& left = left_[epoch % THALWEG_NIC_WINDOW];
  return left.epoch.load(std::memory_order_acquire) != before || card_->has_ended(before);
}

void Member::start(Underway& operation) {
  if (may_start(operation.epoch))
    operation.is_started = card_->start(operation.epoch, operation.content);
}

bool Member::has_ended(std::uint32_t epoch) {
  return card_->has_ended(epoch) && window_.counts(epoch);
}

// Where the card is lost, that is found elsewhere.
void Member::start_again(Underway& operation) {
  if (operation.patience.is_over() && !window_.is_frozen() && card_->loss().empty())
    card_->start(operation.epoch, operation.content);
}

bool Member::look(Underway& operation) {
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

bool Member::leave(Underway& operation) {
  if (!operation.is_started)
    start(operation);
  if (!operation.is_started)
    return false;
  Left& left = left_[operation.epoch % THALWEG_NIC_WINDOW];
  thalweg_nic_copy(&left.content, &operation.content);
  left.epoch.store(operation.epoch, std::memory_order_release);
  window_.take(operation.epoch);
  return true;
}

bool Member::run(Underway& operation, const wait::Policy& policy) {
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

Known Member::known_of(std::uint32_t epoch, thalweg_nic_content& content) {
  const Left& left = left_[epoch % THALWEG_NIC_WINDOW];
  if (window_.is_held(epoch)) {
    content = {};
    card_->read(epoch, content);
    return Known::result;
  }
  if (left.epoch.load(std::memory_order_acquire) == epoch) {
    content = {};
    thalweg_nic_copy(&content, &left.content);
    return Known::contribution;
  }
  return thalweg_nic_later(epoch, window_.last(epoch)) != 0 ? Known::nothing : Known::past;
}

} // namespace thalweg::nic
