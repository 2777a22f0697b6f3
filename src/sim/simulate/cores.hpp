// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Cores that ranks share: those of a machine, where it has fewer of them than ranks. The rules are the
// model's (model/resources.hpp): a processor keeps its core for as long as it has something to do. Then the
// one gets it that has waited longest, and handing it over takes a while. So does taking one that was
// another's last.

#include "simulate/message_costs.hpp"

#include <deque>
#include <optional>
#include <span>
#include <vector>

namespace thalweg::simulate {

struct SharedCores {
  std::vector<std::uint32_t> machines = {}; ///< of each rank; empty: every processor is a core of its own
  std::uint32_t cores = 1;                  ///< of each machine
  Ticks switching = 0;                      ///< what handing one over takes
};

/// Hands cores to processors, which are named by their numbers.
class CoreTable {
public:
  /// What a processor has to do, as whoever asks knows it.
  struct Task {
    std::uint32_t order = 0;
    std::uint32_t operation = 0;
    std::uint32_t rank = 0; ///< of the operation, which need not be the processor's
    std::uint32_t kind = 0;
    bool operator==(const Task&) const = default;
  };
  struct Answer {
    std::optional<Ticks> since =
        std::nullopt; ///< it may begin, as it could have since then; nothing: it waits for a core
    std::optional<Ticks> look = std::nullopt; ///< look() at `core` then
    std::uint32_t core = 0;
  };

  /// Of ranks with so many processors each. Throws Error where machines are not known for all ranks, or have
  /// no cores.
  CoreTable(const SharedCores& shared, std::uint32_t ranks, std::uint32_t processors);

  bool has_any() const { return !places_.empty(); }
  bool are_shared(std::uint32_t rank) const { return has_any() && places_[rank] != none; }

  /// May the processor of the rank begin the task now? Else the task is kept until look() gives it back.
  Answer begin(std::uint32_t rank, std::size_t processor, Ticks now, const Task& task);
  /// The processor, which has a core, is at work until then: look() at that core then.
  std::uint32_t occupy(std::uint32_t rank, std::size_t processor, Ticks until);
  /// When all else of this moment has been done: what can begin on the core now, as its processor has nothing
  /// more to do; or when to look again.
  struct Look {
    std::optional<Task> task = std::nullopt;
    std::optional<Ticks> again = std::nullopt;
  };
  Look look(std::uint32_t core, Ticks now);

private:
  static constexpr std::uint32_t none = 0xffffffffU;
  static constexpr std::size_t nobody = static_cast<std::size_t>(-1);

  struct Waiter {
    Task task;
    std::size_t processor;
    Ticks since;
  };
  struct Core {
    Ticks busy_until = 0;
    std::size_t processor = nobody; ///< whose it is, or was last
    bool is_idle = true;
    std::optional<Waiter> granted; ///< what was given back, and has not begun
  };

  std::span<Core> cores_of(std::uint32_t machine) {
    return {cores_.data() + std::size_t{machine} * cores_each_, cores_each_};
  }
  void hand_over(Core& core, std::size_t processor, Ticks now);
  std::deque<Waiter>::iterator next_of(std::uint32_t machine, const Core& core);

  std::vector<std::uint32_t> places_;       ///< of each rank its machine, if its cores are shared
  std::vector<std::deque<Waiter>> waiting_; ///< of each machine
  std::vector<Core> cores_;
  std::uint32_t cores_each_ = 0;
  Ticks switching_ = 0;
};

} // namespace thalweg::simulate
