// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A rank may be in several teams, and others wait for what it has started in any of them. So whoever waits in
// one of them lets the others go on.

#include "wait/policy.hpp"

#include <atomic>
#include <mutex>

namespace thalweg::teams {

/// What a team has under way, as waits in other teams see it.
class Visited {
public:
  Visited() = default;
  virtual ~Visited() = default;
  Visited(const Visited&) = delete;
  Visited& operator=(const Visited&) = delete;

  /// Held by whoever is in a call of the team: nobody visits it meanwhile. Calls may come from callbacks of a
  /// call.
  std::recursive_mutex& in_call() { return in_call_; }
  virtual bool has_under_way() const = 0;
  /// At the end of each call, and of each visit: others see by a count whether any team has to be visited.
  void note_under_way() { note(has_under_way()); }
  /// Goes on without waiting. Failures are kept for the team's own next call.
  virtual wait::Visit go_on() noexcept = 0;

private:
  friend class Visits;
  friend bool others_have_under_way(const Visited& own);
  void note(bool has_any);

  std::recursive_mutex in_call_;
  bool is_noted_ = false;
};

/// As long as there is one, waits in other teams visit that team. Nobody is in a call of it at the end.
class Visits {
public:
  explicit Visits(Visited& team);
  ~Visits();
  Visits(const Visits&) = delete;
  Visits& operator=(const Visits&) = delete;

private:
  Visited& team_;
};

/// How many teams of the process have something under way.
inline constinit std::atomic<int> teams_under_way{0};

/// Does any team but this one have something under way?
inline bool others_have_under_way(const Visited& own) {
  return teams_under_way.load(std::memory_order_relaxed) > (own.is_noted_ ? 1 : 0);
}
/// Has those go on.
wait::Visit visit_others(const Visited& own);

} // namespace thalweg::teams
