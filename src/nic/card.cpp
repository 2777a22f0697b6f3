// SPDX-License-Identifier: BSD-3-Clause
#include "nic/card.hpp"

#include "base/error.hpp"

#include <algorithm>

namespace thalweg::nic {

namespace {

// Ranks that share cores are given theirs back some milliseconds later, so it takes more than those to be
// lost.
constexpr std::uint64_t first_patience_ns = 5'000'000;
constexpr std::uint64_t longest_patience_ns = 160'000'000;

// Ends wake, so it is early given up to yield, as in shared memory, and sleeps end by themselves only to look
// after others.
constexpr std::uint32_t longest_yield_us = 200;
constexpr std::uint32_t shortest_sleep_us = 5000;

struct SleepingOnCard : wait::System {
  void sleep_us(std::uint32_t duration) {
    card->sleep_unless(*has_come, std::max(duration, shortest_sleep_us));
  }
  WaitTarget* card;
  const std::function<bool()>* has_come;
};

} // namespace

bool Patience::is_over() {
  const std::uint64_t now_ns = wait::System::now_ns();
  if (due_ns == 0) {
    length_ns = first_patience_ns;
    due_ns = now_ns + length_ns;
  }
  if (now_ns < due_ns)
    return false;
  length_ns = std::min(2 * length_ns, longest_patience_ns);
  due_ns = now_ns + length_ns;
  return true;
}

void throw_if_lost(WaitTarget& card) {
  if (const std::string loss = card.loss(); !loss.empty())
    throw Error(loss, "have it started again before the next job: thalweg nic serve", thalweg_error_system);
}

void wait_on(WaitTarget& card, const wait::Policy& policy, const std::function<bool()>& look,
             const std::function<bool()>& has_come) {
  wait::Policy sleeping = policy;
  sleeping.settings.yield_us = std::min(policy.settings.yield_us, longest_yield_us);
  const auto look_once = [&] { return look() ? wait::Look::reached : wait::Look::nothing; };
  wait::until(sleeping, look_once, SleepingOnCard{{}, &card, &has_come});
}

} // namespace thalweg::nic
