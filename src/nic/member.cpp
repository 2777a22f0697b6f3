#include "nic/member.hpp"

#include "core/error.hpp"

#include <algorithm>

namespace thalweg::nic {

namespace {

// Ranks that share cores are given theirs back some milliseconds later, so it takes more than those to be
// lost.
constexpr std::uint64_t first_patience_ns = 5'000'000;
constexpr std::uint64_t longest_patience_ns = 160'000'000;

} // namespace

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
  const std::uint64_t now_ns = wait::System::now_ns();
  if (operation.due_ns == 0) {
    operation.patience_ns = first_patience_ns;
    operation.due_ns = now_ns + first_patience_ns;
  }
  if (now_ns < operation.due_ns)
    return;
  if (const std::string loss = card_->loss(); !loss.empty())
    throw Error(loss, "have it started again before the next job: thalweg nic serve", thalweg_error_system);
  card_->start(operation.epoch, operation.content);
  operation.patience_ns = std::min(2 * operation.patience_ns, longest_patience_ns);
  operation.due_ns = now_ns + operation.patience_ns;
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

namespace {

// Ends wake, so it is early given up to yield, as in shared memory, and sleeps end by themselves only to look
// after others.
constexpr std::uint32_t longest_yield_us = 200;
constexpr std::uint32_t shortest_sleep_us = 5000;

struct SleepingOnCard : wait::System {
  void sleep_us(std::uint32_t duration) {
    card->sleep_unless(*has_come, std::max(duration, shortest_sleep_us));
  }
  Card* card;
  const std::function<bool()>* has_come;
};

} // namespace

void Member::run(Underway& operation, const wait::Policy& policy) {
  wait::Policy sleeping = policy;
  sleeping.settings.yield_us = std::min(policy.settings.yield_us, longest_yield_us);
  const auto look_once = [&] { return look(operation) ? wait::Look::reached : wait::Look::nothing; };
  const std::function<bool()> has_come = [&] {
    return operation.is_started ? card_->has_ended(operation.epoch) : may_start(operation.epoch);
  };
  wait::until(sleeping, look_once, SleepingOnCard{{}, card_.get(), &has_come});
}

} // namespace thalweg::nic
