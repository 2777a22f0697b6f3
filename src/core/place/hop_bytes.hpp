// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Bytes times the hops that they go, for the pairs of a graph: the objective that changes in O(degree) where
// two tasks swap their slots.
//
// Source: Sudheer Kumar 2012, equation 6.1, with each pair counted once.

#include "place/distances.hpp"
#include "place/energy.hpp"
#include "place/graph.hpp"

namespace thalweg::place {

class HopBytes final : public Energy {
public:
  /// Keeps references to all three.
  HopBytes(const Graph& graph, const Distances& distances, Mapping& mapping)
      : graph_(&graph), distances_(&distances), mapping_(&mapping), value_(recomputed()) {}

  const Mapping& mapping() const override { return *mapping_; }
  double value() const override { return value_; }
  /// O(edges).
  double recomputed() const override;
  /// O(degree of both).
  double delta(std::int32_t a, std::int32_t b) override;
  void swap(std::int32_t a, std::int32_t b, double change) override {
    mapping_->swap(a, b);
    value_ += change;
  }

private:
  const Graph* graph_;
  const Distances* distances_;
  Mapping* mapping_;
  double value_;
};

} // namespace thalweg::place
