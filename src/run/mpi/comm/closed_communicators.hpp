// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What is kept of communicators that the program has freed: when this rank was in some of their calls.
// Programs free them by the ten thousand, so it is kept of a few only: those with the most calls, which are
// the same on all ranks.

#include <cstdint>
#include <map>
#include <utility>

#include "mpi/observe/samples.hpp"

namespace thalweg::mpi {

struct ClosedCommunicator {
  int size = 0;
  int rank = 0;
  observe::SampleStore samples;
};

class ClosedCommunicators {
public:
  static constexpr std::size_t max_kept = 256;

  // `calls` and `id` are equal on all ranks of the communicator.
  void add(std::uint64_t calls, std::uint64_t id, ClosedCommunicator closed) {
    kept_.try_emplace({calls, id}, std::move(closed));
    if (kept_.size() > max_kept)
      kept_.erase(kept_.begin());
  }

  // Calls `visit(id, closed)` for each.
  template <class Visit>
  void for_each(Visit visit) const {
    for (const auto& [key, closed] : kept_)
      visit(key.second, closed);
  }

private:
  std::map<std::pair<std::uint64_t, std::uint64_t>, ClosedCommunicator> kept_;
};

} // namespace thalweg::mpi
