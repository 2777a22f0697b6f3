// Starting again on behalf of ranks that do not look: those that compute, or have left a reduce.

#include "nic/agent/registry.hpp"

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
  const thalweg_nic_content none{};
  thalweg_nic_packet packet{};
  thalweg_nic_write(&packet, &view, THALWEG_NIC_START, epoch, &none);
  [[maybe_unused]] const ssize_t sent = send(socket, &packet, sizeof packet, MSG_DONTWAIT | MSG_NOSIGNAL);
}

} // namespace

int Registry::socket_of(std::uint32_t index, const Group& group) const {
  const auto members = members_ | std::views::values;
  const auto found = std::ranges::find(members, index, &Member::index);
  return found == members.end() ? group.last_socket : (*found).socket;
}

void Registry::start_again(std::uint32_t index, Group& group) const {
  const Clock::time_point now = Clock::now();
  const thalweg_nic_state state = programs_.state(index);
  for (std::size_t place = 0; place < group.overdue.size(); ++place) {
    const thalweg_nic_slot& slot = state.slots[place];
    Overdue& overdue = group.overdue[place];
    if (slot.finished != 0 || slot.arrived != thalweg_nic_all(&group.view))
      continue;
    if (overdue.epoch != slot.epoch) {
      overdue = {slot.epoch, tick, now + tick};
    } else if (now >= overdue.due) {
      start(socket_of(index, group), group.view, slot.epoch);
      overdue.patience = std::min<Clock::duration>(2 * overdue.patience, longest_patience);
      overdue.due = now + overdue.patience;
    }
  }
}

int Registry::start_again() {
  for (auto& [index, group] : groups_)
    if (group.view.has_parent != 0)
      start_again(index, group);
  return static_cast<int>((groups_.empty() ? idle_tick : tick).count());
}

} // namespace thalweg::nic
