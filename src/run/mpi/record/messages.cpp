// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/record/messages.hpp"

#include "base/of_process.hpp"
#include "mpi/comm/communicators.hpp"
#include "mpi/observe/traffic_table.hpp"

#include <map>
#include <mutex>
#include <vector>

namespace thalweg::mpi {

namespace {

struct PersistentMessage {
  const observe::CallRow* row;
  const char* by;
  std::vector<observe::PeerTraffic> peers;
};

struct PersistentMessages {
  std::mutex mutex;
  std::map<MPI_Request, PersistentMessage> messages;
};

PersistentMessages& persistent_messages() {
  return of_process<PersistentMessages>();
}

// A message to another rank than the one before of this call site, or in another phase.
void record_to_other(observe::CallRow& row, std::int32_t peer, std::uint64_t bytes) {
  if (row.traffic == nullptr)
    row.traffic = &observe::traffic_table();
  row.latest_sent = &row.traffic->entry_of({&row, observe::by_call, peer, observe::pattern_phase});
  row.latest_sent->add(bytes, 1);
}

} // namespace

void record_message(observe::CallRow& row, const CommunicatorState& communicator, int destination,
                    std::uint64_t bytes) {
  const std::int32_t peer = communicator.world_rank_of(destination);
  observe::TrafficEntry* const latest = row.latest_sent;
  if (latest != nullptr && latest->key.peer == peer && latest->key.phase == observe::pattern_phase)
    latest->add(bytes, 1);
  else if (peer >= 0)
    record_to_other(row, peer, bytes);
}

void record_persistent(const observe::CallRow& row, const char* by, std::vector<observe::PeerTraffic> peers,
                       MPI_Request request) {
  PersistentMessages& all = persistent_messages();
  const std::lock_guard lock(all.mutex);
  all.messages.insert_or_assign(request, PersistentMessage{&row, by, std::move(peers)});
}

void record_persistent_message(const observe::CallRow& row, const CommunicatorState& communicator,
                               int destination, std::uint64_t bytes, MPI_Request request) {
  if (const std::int32_t peer = communicator.world_rank_of(destination); peer >= 0)
    record_persistent(row, observe::by_call, {{peer, bytes, 1}}, request);
}

void recorded_request_started(MPI_Request request) {
  PersistentMessages& all = persistent_messages();
  const std::lock_guard lock(all.mutex);
  const auto found = all.messages.find(request);
  if (found == all.messages.end())
    return;
  const PersistentMessage& message = found->second;
  for (const observe::PeerTraffic& peer : message.peers)
    observe::traffic_table().add({message.row, message.by, peer.peer, observe::pattern_phase}, peer.bytes,
                                 peer.messages);
}

void recorded_request_freed(MPI_Request request) {
  PersistentMessages& all = persistent_messages();
  const std::lock_guard lock(all.mutex);
  all.messages.erase(request);
}

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
    observe::traffic_table().add({&row, observe::by_call, peer, observe::pattern_phase}, written, 1);
  if (read > 0)
    observe::traffic_table().add({&row, observe::by_read, peer, observe::pattern_phase}, read, 1);
}

void recorded_window_freed(MPI_Win window) {
  KnownWindows& all = known_windows();
  const std::lock_guard lock(all.mutex);
  all.world_ranks.erase(window);
}

} // namespace thalweg::mpi
