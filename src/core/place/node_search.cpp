// SPDX-License-Identifier: BSD-3-Clause
#include "place/node_search.hpp"

#include "base/assertion.hpp"
#include "place/distances.hpp"
#include "place/energy.hpp"
#include "place/partition.hpp"
#include "place/shared_slots.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>

namespace thalweg::place {

namespace {

using Numbers = std::vector<std::int32_t>;

// Parts of the time: starts are tried out, the best of them is annealed.
constexpr double part_for_starts = 0.3;
constexpr double part_for_mapping = 0.04; // of a start's parts onto nodes
constexpr double part_for_trial = 0.06;   // of a start
constexpr int starts_max = 64;

// Temperatures, as parts of what a proposal changes in the mean. What has places of its own is spoiled by the
// higher one, and what has none gains by it.
constexpr std::array temperatures{0.08, 0.15};
constexpr double part_for_temperature = 0.4;

/// Swaps parts until each is on a node with as many slots as it has tasks, wherever that costs least.
void settle(Mapping& mapping, const Nodes& nodes, const Numbers& sizes, const Graph& parts,
            const Distances& distances) {
  HopBytes cost(parts, distances, mapping);
  const auto slots = [&](std::int32_t node) {
    return static_cast<std::int32_t>(nodes.slots_of[at(node)].size());
  };
  for (std::int32_t part = 0; part < mapping.size(); ++part) {
    if (slots(mapping.slot(part)) == sizes[at(part)])
      continue;
    std::int32_t best = -1;
    double change_min = std::numeric_limits<double>::max();
    for (std::int32_t node = 0; node < mapping.size(); ++node) {
      const std::int32_t other = mapping.task(node);
      if (slots(node) != sizes[at(part)] || slots(node) == sizes[at(other)])
        continue;
      if (const double change = cost.delta(part, other); change < change_min) {
        change_min = change;
        best = other;
      }
    }
    THALWEG_ASSERT(normal, best >= 0);
    cost.swap(part, best, change_min);
  }
}

/// Which node each task is on, cut, mapped and annealed.
class NodeSearch {
public:
  NodeSearch(const NodeProblem& problem, double until)
      : problem_(problem), until_(until), whole_(until - problem.budget.used()),
        distances_(problem.nodes.allocation), vicinity_(distances_) {
    for (const Numbers& own : problem.nodes.slots_of) {
      sizes_.push_back(static_cast<std::int32_t>(own.size()));
      rooms_.push_back(static_cast<double>(own.size()));
    }
    for (std::int32_t task = 0; task < problem.graph.vertices(); ++task)
      weights_.push_back(problem.graph.degree(task) > 0 ? 1 : 0);
  }

  const Numbers& best() const { return best_; }
  double value() const { return value_; }

  /// Tries another one out.
  void start() {
    Budget& budget = problem_.budget;
    const auto count = static_cast<std::int32_t>(sizes_.size());
    Numbers part_of = partition(problem_.graph, sizes_, problem_.random);
    budget.spend(problem_.graph.vertices());
    const pattern::Pattern parts = quotient(problem_.pattern, part_of, count);
    Mapping mapping =
        Mapping::of(problem_.map_parts(parts, problem_.nodes.allocation, whole_ * part_for_mapping));
    settle(mapping, problem_.nodes, sizes_, Graph(sum(parts), count), distances_);
    for (std::int32_t& part : part_of)
      part = mapping.slot(part);
    anneal_from(std::move(part_of), temperatures.back(), budget.used() + whole_ * part_for_trial);
  }

  /// Begins with tasks that have nodes, and keeps what is better than the best; is it?
  bool anneal_from(Numbers node_of, double temperature, double until) {
    SharedSlots state(problem_.graph, distances_, weights_, std::move(node_of), rooms_);
    keep(state);
    state.improve(vicinity_, problem_.random, problem_.budget, std::min(until, until_), temperature);
    return keep(state);
  }

private:
  bool keep(const SharedSlots& state) {
    if (state.value() >= value_)
      return false;
    value_ = state.value();
    best_ = state.slot_of();
    return true;
  }

  const NodeProblem& problem_;
  double until_;
  double whole_; ///< what there is of the budget
  Distances distances_;
  Vicinity vicinity_;
  Numbers sizes_;
  std::vector<double> rooms_;
  std::vector<double> weights_; ///< those without messages need no room
  Numbers best_;
  double value_ = std::numeric_limits<double>::max();
};

} // namespace

Nodes::Nodes(const machine::Allocation& slots) : allocation{slots.interconnect, {}} {
  std::map<topology::Place, std::size_t> number_of;
  for (std::size_t slot = 0; slot < slots.slots.size(); ++slot) {
    const auto [entry, is_new] = number_of.try_emplace(slots.slots[slot], slots_of.size());
    if (is_new) {
      allocation.slots.push_back(slots.slots[slot]);
      slots_of.emplace_back();
    }
    slots_of[entry->second].push_back(static_cast<std::int32_t>(slot));
  }
}

Numbers Nodes::folded(const Slots& slot_of) const {
  Numbers node_at(slot_of.size());
  for (std::size_t node = 0; node < slots_of.size(); ++node)
    for (const std::int32_t slot : slots_of[node])
      node_at[at(slot)] = static_cast<std::int32_t>(node);
  Numbers node_of;
  for (const std::int32_t slot : slot_of)
    node_of.push_back(node_at[at(slot)]);
  return node_of;
}

bool Nodes::have_several() const {
  return std::ranges::any_of(slots_of, [](const Numbers& own) { return own.size() > 1; });
}

Mapping Nodes::expanded(const Numbers& node_of, const Graph& graph) const {
  Slots slot_of(node_of.size(), -1);
  std::vector<std::size_t> used(slots_of.size());
  std::vector<bool> is_taken(node_of.size());
  const auto put = [&](std::size_t task, std::int32_t slot) {
    slot_of[task] = slot;
    is_taken[at(slot)] = true;
  };
  for (std::size_t task = 0; task < node_of.size(); ++task) {
    const std::size_t node = at(node_of[task]);
    if (graph.degree(static_cast<std::int32_t>(task)) > 0)
      put(task, slots_of[node][used[node]++]);
  }
  std::int32_t free = 0;
  for (std::size_t task = 0; task < node_of.size(); ++task)
    if (slot_of[task] < 0) {
      while (is_taken[at(free)])
        ++free;
      put(task, free);
    }
  return Mapping::of(std::move(slot_of));
}

pattern::Pattern quotient(const pattern::Pattern& pattern, const Numbers& part_of, std::int32_t parts) {
  pattern::Pattern found{parts, {}};
  for (const pattern::Phase& phase : pattern.phases) {
    std::vector<pattern::Edge> edges;
    for (pattern::Edge edge : phase.matrix.edges()) {
      edge.from = part_of[at(edge.from)];
      edge.to = part_of[at(edge.to)];
      if (edge.from != edge.to)
        edges.push_back(edge);
    }
    found.phases.push_back({phase.name, phase.repeats, pattern::Matrix(parts, std::move(edges))});
  }
  return found;
}

void search_nodes(const NodeProblem& problem, const Numbers& node_of, double until,
                  const std::function<void(const Mapping&, const char* method)>& note) {
  const Budget& budget = problem.budget;
  const double begin = budget.used();
  const double whole = until - begin;
  NodeSearch search(problem, until);
  search.anneal_from(node_of, temperatures.front(), begin + part_for_trial * whole);
  int starts = 0;
  do
    search.start();
  while (++starts < starts_max && budget.used() - begin < part_for_starts * whole);
  note(problem.nodes.expanded(search.best(), problem.graph), "partition");
  constexpr double part_min = 0.01; // less is no annealing
  for (std::size_t round = 0; budget.used() < until; ++round) {
    const double before = budget.used();
    if (search.anneal_from(search.best(), temperatures[round % temperatures.size()],
                           before + part_for_temperature * whole))
      note(problem.nodes.expanded(search.best(), problem.graph), "partition+annealing");
    if (budget.used() - before < part_min * whole)
      return;
  }
}

} // namespace thalweg::place
