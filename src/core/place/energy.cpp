// SPDX-License-Identifier: BSD-3-Clause
#include "place/energy.hpp"

#include "base/assertion.hpp"

namespace thalweg::place {

namespace {

struct DenseRow {
  const std::uint16_t* hops;
  std::int32_t operator()(std::int32_t to) const { return hops[to]; }
};

struct ComputedRow {
  const Distances* distances;
  std::int32_t from;
  std::int32_t operator()(std::int32_t to) const { return (*distances)(from, to); }
};

/// What a task's move from one slot to another changes, but for its pair with the task that it swaps with:
/// their distance stays.
template <typename Row>
double moved(const Graph& graph, const Mapping& mapping, std::int32_t task, std::int32_t other, Row from,
             Row to) {
  const auto neighbors = graph.neighbors(task);
  const auto bytes = graph.bytes(task);
  double change = 0;
  for (std::size_t index = 0; index < neighbors.size(); ++index) {
    const std::int32_t slot = mapping.slot(neighbors[index]);
    const int difference = neighbors[index] == other ? 0 : to(slot) - from(slot);
    change += bytes[index] * difference;
  }
  return change;
}

} // namespace

double HopBytes::recomputed() const {
  double twice = 0;
  for (std::int32_t task = 0; task < graph_->vertices(); ++task) {
    const auto neighbors = graph_->neighbors(task);
    const auto bytes = graph_->bytes(task);
    for (std::size_t index = 0; index < neighbors.size(); ++index)
      twice += bytes[index] * (*distances_)(mapping_->slot(task), mapping_->slot(neighbors[index]));
  }
  return twice / 2;
}

double HopBytes::delta(std::int32_t a, std::int32_t b) {
  THALWEG_ASSERT(normal, a != b);
  const std::int32_t p = mapping_->slot(a);
  const std::int32_t q = mapping_->slot(b);
  if (const std::uint16_t* at_p = distances_->row(p)) {
    const DenseRow from{at_p};
    const DenseRow to{distances_->row(q)};
    return moved(*graph_, *mapping_, a, b, from, to) + moved(*graph_, *mapping_, b, a, to, from);
  }
  const ComputedRow from{distances_, p};
  const ComputedRow to{distances_, q};
  return moved(*graph_, *mapping_, a, b, from, to) + moved(*graph_, *mapping_, b, a, to, from);
}

} // namespace thalweg::place
