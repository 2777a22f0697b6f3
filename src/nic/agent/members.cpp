// SPDX-License-Identifier: BSD-3-Clause

// Starting again on behalf of ranks that do not look: those that compute, or have left a reduce or a
// broadcast.

#include "nic/agent/registry.hpp"

#include "nic/datagram.hpp"

#include <algorithm>
#include <ranges>
#include <sys/socket.h>

namespace thalweg::nic {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds idle_tick{1000};
constexpr milliseconds tick{10};
constexpr milliseconds longest_patience{160};

// The program knows by the socket whose start it is, and what that one has brought.
void start(int socket, const thalweg_nic_group& view, std::uint32_t epoch) {
  const Datagram datagram(view, THALWEG_NIC_START, epoch, {});
  const PartHead question(view, THALWEG_NIC_START, epoch, {.have = 0, .bytes = 0, .segment = 0, .asks = 1});
  const bool relays = view.segment_bytes != 0;
  [[maybe_unused]] const ssize_t sent =
      relays ? send(socket, &question, sizeof question, MSG_DONTWAIT | MSG_NOSIGNAL)
             : send(socket, datagram.data(), datagram.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
}

} // namespace

int Registry::socket_of(std::uint32_t index, const Group& group) const {
  const auto members = members_ | std::views::values;
  const auto found = std::ranges::find(members, index, &Member::index);
  return found == members.end() ? group.last_socket : (*found).socket;
}

StuckEpochs Registry::stuck(std::uint32_t index, const Group& group) const {
  return group.view.segment_bytes != 0 ? stuck_epochs(programs_.relay(index), group.view)
                                       : stuck_epochs(programs_.state(index), group.view);
}

bool Registry::is_needed(std::uint32_t index, const Group& group) const {
  return group.view.segment_bytes != 0 && group.watch.departure().kind == THALWEG_NIC_NOBODY_LEFT &&
         stuck(index, group) != StuckEpochs{};
}

void Registry::start_again(std::uint32_t index, Group& group) const {
  const Clock::time_point now = Clock::now();
  const StuckEpochs epochs = stuck(index, group);
  for (std::size_t place = 0; place < epochs.size(); ++place) {
    const std::uint32_t epoch = epochs[place];
    Overdue& overdue = group.overdue[place];
    if (epoch == 0)
      continue;
    if (overdue.epoch != epoch) {
      overdue = {epoch, tick, now + tick};
    } else if (now >= overdue.due) {
      start(socket_of(index, group), group.view, epoch);
      overdue.patience = std::min<Clock::duration>(2 * overdue.patience, longest_patience);
      overdue.due = now + overdue.patience;
    }
  }
}

int Registry::start_again() {
  for (auto& [index, group] : groups_)
    start_again(index, group);
  return static_cast<int>((groups_.empty() ? idle_tick : tick).count());
}

} // namespace thalweg::nic
