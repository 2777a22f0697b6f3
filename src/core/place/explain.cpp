// SPDX-License-Identifier: BSD-3-Clause
#include "place/explain.hpp"

#include "place/index.hpp"

#include <algorithm>
#include <functional>

namespace thalweg::place {

namespace {

/// The mapping of all slots: those that are free have tasks without messages.
Mapping completed(const Slots& slot_of, std::size_t slots) {
  Slots all = slot_of;
  std::vector<bool> is_used(slots);
  for (const std::int32_t slot : slot_of)
    is_used[at(slot)] = true;
  for (std::size_t slot = 0; slot < slots; ++slot)
    if (!is_used[slot])
      all.push_back(static_cast<std::int32_t>(slot));
  return Mapping::of(std::move(all));
}

} // namespace

std::vector<pattern::Edge> messages_over(topology::Link link, const pattern::Matrix& matrix,
                                         const machine::Allocation& allocation, const Slots& slot_of) {
  std::vector<pattern::Edge> found;
  std::vector<topology::LinkShare> route;
  for (pattern::Edge edge : matrix.edges()) {
    route.clear();
    allocation.interconnect->append_route(allocation.slots[at(slot_of[at(edge.from)])],
                                          allocation.slots[at(slot_of[at(edge.to)])], route);
    for (const topology::LinkShare& crossed : route)
      if (crossed.link == link) {
        edge.bytes *= crossed.share;
        found.push_back(edge);
        break;
      }
  }
  std::ranges::stable_sort(found, std::greater{}, &pattern::Edge::bytes);
  return found;
}

std::optional<Relief> best_relief(const pattern::Matrix& matrix, const machine::Allocation& allocation,
                                  const Slots& slot_of, std::size_t tasks_max,
                                  const std::vector<double>& base_load) {
  Mapping mapping = completed(slot_of, allocation.slots.size());
  Routes routes(allocation);
  std::vector<double> others = base_load;
  for (std::size_t link = 0; link < others.size(); ++link)
    others[link] /= allocation.interconnect->capacity(static_cast<topology::Link>(link));
  LinkEnergy energy({{matrix, 1, 1}}, 0, routes, mapping, others);
  const std::vector<std::size_t> ranking = energy.ranking();
  Relief best{-1, 0, energy.peak_after(ranking)}; // of no swap: before the first delta() nothing is touched
  std::vector<std::int32_t> tasks = energy.hot_tasks(1);
  tasks.resize(std::min(tasks.size(), tasks_max));
  for (const std::int32_t task : tasks)
    for (std::int32_t slot = 0; slot < mapping.size(); ++slot) {
      if (slot == mapping.slot(task))
        continue;
      energy.delta(task, mapping.task(slot));
      if (const Peak peak = energy.peak_after(ranking); peak.is_below(best.peak))
        best = {task, slot, peak};
    }
  return best.task < 0 ? std::nullopt : std::optional(best);
}

} // namespace thalweg::place
