#pragma once

// Waiting for what arrives in memory: nothing announces it, so one polls, first closely, then giving the core
// away.
//
// Whoever waits here holds up everything that its process has to do for others: the MPI library's transfers
// of the program, other operations of ours. So a policy says who must progress meanwhile, and every wait
// visits them.

#include "wait/waiter.hpp"

#include <cstdint>

namespace thalweg::wait {

struct Policy {
  std::uint32_t polls = 500;           ///< in quick succession, before anything else is done
  Settings settings;                   ///< what is done between polls then
  std::uint32_t pauses_per_visit = 64; ///< how often others are visited meanwhile; after each sleep as well
  void (*progress_others)(void* context) = nullptr;
  void* context = nullptr;
};

/// What a poll found: nothing, something on the way to what is waited for, or that itself.
enum class Look { nothing, moved, reached };

/// Remembers that it slept.
template <typename Base>
struct NoticingSystem : Base {
  NoticingSystem(const Base& base, bool& noted) : Base(base), slept(&noted) {}
  void sleep_us(std::uint32_t duration) {
    *slept = true;
    Base::sleep_us(duration);
  }
  bool* slept;
};

/// Calls `look` until it has reached what it looks for. `system` says how to yield and sleep.
template <typename Looking, typename Base = System>
void until(const Policy& policy, Looking& look, Base system = {}) {
  for (std::uint32_t polls = 0; polls < policy.polls; ++polls)
    if (look() == Look::reached)
      return;
  bool slept = false;
  BasicWaiter<NoticingSystem<Base>> waiter{policy.settings, thread_yield_history(), {system, slept}};
  for (std::uint32_t pauses = 1;; ++pauses) {
    if (policy.progress_others != nullptr && (slept || pauses % policy.pauses_per_visit == 0))
      policy.progress_others(policy.context);
    slept = false;
    waiter.pause();
    const Look found = look();
    if (found == Look::reached)
      return;
    if (found == Look::moved)
      waiter.reset();
  }
}

} // namespace thalweg::wait
