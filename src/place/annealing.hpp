#pragma once

// Local search by swaps of two tasks' slots: descent, and annealing that also takes swaps that lose a little.
//
// Sources: Connolly 1990, "An improved annealing scheme for the QAP"; Hoefler and Snir 2011 (threshold
// accepting). Half of the proposals bring a task near one that it talks to, as on sparse patterns few others
// gain anything.

#include "place/budget.hpp"
#include "place/hop_bytes.hpp"
#include "place/random.hpp"
#include "place/vicinity.hpp"

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

private:
  const Graph* graph_;
  const Vicinity* vicinity_;
  std::vector<std::int32_t> talking_; ///< tasks with neighbors
};

/// Takes every proposal that gains, until so many in a row did not, or the budget's part `until` is used.
void descend(HopBytes& state, const Proposals& proposals, Random& random, Budget& budget, double until);

/// How annealing cools: from a temperature to another, as multiples of the mean change of a proposal, while
/// the budget is used up to `until`.
struct Cooling {
  double from = 0.3;
  double to = 0.003;
  double until = 1;
};

/// Anneals, and leaves what it ends with, or what it began with where that was better. O(degree) a proposal.
void anneal(HopBytes& state, const Proposals& proposals, Random& random, Budget& budget, Cooling cooling);

} // namespace thalweg::place
