// SPDX-License-Identifier: BSD-3-Clause
#include "place/local_opt.hpp"

#include "place/link_energy.hpp"
#include "place/literal.hpp"
#include "place/metrics.hpp"

#include <algorithm>
#include <optional>

namespace thalweg::place {

namespace {

double link_max(const pattern::Matrix& matrix, const machine::Allocation& allocation,
                const Mapping& mapping) {
  const std::vector<double> loads = link_loads(matrix, allocation, mapping.slot_of);
  return loads.empty() ? 0 : *std::ranges::max_element(loads);
}

/// Makes one swap that lowers the maximum, if there is any.
bool improved(LinkEnergy& energy, std::int32_t tasks) {
  const double before = energy.load_max(0);
  const std::vector<std::size_t> ranking = energy.ranking();
  for (const std::int32_t a : energy.hot_tasks(1))
    for (std::int32_t b = 0; b < tasks; ++b) {
      if (a == b)
        continue;
      const double change = energy.delta(a, b);
      if (energy.peak_after(ranking).load < before) {
        energy.swap(a, b, change);
        return true;
      }
    }
  return false;
}

} // namespace

Mapping local_opt(const pattern::Matrix& matrix, const Graph& graph, const Distances& distances) {
  std::optional<Mapping> best;
  double best_max = 0;
  for (std::int32_t start = 0; start < graph.vertices(); ++start) {
    Mapping mapping = mahd_from(graph, distances, start);
    const double load = link_max(matrix, distances.allocation(), mapping);
    if (!best || load < best_max) {
      best = std::move(mapping);
      best_max = load;
    }
  }
  Routes routes(distances.allocation());
  const std::vector<double> none;
  LinkEnergy energy({{matrix, 1, 0}}, 0, routes, *best, none);
  while (improved(energy, graph.vertices())) {
  }
  return *std::move(best);
}

} // namespace thalweg::place
