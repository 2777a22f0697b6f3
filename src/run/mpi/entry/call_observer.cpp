// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/entry/call_observer.hpp"

#include "mpi/record/recording.hpp"
#include "mpi/state/process_state.hpp"
#include "mpi/trace/followed_span.hpp"

namespace thalweg::mpi {

std::uint64_t* notify(const CallEvent& event) {
  std::uint64_t* const counted = process.observation.messages ? record_ended(event) : nullptr;
  if (process.observation.traces) [[unlikely]]
    follow_ended(event);
  return counted;
}

} // namespace thalweg::mpi
