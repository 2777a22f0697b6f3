// SPDX-License-Identifier: BSD-3-Clause
#include "nic/agent/registry.hpp"

#include "nic/looking.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

// What agents tell each other, and what a host's ranks are known of it.

namespace thalweg::nic {

namespace {

// Longer than an aggregator is asked for a group (agent/enrollments.cpp).
constexpr std::chrono::seconds patience_when_new{5};
// Of a card without ranks, after which it speaks of a group no more: else each one above would keep the group
// for ten seconds longer than the one below.
constexpr std::chrono::seconds spoken_of{3};

} // namespace

void Registry::look(std::uint32_t index, Group& group, Clock::time_point now) const {
  group.watch.look(group.view.segment_bytes == 0
                       ? programs_.state(index)
                       : as_gathered(programs_.relay(index), group.view, *group.page),
                   now);
}

void Registry::announce(Group& group) {
  const thalweg_nic_departure& departure = group.watch.departure();
  // Ranks look at the kind first.
  thalweg_nic_departure& known = group.departure();
  __atomic_store_n(&known.kind, THALWEG_NIC_NOBODY_LEFT, __ATOMIC_RELEASE);
  known.rank = departure.rank;
  known.after = departure.after;
  std::copy_n(departure.host, sizeof departure.host, known.host);
  __atomic_store_n(&known.kind, departure.kind, __ATOMIC_RELEASE);
  report_to_neighbors(group);
}

// One that does not hear of it forgets the group later.
void Registry::dissolve(Group& group) const {
  if (group.is_dissolved)
    return;
  group.is_dissolved = true;
  Beat beat = group.watch.beat_for(0, Clock::now());
  beat.departure = {THALWEG_NIC_DISSOLVED, -1, 0, 0, {}};
  for (const std::uint32_t neighbor : group.watch.neighbors())
    neighbors_.send(neighbor, write_beat(beat));
}

void Registry::report_to_neighbors(const Group& group) const {
  for (const std::uint32_t neighbor : group.watch.neighbors())
    neighbors_.send(neighbor, write_beat(group.watch.beat_for(neighbor, Clock::now())));
}

void Registry::beat() {
  const Clock::time_point now = Clock::now();
  neighbors_.begin_round(now);
  neighbors_.forget_old(now);
  for (auto& [index, group] : groups_) {
    if (group.is_dissolved || (group.view.locals == 0 && now - group.left > spoken_of))
      continue;
    look(index, group, now);
    bool is_news = false;
    if ((group.present != 0 || group.view.locals == 0) &&
        group.watch.departure().kind == THALWEG_NIC_NOBODY_LEFT)
      for (const std::uint32_t neighbor : group.watch.neighbors()) {
        if (neighbors_.is_silent(neighbor, now, group.made))
          is_news |= group.watch.lose(neighbor, THALWEG_NIC_HOST_SILENT);
        if (neighbors_.has_no_agent(neighbor, group.made))
          is_news |= group.watch.lose(neighbor, THALWEG_NIC_AGENT_ENDED);
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

bool Registry::is_above(const Group& group, std::uint32_t address) {
  return group.view.has_parent != 0 && group.view.parent.address == address;
}

void Registry::hear(std::uint32_t from, std::span<const std::byte> datagram) {
  std::optional<Beat> beat = read_beat(datagram);
  const auto found = std::ranges::find_if(
      groups_, [&](const auto& entry) { return beat && entry.second.view.id == beat->group; });
  if (beat && found == groups_.end()) {
    report_unknown(from, *beat);
    return;
  }
  if (!beat || found->second.view.key != beat->key || !found->second.watch.is_neighbor(from)) {
    ++refused_;
    return;
  }
  if (beat->departure.kind == THALWEG_NIC_DISSOLVED) {
    dissolve(found->second);
    return;
  }
  // Where no rank is, a group is kept for as long as others below speak of it: two cards without ranks must
  // not keep each other's.
  if (found->second.view.locals == 0 && !is_above(found->second, from))
    found->second.left = Clock::now();
  // Ranks join a group while its aggregator is asked for it, and that one does not know it before.
  if (beat->departure.kind == THALWEG_NIC_AGENT_ENDED &&
      Clock::now() - found->second.made < patience_when_new)
    beat->departure = {};
  if (found->second.watch.hear(from, *beat, Clock::now()))
    announce(found->second);
}

} // namespace thalweg::nic
