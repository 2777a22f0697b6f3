// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Which operations may begin, as all has begun or ended that they require. What one event frees begins
// together: sends first, then receives, then computations.

#include "base/assertion.hpp"
#include "simulate/loggp.hpp"
#include "simulate/loggp_events.hpp"

#include <algorithm>
#include <span>
#include <vector>

namespace thalweg::simulate {

class Requirements {
public:
  struct ReadyOperation {
    std::uint32_t operation; ///< of the pattern
    Ticks not_before;
    Cause cause;
  };

  /// `states` has an entry for each operation, in whose order it counts.
  Requirements(const Program& program, std::span<OperationState> states, Ties ties)
      : program_(program), states_(states), ties_(ties) {}

  /// A rank begins: frees what requires nothing.
  void begin(std::uint32_t rank) {
    THALWEG_ASSERT(normal, freed_.empty());
    const auto operations = program_.operations_of(rank);
    const std::uint32_t begin = program_.ranks[rank].begin;
    for (std::uint32_t i = 0; i < operations.size(); ++i) {
      states_[begin + i].order = operations[i].requirements;
      if (operations[i].requirements == 0)
        freed_.push_back({i, 0, {}});
    }
  }
  /// An operation has begun (`is_start`) or ended, as far as others see: what requires nothing more may begin
  /// from that time on. admit() has to follow for the rank before anything is freed of another.
  void release(std::uint32_t rank, std::uint32_t number, bool is_start, Ticks not_before, Cause cause) {
    const std::uint32_t begin = program_.ranks[rank].begin;
    for (const std::uint32_t dependent : program_.dependents_of(program_.operation(rank, number)))
      if (((dependent & 1) != 0) == is_start && count_down(begin + (dependent >> 1)))
        freed_.push_back({dependent >> 1, not_before, cause});
  }
  /// Calls what it is given for each that has been freed, in the order in which they begin. None may be freed
  /// meanwhile.
  template <typename Call>
  void admit(std::uint32_t rank, Call call) {
    if (freed_.size() > 1)
      sort(rank);
    for (const ReadyOperation& freed : freed_)
      call(freed);
    freed_.clear();
  }

private:
  /// Was it the operation's last requirement?
  bool count_down(std::uint32_t number) {
    THALWEG_ASSERT(normal, states_[number].order > 0);
    return --states_[number].order == 0;
  }
  void sort(std::uint32_t rank) {
    const Operation* const operations = program_.operations_of(rank).data();
    const auto is_before = [operations](const ReadyOperation& a, const ReadyOperation& b) {
      return operations[a.operation].kind < operations[b.operation].kind;
    };
    if (ties_ == Ties::as_loggopsim)
      std::sort(freed_.begin(), freed_.end(), is_before);
    else
      std::stable_sort(freed_.begin(), freed_.end(), is_before);
  }

  const Program& program_;
  std::span<OperationState> states_;
  Ties ties_;
  std::vector<ReadyOperation> freed_; ///< by the event at hand
};

} // namespace thalweg::simulate
