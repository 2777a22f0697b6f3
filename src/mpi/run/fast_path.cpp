#include "mpi/run/fast_path.hpp"

#include "mpi/run/recent_calls.hpp"

namespace thalweg::mpi {

void cache_on_fast_path(const CollectiveCall& call, RecentCall* remembered) {
  if (call.function->fast_path_slot >= 0 && is_identified_by_handles(call))
    fast_path_cache[static_cast<std::size_t>(call.function->fast_path_slot)] = {
        signature_of(call), call_epoch.load(std::memory_order_relaxed), remembered};
}

} // namespace thalweg::mpi
