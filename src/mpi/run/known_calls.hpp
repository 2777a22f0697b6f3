#pragma once

// The short way from an entry point, where a run makes no report and does not learn: calls that are known to
// be the library's own business, as the tuning file says so or nothing was chosen for them, and repetitions
// of calls that our engine made. The entry points look for them before anything else, as the shortest calls
// take no longer than a few such looks.

#include <array>
#include <atomic>
#include <cstdint>

#include "mpi/call/call_words.hpp"
#include "mpi/state/call_epoch.hpp"
#include "mpi/wait/progress.hpp"

namespace thalweg::mpi {

class RecentCall;

struct KnownCall {
  CallWords words;
  std::uint32_t epoch = 0;
  RecentCall* repeated = nullptr; // null: the library's own
};

// The last such call of each function that has a place here (CollectiveForm::place).
inline constinit thread_local std::array<KnownCall, known_functions> known_calls{};

inline const KnownCall* known_call(std::size_t place, const CallWords& words) {
  const KnownCall& known = known_calls[place];
  const bool is_known = known.words == words && known.epoch == call_epoch.load(std::memory_order_relaxed) &&
                        executions_in_flight.load(std::memory_order_relaxed) == 0;
  return is_known ? &known : nullptr;
}

// Until something changes, calls like this one are passed on, or repeat what is remembered of it if that is
// given.
void know_calls_like(const CollectiveCall& call, RecentCall* remembered);

} // namespace thalweg::mpi
