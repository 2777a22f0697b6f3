#pragma once

// What single steps cost a rank, before anybody waits for anything.

#include "model/predict.hpp"

#include <vector>

namespace thalweg::model {

/// One step's share of the processor's time, and of the network's.
struct StepCost {
  std::int64_t bytes = 0;
  double begin = 0; ///< processor time to start it: for sends packing and overhead, for local steps all of it
  double finish = 0; ///< processor time when a message has come
  double latency = 0;
  double transfer = 0; ///< the time that a link is held
  bool is_remote = false;
  bool is_send = false;
};

/// The costs of all steps of a schedule, in their order.
class StepCosts {
public:
  StepCosts(const schedule::Schedule& schedule, std::int64_t unit_bytes, const Setting& setting);
  const StepCost& operator[](std::size_t step) const { return costs_[step]; }
  /// The processor's time for all steps.
  double processor_seconds() const;
  /// How long the sends between nodes hold the link that leaves the rank's node, or the receives the one that
  /// comes to it, whichever takes longer.
  double link_seconds() const;

private:
  std::vector<StepCost> costs_;
};

machine::Level level_between(const Setting& setting, Rank a, Rank b);

} // namespace thalweg::model
