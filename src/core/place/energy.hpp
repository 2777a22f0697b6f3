// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What local search makes small by swapping two tasks' slots, and the objective that changes in O(degree)
// where two tasks swap: bytes times hops.

#include "base/assertion.hpp"
#include "place/distances.hpp"
#include "place/graph.hpp"
#include "place/mapping.hpp"

namespace thalweg::place {

class Energy {
public:
  Energy() = default;
  Energy(const Energy&) = delete;
  Energy& operator=(const Energy&) = delete;
  virtual ~Energy() = default;

  virtual const Mapping& mapping() const = 0;
  /// Of the mapping as it is, kept up to date by swap().
  virtual double value() const = 0;
  /// The same from nothing.
  virtual double recomputed() const = 0;
  /// What a swap of two different tasks' slots changes.
  virtual double delta(std::int32_t a, std::int32_t b) = 0;
  /// Swaps; `change` is what delta() gave for this pair.
  virtual void swap(std::int32_t a, std::int32_t b, double change) = 0;
};

/// Bytes times the hops that they go, for the pairs of a graph.
///
/// Source: Sudheer Kumar 2012, equation 6.1, with each pair counted once.
class HopBytes final : public Energy {
public:
  /// Keeps references to all three.
  HopBytes(const Graph& graph, const Distances& distances, Mapping& mapping)
      : graph_(&graph), distances_(&distances), mapping_(&mapping), value_(recomputed()) {
    THALWEG_ASSERT(light, mapping.size() == graph.vertices() && mapping.size() == distances.slots());
  }

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
