#pragma once

// A rank may be in several teams, and others wait for what it has started in any of them. So whoever waits in
// one of them lets the others go on.

#include "wait/policy.hpp"

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
  /// Goes on without waiting. Failures are kept for the team's own next call.
  virtual wait::Visit go_on() noexcept = 0;

private:
  std::recursive_mutex in_call_;
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

/// Does any team but this one have something under way, as far as nobody is in a call of it?
bool others_have_under_way(const Visited& own);
/// Has those go on.
wait::Visit visit_others(const Visited& own);

} // namespace thalweg::teams
