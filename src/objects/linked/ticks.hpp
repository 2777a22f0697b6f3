#pragma once

// A clock that is read for each message: the processor's, where it has one that runs evenly.

#include "wait/system.hpp"

#include <cstdint>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace thalweg::objects {

inline std::uint64_t ticks() {
#if defined(__x86_64__)
  return __rdtsc(); // 8 ns, and 20 ns that of the system
#else
  return wait::System::now_ns();
#endif
}

/// How long ticks are, found out while time goes by.
class TickLength {
public:
  double seconds() const {
    const std::uint64_t passed = ticks() - begin_ticks_;
    return passed == 0
               ? 0
               : 1e-9 * static_cast<double>(wait::System::now_ns() - begin_ns_) / static_cast<double>(passed);
  }

private:
  std::uint64_t begin_ticks_ = ticks();
  std::uint64_t begin_ns_ = wait::System::now_ns();
};

} // namespace thalweg::objects
