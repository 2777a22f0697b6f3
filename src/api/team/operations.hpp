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
#include <memory>
#include <mutex>
#include <optional>
#include <type_traits>
#include <vector>

namespace thalweg::teams {

/// A collective in flight: what it waits for before, the collective itself, what it waits for after.
class InFlightOperation {
public:
  /// A part that is left out is null. Tags are the parts' own, dealt out when the call was made.
  struct Part {
    BorrowedRunner runner{nullptr, {}};
    engine::Tags tags;
  };
  InFlightOperation(const TeamCall& call, Part before, Part body, Part after);

  /// Does what can be done without waiting; true when it has finished.
  bool progress();
  /// Runs to the end, where nothing else is under way.
  void run();
  bool has_finished() const { return at_ == parts_.size(); }

private:
  void start_part();
  void next_part();

  TeamCall call_;
  std::optional<job::MpiOperator> operator_;
  std::array<Part, 3> parts_;
  std::size_t at_ = 0;
};

using OperationPointer = std::shared_ptr<InFlightOperation>;

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

  bool test(const InFlightOperation& operation);
  void wait(const InFlightOperation& operation);
  /// Waits for all.
  void complete();

  /// Held by whoever is in a call of the team: nobody visits it meanwhile. Calls may come from callbacks of a
  /// call.
  std::recursive_mutex& in_call() { return in_call_; }
  bool are_under_way() const { return !in_flight_.empty(); }
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
  void progress();
  template <typename Condition>
  void wait_until(Condition is_reached);

  const job::Group& group_;
  Plans& plans_;
  wait::Policy policy_;
  engine::TagSupply tags_;
  std::deque<OperationPointer> in_flight_; ///< in the order of their calls
  std::exception_ptr failure_;             ///< of what another team's wait let go on
  std::recursive_mutex in_call_;
  bool is_noted_ = false;
};

} // namespace thalweg::teams
