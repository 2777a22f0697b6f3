// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/offload/nic_watch.hpp"

#include "base/of_process.hpp"
#include "mpi/state/process_state.hpp"
#include "mpi/state/runtime.hpp"
#include "mpi/wait/polling.hpp"
#include "wait/system.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace thalweg::mpi {

void note_nic(const std::string& text) {
  static std::mutex mutex;
  const std::scoped_lock lock(mutex);
  std::vector<std::string>& notes = runtime.notes.nic;
  if (std::ranges::find(notes, text) == notes.end())
    notes.push_back(text);
}

namespace {

// A look asks the kernel once for each group, and who waits on the devices waits much longer before it takes
// something for lost.
constexpr std::uint64_t pause_ns = 5'000'000;

struct WatchList {
  std::mutex mutex; // of what is added
  std::vector<std::shared_ptr<WatchedNicGroup>> added;
  std::atomic_flag is_looking; // whoever does has the rest; what it calls may come here again
  std::vector<std::shared_ptr<WatchedNicGroup>> groups;
  std::atomic<std::uint64_t> due_ns = 0;
};

WatchList& watched() {
  return of_process<WatchList>();
}

void look_after_all() {
  WatchList& all = watched();
  const std::uint64_t now_ns = wait::System::now_ns();
  if (now_ns < all.due_ns.load(std::memory_order_relaxed) || all.is_looking.test_and_set())
    return;
  {
    const std::scoped_lock lock(all.mutex);
    for (auto& group : all.added)
      all.groups.push_back(std::move(group));
    all.added.clear();
  }
  std::uint64_t longest_ns = pause_ns;
  const std::size_t over = std::erase_if(all.groups, [&](const std::shared_ptr<WatchedNicGroup>& group) {
    return group->go_on(group.use_count() > 1, longest_ns);
  });
  background_ended(static_cast<int>(over));
  all.due_ns.store(now_ns + longest_ns, std::memory_order_relaxed);
  all.is_looking.clear();
}

} // namespace

void watch_nics(std::shared_ptr<WatchedNicGroup> group) {
  WatchList& all = watched();
  const std::scoped_lock lock(all.mutex);
  all.added.push_back(std::move(group));
  process.background.look_after_nics.store(look_after_all, std::memory_order_relaxed);
  background_begun(1);
}

void close_nics() {
  WatchList& all = watched();
  if (process.background.look_after_nics.load(std::memory_order_relaxed) == nullptr)
    return;
  const auto close = [&all](bool& found) {
    all.due_ns.store(0, std::memory_order_relaxed);
    look_after_all();
    if (all.is_looking.test_and_set())
      return MPI_SUCCESS;
    for (const std::shared_ptr<WatchedNicGroup>& group : all.groups)
      group->close();
    found = all.groups.empty();
    all.is_looking.clear();
    return MPI_SUCCESS;
  };
  poll(close);
}

} // namespace thalweg::mpi
