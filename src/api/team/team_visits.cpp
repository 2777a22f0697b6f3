// SPDX-License-Identifier: BSD-3-Clause
#include "team/team_visits.hpp"

#include <algorithm>
#include <vector>

namespace thalweg::teams {

namespace {

/// All teams of the process.
struct Everybody {
  std::recursive_mutex mutex;
  bool is_visiting = false; // a callback may wait in turn, of the same thread
  std::vector<Visited*> teams;
};

Everybody& everybody() {
  static Everybody all;
  return all;
}

/// Calls `visit` with each team but one that has something under way, and that no other thread is in a call
/// of. Not where a thread does that already.
template <typename Visit>
void each_other(const Visited& own, Visit visit) {
  Everybody& all = everybody();
  const std::unique_lock lock(all.mutex, std::try_to_lock);
  if (!lock.owns_lock() || all.is_visiting)
    return;
  all.is_visiting = true;
  for (Visited* const other : all.teams) {
    const std::unique_lock idle(other->in_call(), std::try_to_lock);
    if (other == &own || !idle.owns_lock() || !other->has_under_way())
      continue;
    visit(*other);
    other->note_under_way();
  }
  all.is_visiting = false;
}

} // namespace

void Visited::note(bool has_any) {
  if (has_any != is_noted_)
    teams_under_way.fetch_add(has_any ? 1 : -1, std::memory_order_relaxed);
  is_noted_ = has_any;
}

Visits::Visits(Visited& team) : team_(team) {
  const std::scoped_lock lock(everybody().mutex);
  everybody().teams.push_back(&team_);
}

Visits::~Visits() {
  const std::scoped_lock lock(everybody().mutex);
  team_.note(false);
  std::erase(everybody().teams, &team_);
}

wait::Visit visit_others(const Visited& own) {
  wait::Visit all = wait::Visit::idle;
  if (!others_have_under_way(own))
    return all;
  each_other(own, [&](Visited& other) { all = std::max(all, other.go_on()); });
  return all;
}

} // namespace thalweg::teams
