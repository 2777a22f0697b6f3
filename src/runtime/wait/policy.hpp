// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Waiting for what arrives in memory: nothing announces it, so one polls, first closely, then giving the core
// away.
//
// Whoever waits here holds up everything that its process has to do for others: the MPI library's transfers
// of the program, other operations of ours. So a policy says who must progress meanwhile, and every wait
// visits them.

#include "base/assertion.hpp"
#include "wait/waiter.hpp"

#include <cstdint>

namespace thalweg::wait {

/// What a visit to others found: nothing to do, nothing yet though something was lately, or something that it
/// did.
enum class Visit { idle, pending, moved };

struct Policy {
  std::uint32_t polls = 500; ///< in quick succession, before anything else is done
  Settings settings;         ///< what is done between polls then
  std::uint32_t pauses_per_visit =
      64; ///< how often idle others are visited meanwhile; after each sleep as well
  Visit (*progress_others)(void* context) = nullptr;
  void* context = nullptr;
};

/// What a poll found: nothing, something on the way to what is waited for, or that itself.
enum class Look { nothing, moved, reached };

/// Remembers that it slept. While others have something pending it sleeps shortly, for nobody wakes it when
/// that arrives.
template <typename Base>
struct NoticingSystem : Base {
  NoticingSystem(const Base& base, bool& noted, const Visit& found)
      : Base(base), slept(&noted), visit(&found) {}
  void sleep_us(std::uint32_t duration) {
    constexpr std::uint32_t shortly_us = 50;
    *slept = true;
    if (*visit == Visit::idle)
      Base::sleep_us(duration);
    else
      System::sleep_us(std::min(duration, shortly_us));
  }
  bool* slept;
  const Visit* visit;
};

/// Calls `look` until it has reached what it looks for. `system` says how to yield and sleep. Others that
/// have something pending are visited between any two pauses, and as often as they move.
template <typename Looking, typename Base = System>
void until(const Policy& policy, Looking& look, Base system = {}) {
  THALWEG_ASSERT(normal, policy.pauses_per_visit > 0);
  for (std::uint32_t polls = 0; polls < policy.polls; ++polls)
    if (look() == Look::reached)
      return;
  bool slept = false;
  Visit visit = Visit::idle;
  BasicWaiter<NoticingSystem<Base>> waiter{policy.settings, thread_yield_history(), {system, slept, visit}};
  constexpr std::uint32_t first_visit = 4; // pauses before it
  for (std::uint32_t pauses = 1;; ++pauses) {
    const bool is_due = slept || visit != Visit::idle ||
                        pauses % policy.pauses_per_visit == first_visit % policy.pauses_per_visit;
    if (policy.progress_others != nullptr && is_due)
      visit = policy.progress_others(policy.context);
    slept = false;
    if (visit == Visit::moved)
      waiter.reset();
    else
      waiter.pause();
    const Look found = look();
    if (found == Look::reached)
      return;
    if (found == Look::moved)
      waiter.reset();
  }
}

} // namespace thalweg::wait
