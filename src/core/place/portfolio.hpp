// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The searches that are worth their time, one after the other, and the best that any of them found.

#include "place/annealing.hpp"
#include "place/hop_bytes.hpp"
#include "place/options.hpp"
#include "place/routes.hpp"

namespace thalweg::place {

class Portfolio {
public:
  /// Keeps references to all arguments. The problem has been checked.
  Portfolio(const pattern::Pattern& pattern, const machine::Allocation& allocation, const Options& options,
            Budget& budget);

  /// Until the budget is over, or nothing is left to try.
  void search();
  Result take() { return std::move(result_); }

private:
  struct Candidate {
    Slots slots; ///< of all vertices
    std::string method;
    double hop_bytes = 0;
  };

  /// Notes what searches begin with; whether that is the best there can be.
  bool note_constructed(double until);
  void note_along_tour();
  /// Is there time for what takes so many seconds?
  bool has_time(double seconds, double until) const;
  void search_hops(double until);
  /// Anneals a little from each construction: what they have of blocks stays, and blocks change places.
  void search_from_each(double cycle, double until);
  void search_loads();
  /// Keeps a mapping where it is the best by hop-bytes so far.
  void note(const Mapping& mapping, const std::string& method);
  /// Answers with it where it is better by the goal than the answer so far.
  void answer(const Slots& slots, const std::string& method);

  const pattern::Pattern& pattern_;
  const machine::Allocation& allocation_;
  const Options& options_;
  Budget& budget_;
  Random random_;
  Graph graph_;
  Distances distances_;
  Vicinity vicinity_;
  Proposals proposals_;
  Regions regions_;
  Candidate nearest_;                  ///< the best by hop-bytes
  std::vector<Candidate> constructed_; ///< the best of each method
  Result result_;
  bool has_own_nodes_;
  Slots answered_; ///< the answer, of all vertices
};

} // namespace thalweg::place
