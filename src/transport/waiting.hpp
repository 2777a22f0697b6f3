#pragma once

// Waiting for messages that arrive in memory: nothing tells when, so one looks, first closely, then politely.

#include "core/wait_policy.hpp"

#include <cstdint>

namespace thalweg::transport {

struct Waiting {
  std::uint32_t looks = 500;           ///< in quick succession, before anything else is done
  WaitSettings settings;               ///< what is done between looks then
  std::uint32_t pauses_per_visit = 64; ///< how often `visit` is called meanwhile; after each sleep as well
  void (*visit)(void* with) = nullptr; ///< looks after something else that must go on
  void* with = nullptr;
};

enum class Look { nothing, moved, reached };

/// Remembers that it slept.
template <typename System>
struct NoticingSystem : System {
  NoticingSystem(const System& system, bool& noted) : System(system), slept(&noted) {}
  void sleep_us(std::uint32_t duration) {
    *slept = true;
    System::sleep_us(duration);
  }
  bool* slept;
};

/// Calls `look` until it has reached what it looks for. `system` says how to yield and sleep.
template <typename Looking, typename System = WaitSystem>
void wait_until(const Waiting& waiting, Looking& look, System system = {}) {
  for (std::uint32_t looks = 0; looks < waiting.looks; ++looks)
    if (look() == Look::reached)
      return;
  bool slept = false;
  BasicWaiter<NoticingSystem<System>> waiter{waiting.settings, thread_climate(), {system, slept}};
  for (std::uint32_t pauses = 1;; ++pauses) {
    if (waiting.visit != nullptr && (slept || pauses % waiting.pauses_per_visit == 0))
      waiting.visit(waiting.with);
    slept = false;
    waiter.pause();
    const Look found = look();
    if (found == Look::reached)
      return;
    if (found == Look::moved)
      waiter.reset();
  }
}

} // namespace thalweg::transport
