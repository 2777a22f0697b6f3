// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/record/one_sided.hpp"
#include "base/of_process.hpp"

#include <map>
#include <mutex>
#include <vector>

#include "mpi/comm/world_ranks.hpp"
#include "mpi/observe/pattern_phases.hpp"
#include "mpi/observe/traffic_table.hpp"
#include "mpi/record/messages.hpp"

namespace thalweg::mpi {

namespace {

struct KnownWindows {
  std::mutex mutex;
  std::map<MPI_Win, std::vector<int>> world_ranks;
};

KnownWindows& known_windows() {
  return of_process<KnownWindows>();
}

std::vector<int> ranks_of_window(MPI_Win window) {
  MPI_Group group{};
  if (native.Win_get_group(window, &group) != MPI_SUCCESS)
    return {};
  std::vector<int> ranks = world_ranks_of(group);
  native.Group_free(&group);
  return ranks;
}

int world_rank_in(MPI_Win window, int target) {
  KnownWindows& all = known_windows();
  const std::lock_guard lock(all.mutex);
  const auto [entry, fresh] = all.world_ranks.try_emplace(window);
  if (fresh)
    entry->second = ranks_of_window(window);
  const auto place = static_cast<std::size_t>(target);
  return place < entry->second.size() ? entry->second[place] : -1;
}

} // namespace

void record_one_sided(const observe::CallRow& row, MPI_Win window, int target, std::uint64_t written,
                      std::uint64_t read) {
  const int peer = target < 0 ? -1 : world_rank_in(window, target);
  if (peer < 0)
    return;
  if (written > 0)
    observe::traffic_table().add({&row, by_call, peer, observe::pattern_phase}, written, 1);
  if (read > 0)
    observe::traffic_table().add({&row, by_read, peer, observe::pattern_phase}, read, 1);
}

void recorded_window_freed(MPI_Win window) {
  KnownWindows& all = known_windows();
  const std::lock_guard lock(all.mutex);
  all.world_ranks.erase(window);
}

} // namespace thalweg::mpi
