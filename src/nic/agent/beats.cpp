// SPDX-License-Identifier: BSD-3-Clause

// How groups go on: what agents tell each other of them, what a host's ranks are told, and starting again on
// behalf of ranks that do not look: those that compute, or have left a reduce or a broadcast.

#include "nic/agent/registry.hpp"
#include "nic/beat.hpp"
#include "nic/datagram.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <sys/socket.h>

namespace thalweg::nic {

namespace {

// Longer than an aggregator is asked for a group (agent/enrollments.cpp).
constexpr std::chrono::seconds patience_when_new{5};
// Of a card without ranks, after which it speaks of a group no more: else each one above would keep the group
// for ten seconds longer than the one below.
constexpr std::chrono::seconds spoken_of{3};
constexpr std::chrono::milliseconds idle_tick{1000};

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

void Registry::look(std::uint32_t index, Group& group, Group::Clock::time_point now) const {
  group.watch().look(group.view().segment_bytes == 0
                         ? programs_.state(index)
                         : as_gathered(programs_.relay(index), group.view(), group.page()),
                     now);
}

void Registry::announce(Group& group) {
  group.announce();
  report_to_neighbors(group);
}

// One that does not hear of it forgets the group later.
void Registry::dissolve(Group& group) const {
  if (group.presence().is_dissolved())
    return;
  group.presence().dissolve();
  Beat beat = group.watch().beat_for(0, Group::Clock::now());
  beat.departure = {THALWEG_NIC_DISSOLVED, -1, 0, 0, {}};
  for (const std::uint32_t neighbor : group.watch().neighbors())
    neighbors_.send(neighbor, write_beat(beat));
}

void Registry::report_to_neighbors(const Group& group) const {
  for (const std::uint32_t neighbor : group.watch().neighbors())
    neighbors_.send(neighbor, write_beat(group.watch().beat_for(neighbor, Group::Clock::now())));
}

void Registry::beat() {
  const Group::Clock::time_point now = Group::Clock::now();
  neighbors_.begin_round(now);
  neighbors_.forget_old(now);
  for (auto& [index, group] : groups_) {
    if (group.presence().is_dissolved() ||
        (group.view().locals == 0 && now - group.presence().left() > spoken_of))
      continue;
    look(index, group, now);
    bool is_news = false;
    if ((group.presence().has_ranks() || group.view().locals == 0) &&
        group.watch().departure().kind == THALWEG_NIC_NOBODY_LEFT)
      for (const std::uint32_t neighbor : group.watch().neighbors()) {
        if (neighbors_.is_silent(neighbor, now, group.presence().made()))
          is_news |= group.watch().lose(neighbor, THALWEG_NIC_HOST_SILENT);
        if (neighbors_.has_no_agent(neighbor, group.presence().made()))
          is_news |= group.watch().lose(neighbor, THALWEG_NIC_AGENT_ENDED);
      }
    if (is_news)
      announce(group);
    else
      report_to_neighbors(group);
  }
}

// It is one that was left long ago here, or one that went with an agent before this one. Those who speak of
// it are told, as no rank may be here that notices.
void Registry::report_unknown(std::uint32_t from, const Beat& beat) const {
  if (beat.departure.kind != THALWEG_NIC_NOBODY_LEFT)
    return;
  Beat answer{beat.group, beat.key, {}, 0, {THALWEG_NIC_AGENT_ENDED, -1, 0, 0, {}}, {}};
  std::strncpy(answer.host, host_.c_str(), sizeof answer.host - 1);
  std::strncpy(answer.departure.host, host_.c_str(), sizeof answer.departure.host - 1);
  neighbors_.send_once({from, agent_port}, write_beat(answer));
}

void Registry::hear(std::uint32_t from, std::span<const std::byte> datagram) {
  std::optional<Beat> beat = read_beat(datagram);
  const auto found = std::ranges::find_if(
      groups_, [&](const auto& entry) { return beat && entry.second.view().id == beat->group; });
  if (beat && found == groups_.end()) {
    report_unknown(from, *beat);
    return;
  }
  if (!beat || found->second.view().key != beat->key || !found->second.watch().is_neighbor(from)) {
    ++refused_;
    return;
  }
  Group& group = found->second;
  const Group::Clock::time_point now = Group::Clock::now();
  if (beat->departure.kind == THALWEG_NIC_DISSOLVED) {
    dissolve(group);
    return;
  }
  // Where no rank is, a group is kept for as long as others below speak of it: two cards without ranks must
  // not keep each other's.
  if (group.view().locals == 0 && !group.is_above(from))
    group.presence().renew(now);
  // Ranks join a group while its aggregator is asked for it, and that one does not know it before.
  if (beat->departure.kind == THALWEG_NIC_AGENT_ENDED && now - group.presence().made() < patience_when_new)
    beat->departure = {};
  if (group.watch().hear(from, *beat, now))
    announce(group);
}

StuckEpochs Registry::stuck(std::uint32_t index, const Group& group) const {
  return group.view().segment_bytes != 0 ? stuck_epochs(programs_.relay(index), group.view())
                                         : stuck_epochs(programs_.state(index), group.view());
}

bool Registry::is_needed(std::uint32_t index, const Group& group) const {
  return group.view().segment_bytes != 0 && group.watch().departure().kind == THALWEG_NIC_NOBODY_LEFT &&
         stuck(index, group) != StuckEpochs{};
}

int Registry::start_again() {
  for (auto& [index, group] : groups_) {
    const Member* const member = members_.any_of(index);
    const int socket = member != nullptr ? member->start.number() : group.last_start().number();
    for (const std::uint32_t epoch : group.restarts().due(stuck(index, group), Group::Clock::now()))
      if (epoch != 0)
        start(socket, group.view(), epoch);
  }
  return static_cast<int>((groups_.empty() ? idle_tick : Restarts::first_patience).count());
}

} // namespace thalweg::nic
