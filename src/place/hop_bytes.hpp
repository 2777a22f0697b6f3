#pragma once

// Bytes times the hops that they go, for the pairs of a graph: the objective that changes in O(degree) where
// two tasks swap their slots.
//
// Source: Sudheer Kumar 2012, equation 6.1, with each pair counted once.

#include "place/distances.hpp"
#include "place/graph.hpp"
#include "place/mapping.hpp"

namespace thalweg::place {

class HopBytes {
public:
  /// Keeps references to all three.
  HopBytes(const Graph& graph, const Distances& distances, Mapping& mapping)
      : graph_(&graph), distances_(&distances), mapping_(&mapping), value_(recomputed()) {}

  const Graph& graph() const { return *graph_; }
  const Distances& distances() const { return *distances_; }
  const Mapping& mapping() const { return *mapping_; }
  /// Of the mapping as it is, kept up to date by swap().
  double value() const { return value_; }
  /// The same from nothing. O(edges).
  double recomputed() const;
  /// What a swap of two tasks' slots changes. O(degree of both).
  double delta(std::int32_t a, std::int32_t b) const;
  /// Swaps; `change` is its delta().
  void swap(std::int32_t a, std::int32_t b, double change) {
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
