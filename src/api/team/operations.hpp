// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The collectives of a team that are under way, and waiting for them.
//
// A rank may be in several teams, and others wait for what it has started in any of them. So whoever waits in
// one of them lets the others go on, and the library, and what is under way in the same team. Failures of
// what another team's wait let go on are kept for the team's own next call.

#include "base/assertion.hpp"
#include "job/mpi/operator.hpp"
#include "team/plans.hpp"

#include <array>
#include <atomic>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

namespace thalweg::teams {

/// What goes on beside a team's collectives: what ranks do to each other's memory by messages.
class Companion {
public:
  virtual ~Companion() = default;
  /// Goes on without waiting. Did anything move?
  virtual bool progress() = 0;
  /// Has all landed that this rank has begun?
  virtual bool have_all_landed() const = 0;
  /// This rank waits for that, and for nothing else of those who know.
  virtual void ask_for_reports() = 0;
};

/// A collective in flight: what it waits for before, the collective itself, what it waits for after.
///
/// Where ranks are on nodes of their own, others reach symmetric memory alone. A call with `all` at an end
/// agrees then whether any rank's buffers are in such memory, and that all ranks have come. This goes beside
/// the collective, in the same packets, where this rank's own buffers are not. The collective waits for it
/// only where they are, and all wait for all after it only if some are.
class InFlightOperation {
public:
  /// A part that is left out is null. Tags are the parts' own, dealt out when the call was made.
  struct Part {
    BorrowedRunner runner{nullptr, {}};
    engine::Tags tags;
  };
  InFlightOperation(const TeamCall& call, Part before, Part body, Part after);
  /// What the ranks agree on by `agreement`, an all-reduce of a byte. To be called before anything else.
  void agree(Part agreement, bool is_reached);
  /// It begins once all has landed there. To be called before anything else.
  void follow(const Companion& companion) { followed_ = &companion; }

  /// Does what can be done without waiting; true when it has finished.
  bool progress();
  /// Runs to the end, where nothing else is under way.
  void run();
  bool has_finished() const { return at_ == parts_.size() && agreement_.runner == nullptr; }
  /// What runs it, as a text that stays.
  const char* strategy() const { return strategy_; }

private:
  /// Starts it, if it need not wait for what it follows.
  bool begin();
  void start_part();
  void end_part();
  void progress_agreement();
  bool waits_for_agreement() const;

  TeamCall call_;
  std::optional<job::MpiOperator> operator_;
  std::array<Part, 3> parts_;
  std::size_t at_ = 0;
  bool is_in_part_ = false;
  Part agreement_; ///< until it has ended
  std::optional<job::MpiOperator> either_;
  std::byte is_reached_{};      ///< this rank's buffers are
  std::byte is_any_reached_{1}; ///< agreed
  const char* strategy_;
  const Companion* followed_ = nullptr; ///< until it has begun
  bool has_begun_ = false;
};

using OperationPointer = std::shared_ptr<InFlightOperation>;

/// Of a thread, as long as it is in a call of a team, or visits one. The interposer of `thalweg run` lets
/// teams progress in MPI calls, ours among them: not amid such a call.
class InTeams {
public:
  InTeams() { ++depth(); }
  ~InTeams() { --depth(); }
  InTeams(const InTeams&) = delete;
  InTeams& operator=(const InTeams&) = delete;
  static bool is_this_thread() { return depth() > 0; }

private:
  static int& depth();
};

class Operations {
public:
  /// Both outlive it.
  Operations(const job::Group& group, Plans& plans);
  /// Nobody is in a call of the team.
  ~Operations();
  Operations(const Operations&) = delete;
  Operations& operator=(const Operations&) = delete;

  /// How this rank waits where others wait for what is under way here, in other teams, and for the library.
  const wait::Policy& policy() const { return policy_; }

  /// A call whose arguments are checked, with what it waits for before and after. All ranks make the same
  /// ones in the same order.
  OperationPointer make(const TeamCall& call, bool commutes);
  /// Starts it. Null where it has finished at once.
  OperationPointer start(OperationPointer made);
  /// Starts it, and waits for it unless nothing is to be waited for (`is_loose`).
  void run(OperationPointer made, bool is_loose);
  /// Starts it, and waits for it.
  void run_to_end(const OperationPointer& made);

  /// Returns when all ranks have come, while what is under way goes on: before calls that wait for other
  /// ranks where they cannot look after it.
  void meet() { run_to_end(make({.is_own = true}, true)); }
  /// Every rank's value, by rank.
  template <typename Value>
  std::vector<Value> allgather(const Value& own) {
    static_assert(std::is_trivially_copyable_v<Value>);
    Value given = own;
    std::vector<Value> all(static_cast<std::size_t>(group_.ranks()));
    run_to_end(make({.operation = schedule::Operation::allgather,
                     .input = reinterpret_cast<std::byte*>(&given),
                     .output = reinterpret_cast<std::byte*>(all.data()),
                     .count = 1,
                     .element_bytes = sizeof(Value),
                     .is_own = true},
                    true));
    return all;
  }

  /// The largest of all ranks' values, place by place.
  void maximize(std::span<double> values);

  /// There is one at a time, which goes on with the collectives, or none (nullptr).
  void accompany(Companion* companion) { companion_ = companion; }
  /// Makes progress. Is the condition met?
  bool test(const std::function<bool()>& is_reached);
  void wait(const InFlightOperation& operation);
  /// Waits until the condition is met, while all that is under way goes on.
  void wait_for(const std::function<bool()>& is_reached);
  /// Lets what is under way go on, here and in other teams, without waiting.
  void let_go_on();
  /// Waits for all.
  void complete();

  /// Held by whoever is in a call of the team: nobody visits it meanwhile. Calls may come from callbacks of a
  /// call.
  std::recursive_mutex& in_call() { return in_call_; }
  /// Others may do something to this rank's memory at any time.
  bool are_under_way() const { return !in_flight_.empty() || companion_ != nullptr; }
  /// At the end of each call, and of each visit: others see by a count whether any team has to be visited.
  void note_under_way() { note(are_under_way()); }
  /// Goes on without waiting.
  wait::Visit go_on() noexcept;

private:
  /// How many teams of the process have something under way.
  static inline constinit std::atomic<int> teams_under_way{0};

  bool others_are_under_way() const {
    return teams_under_way.load(std::memory_order_relaxed) > (is_noted_ ? 1 : 0);
  }
  wait::Visit visit_others() const;
  void note(bool has_any);
  InFlightOperation::Part part_of(const TeamCall& call, bool commutes);
  OperationPointer keep(OperationPointer made);
  static wait::Visit progress_everywhere(void* operations);
  /// Did anything move?
  bool progress();
  template <typename Condition>
  void wait_until(Condition is_reached);

  const job::Group& group_;
  Plans& plans_;
  wait::Policy policy_;
  engine::TagSupply tags_;
  std::deque<OperationPointer> in_flight_; ///< in the order of their calls
  Companion* companion_ = nullptr;
  std::exception_ptr failure_; ///< of what another team's wait let go on
  std::recursive_mutex in_call_;
  bool is_noted_ = false;
};

/// Lets all teams of the process go on that no thread is in a call of.
wait::Visit visit_teams();

} // namespace thalweg::teams
