// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Local search by swaps of two tasks' slots: descent, and annealing that also takes swaps that lose a little.
//
// Sources: Connolly 1990, "An improved annealing scheme for the QAP"; Hoefler and Snir 2011 (threshold
// accepting). Half of the proposals bring a task near one that it talks to, as on sparse patterns few others
// gain anything.

#include "base/random.hpp"
#include "place/budget.hpp"
#include "place/distances.hpp"
#include "place/energy.hpp"
#include "place/graph.hpp"
#include "place/regions.hpp"

namespace thalweg::place {

/// Proposes swaps, and nothing that could change nothing.
class Proposals {
public:
  Proposals(const Graph& graph, const Vicinity& vicinity);

  struct Swap {
    std::int32_t a;
    std::int32_t b;
  };
  /// Two tasks, the first with neighbors; the same task twice where there is nothing to propose.
  Swap next(const Mapping& mapping, Random& random) const;
  bool has_any() const { return !talking_.empty(); }
  /// A quarter of the proposals begin with one of these.
  void prefer(std::vector<std::int32_t> tasks);
  /// Never proposes to move this task.
  void keep(std::int32_t task);

private:
  const Graph* graph_;
  const Vicinity* vicinity_;
  std::vector<std::int32_t> talking_; ///< tasks with neighbors
  std::vector<std::int32_t> preferred_;
  std::int32_t kept_ = -1;
};

/// Takes every proposal that gains, until many in a row did not, or the budget's part `until` is used. Gives
/// the number of proposals.
std::int64_t descend(Energy& state, const Proposals& proposals, Random& random, Budget& budget, double until);

/// How annealing cools: from a temperature to another, as multiples of `unit`, while the budget is used up to
/// `until`.
struct Cooling {
  double unit = 0;
  double from = 0.3;
  double to = 0.003;
  double until = 1;
};

/// Proposals that mean_change() looks at.
inline constexpr int change_samples = 256;

/// The mean of what proposals change, without those that change nothing.
double mean_change(Energy& state, const Proposals& proposals, Random& random);

/// Anneals. What it ends with may be worse than what it began with. With `regions` some of the proposals
/// exchange the contents of two of them.
void anneal(Energy& state, const Proposals& proposals, Random& random, Budget& budget, Cooling cooling,
            const Regions* regions = nullptr);

} // namespace thalweg::place
