#pragma once

// Calls that are known to be the library's own business, where a run makes no report and does not learn: the
// tuning file says so, or nothing was chosen for them. The entry points pass them on before they look at
// anything else, as the shortest calls take no longer than a few such looks.

#include <array>
#include <atomic>
#include <cstdint>

#include "mpi/collective_call.hpp"
#include "mpi/progress.hpp"

namespace thalweg::mpi {

// A call's arguments but for its buffers, which decide nothing here.
struct CallWords {
  MPI_Comm comm{};
  MPI_Count sendcount = 0;
  MPI_Count recvcount = 0;
  MPI_Datatype sendtype{};
  MPI_Datatype recvtype{};
  MPI_Op op{};
  int root = 0;

  bool operator==(const CallWords&) const = default;
};

struct PassedCall {
  CallWords words;
  std::uint32_t epoch = 0;
};

// The last such call of each function that has a place here (CollectiveForm::place).
inline constinit thread_local std::array<PassedCall, passed_functions> passed_calls{};

// Raised when choices or communicators change, so that all threads forget their calls.
inline constinit std::atomic<std::uint32_t> passing_epoch{1};

inline bool is_passed(std::size_t place, const CallWords& words) {
  const PassedCall& known = passed_calls[place];
  return known.words == words && known.epoch == passing_epoch.load(std::memory_order_relaxed) &&
         executions_in_flight.load(std::memory_order_relaxed) == 0;
}

inline void forget_passed_calls() {
  passing_epoch.fetch_add(1, std::memory_order_relaxed);
}

// Calls like this one are passed on until something changes.
void pass_on_calls_like(const CollectiveCall& call);

} // namespace thalweg::mpi
