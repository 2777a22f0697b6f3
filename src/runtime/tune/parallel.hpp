// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The same work on many things, on all cores.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <thread>
#include <vector>

namespace thalweg::tune {

/// Calls `work(0)` to `work(count - 1)`, several at a time and in no certain order. If some throw, the one
/// with the smallest number does.
template <typename Work>
void for_each_index(std::size_t count, Work&& work) {
  // Each simulation of hundreds of ranks takes a few hundred megabytes, so not all cores of a large node take
  // one.
  constexpr std::size_t max_workers = 8;
  const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
  std::vector<std::exception_ptr> failures(count);
  std::atomic<std::size_t> next = 0;
  const auto go_on = [&] {
    for (std::size_t index = next++; index < count; index = next++)
      try {
        work(index);
      } catch (...) {
        failures[index] = std::current_exception();
      }
  };
  {
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < std::min({cores, max_workers, count}); ++i)
      others.emplace_back(go_on);
    go_on();
  }
  for (const std::exception_ptr& failure : failures)
    if (failure)
      std::rethrow_exception(failure);
}

} // namespace thalweg::tune
