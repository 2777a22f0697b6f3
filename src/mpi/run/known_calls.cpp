#include "mpi/run/known_calls.hpp"

#include "mpi/run/recent_calls.hpp"

namespace thalweg::mpi {

void know_calls_like(const CollectiveCall& call, RecentCall* remembered) {
  if (call.form->place >= 0 && is_told_by_handles(call))
    known_calls[static_cast<std::size_t>(call.form->place)] = {
        words_of(call), call_epoch.load(std::memory_order_relaxed), remembered};
}

} // namespace thalweg::mpi
