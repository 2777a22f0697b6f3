#include "nic/member.hpp"

namespace thalweg::nic {

Member::Member(std::unique_ptr<Card> card) : card_(std::move(card)) {
  // As if all epochs before the first had been.
  for (std::uint32_t epoch = 1; epoch <= THALWEG_NIC_WINDOW; ++epoch)
    taken_[epoch % THALWEG_NIC_WINDOW] = epoch - THALWEG_NIC_WINDOW;
}

// Of the epoch a window before, whose place this one takes, the end must be known and the result taken.
bool Member::may_start(std::uint32_t epoch) {
  const std::uint32_t before = epoch - THALWEG_NIC_WINDOW;
  const std::uint32_t place = epoch % THALWEG_NIC_WINDOW;
  return taken_[place].load(std::memory_order_acquire) == before ||
         (left_[place].load(std::memory_order_acquire) == before && card_->has_ended(before));
}

void Member::start(Underway& operation) {
  if (may_start(operation.epoch))
    operation.is_started = card_->start(operation.epoch, operation.content);
}

void Member::start_again(Underway& operation) {
  if (!operation.patience.is_over())
    return;
  throw_if_lost(*card_);
  card_->start(operation.epoch, operation.content);
}

bool Member::look(Underway& operation) {
  if (!operation.is_started)
    start(operation);
  if (!operation.is_started)
    return false;
  if (!card_->has_ended(operation.epoch)) {
    start_again(operation);
    return false;
  }
  card_->read(operation.epoch, operation.content);
  taken_[operation.epoch % THALWEG_NIC_WINDOW].store(operation.epoch, std::memory_order_release);
  return true;
}

bool Member::leave(Underway& operation) {
  if (!operation.is_started)
    start(operation);
  if (operation.is_started)
    left_[operation.epoch % THALWEG_NIC_WINDOW].store(operation.epoch, std::memory_order_release);
  return operation.is_started;
}

void Member::run(Underway& operation, const wait::Policy& policy) {
  wait_on(
      *card_, policy, [&] { return look(operation); },
      [&] { return operation.is_started ? card_->has_ended(operation.epoch) : may_start(operation.epoch); });
}

} // namespace thalweg::nic
