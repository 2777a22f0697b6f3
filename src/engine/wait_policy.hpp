#pragma once

// How to wait when others may need the core: poll, then yield, then sleep, ever longer.
//
// A waiter is made when a wait begins; pause() is called after each unsuccessful look. For the first `poll_us` it returns
// at once; then it gives the core to any rank that can run (sched_yield), which costs under a microsecond where nobody
// wants it; after `yield_us` more it sleeps, doubling from `sleep_us_min` to `sleep_us_max`, so that a long wait costs no
// CPU and a foreign busy process takes no whole time slice per look.

#include <cstdint>

namespace thalweg::engine {

struct WaitSettings {
  std::uint32_t poll_us = 0;
  std::uint32_t yield_us = 1000;
  std::uint32_t sleep_us_min = 20;
  std::uint32_t sleep_us_max = 1000;
};

// The clock and the scheduler; replaced in tests.
struct WaitSystem {
  static std::uint64_t now_ns();
  static void relax();
  static void yield();
  static void sleep_us(std::uint32_t duration);
};

template <class System = WaitSystem>
class BasicWaiter {
public:
  explicit BasicWaiter(const WaitSettings& settings, System system = {})
      : settings_(settings), system_(system), sleep_us_(settings.sleep_us_min) {}

  void pause() {
    if (stage_ == Stage::begin) {
      begin_ns_ = system_.now_ns();
      stage_ = settings_.poll_us > 0 ? Stage::poll : Stage::yield;
    }
    if (stage_ != Stage::sleep) {
      advance((system_.now_ns() - begin_ns_) / 1000);
    }
    switch (stage_) {
    case Stage::begin:
    case Stage::poll:
      system_.relax();
      break;
    case Stage::yield:
      system_.yield();
      break;
    case Stage::sleep:
      system_.sleep_us(sleep_us_);
      sleep_us_ = sleep_us_ < settings_.sleep_us_max / 2 ? sleep_us_ * 2 : settings_.sleep_us_max;
      break;
    }
  }

  // Something moved: the wait begins anew.
  void reset() {
    stage_ = Stage::begin;
    sleep_us_ = settings_.sleep_us_min;
  }

private:
  enum class Stage { begin, poll, yield, sleep };

  void advance(std::uint64_t waited_us) {
    if (stage_ == Stage::poll && waited_us >= settings_.poll_us) {
      stage_ = Stage::yield;
    }
    if (stage_ == Stage::yield && waited_us >= std::uint64_t{settings_.poll_us} + settings_.yield_us) {
      stage_ = Stage::sleep;
    }
  }

  WaitSettings settings_;
  System system_;
  Stage stage_ = Stage::begin;
  std::uint64_t begin_ns_ = 0;
  std::uint32_t sleep_us_;
};

using Waiter = BasicWaiter<>;

} // namespace thalweg::engine
