// SPDX-License-Identifier: BSD-3-Clause
#include "place/budget.hpp"

#include <ctime>

namespace thalweg::place {

Budget::Budget(double seconds, std::int64_t proposals, Clock clock, const std::atomic<bool>* stopped)
    : seconds_(seconds), proposals_(proposals), clock_(clock), begin_(now()), stopped_(stopped) {}

double Budget::now() const {
  timespec time{};
  clock_gettime(clock_ == Clock::cpu ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double Budget::elapsed() const {
  return now() - begin_;
}

double Budget::used() const {
  if (stopped_ != nullptr && stopped_->load(std::memory_order_relaxed))
    return 1;
  if (proposals_ > 0)
    return static_cast<double>(spent_) / static_cast<double>(proposals_);
  return seconds_ > 0 ? elapsed() / seconds_ : 1;
}

} // namespace thalweg::place
