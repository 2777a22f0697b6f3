// SPDX-License-Identifier: BSD-3-Clause
#include "place/map.hpp"

#include "base/assertion.hpp"
#include "base/error.hpp"
#include "place/annealing.hpp"
#include "place/constructions.hpp"
#include "place/energy.hpp"
#include "place/exhaustive.hpp"
#include "place/link_energy.hpp"
#include "place/link_search.hpp"
#include "place/node_search.hpp"
#include "place/outline.hpp"
#include "place/problem.hpp"
#include "place/stencil.hpp"
#include "topology/tour.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <future>
#include <set>

namespace thalweg::place {

namespace {

/// The searches that are worth their time, one after the other, and the best that any of them found.
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
  /// Notes mappings of a pattern with dimensions of its own; likewise.
  bool note_recognized();
  void note_along_tour();
  /// Is there time for what takes so many seconds?
  bool has_time(double seconds, double until) const;
  void search_hops(double until);
  void search_hops_between_nodes(double until);
  /// Anneals a little from each construction: what they have of blocks stays, and blocks change places.
  void search_from_each(double cycle, double until);
  void search_loads();
  void search_loads_of(Counted counted, double until);
  /// Do a node's own links carry the same of a task's bytes wherever it is?
  bool are_own_links_alike() const;
  /// Goes through all mappings, where there are few slots.
  void search_all_mappings();
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
  Nodes nodes_;
  Slots answered_; ///< the answer, of all vertices
};

// Temperatures at which annealing begins and ends, as parts of what proposals change.
constexpr double hot_min = 0.05;
constexpr double hot_max = 0.3;
constexpr double hot_again = 0.8; ///< where it begins again, to get away from what it found
constexpr double coldest = 0.005;
constexpr double proposals_for_hot_max = 20000; ///< a task; a longer annealing than this finds little more
constexpr std::int32_t grown_max = 4096;        ///< slots up to which growth pays: it takes their square

// What constructions take for each step, on a slow machine.
constexpr double growth_seconds = 1e-9;
constexpr double bisection_seconds = 1.5e-7;

Portfolio::Portfolio(const pattern::Pattern& pattern, const machine::Allocation& allocation,
                     const Options& options, Budget& budget)
    : pattern_(pattern), allocation_(allocation), options_(options), budget_(budget), random_(options.seed),
      graph_(pattern::sum(pattern), static_cast<std::int32_t>(allocation.slots.size())),
      distances_(allocation), vicinity_(distances_), proposals_(graph_, vicinity_), regions_(distances_),
      nodes_(allocation) {
  Mapping mapping = Mapping::identity(graph_.vertices());
  answered_ = mapping.slot_of;
  result_.slot_of = answered_;
  result_.slot_of.resize(static_cast<std::size_t>(pattern.tasks));
  result_.numbered = result_.slot_of;
  result_.identity = result_.placed =
      metrics(pattern, allocation, result_.slot_of, options.base_load, options.costs);
  result_.method = "identity";
  nearest_ = {answered_, "identity", HopBytes(graph_, distances_, mapping).value()};
}

void Portfolio::note(const Mapping& mapping, const std::string& method) {
  Mapping copy = mapping;
  const double value = HopBytes(graph_, distances_, copy).value();
  // What is good for hops may be good for links by chance: of alike ones the best is kept.
  constexpr double alike = 1.1;
  if (options_.goal.needs_links() && value <= alike * nearest_.hop_bytes)
    answer(copy.slot_of, method);
  if (method.find('+') == std::string::npos && graph_.vertices() <= Distances::dense_max) {
    const auto same = std::ranges::find(constructed_, method, &Candidate::method);
    if (same == constructed_.end())
      constructed_.push_back({copy.slot_of, method, value});
    else if (value < same->hop_bytes)
      *same = {copy.slot_of, method, value};
  }
  if (value < nearest_.hop_bytes)
    nearest_ = {std::move(copy.slot_of), method, value};
}

void Portfolio::answer(const Slots& slots, const std::string& method) {
  THALWEG_ASSERT(normal, slots.size() == allocation_.slots.size());
  Slots first(slots.begin(), slots.begin() + pattern_.tasks);
  const Metrics found = metrics(pattern_, allocation_, first, options_.base_load, options_.costs);
  const auto by_goal = [&](const Metrics& one) { return value(options_.goal, one, result_.identity); };
  if (by_goal(found) > by_goal(result_.identity) ||
      !is_better(options_.goal, found, result_.placed, result_.identity))
    return;
  result_.slot_of = std::move(first);
  result_.placed = found;
  result_.method = method;
  answered_ = slots;
}

void Portfolio::search() {
  if (!proposals_.has_any() || graph_.vertices() < 2 || budget_.is_over())
    return;
  search_all_mappings();
  if (result_.is_proven)
    return;
  constexpr double part_for_hops = 0.4; // of a search for loads, which begins where hops are few
  search_hops(options_.goal.needs_links() ? part_for_hops : 1);
  answer(nearest_.slots, nearest_.method);
  if (options_.goal.needs_links())
    search_loads();
}

void Portfolio::search_all_mappings() {
  if (allocation_.slots.size() > exhaustive_max)
    return;
  constexpr double part_for_first = 0.1; // which finds what the others are held against
  constexpr double part_for_all = 0.7;
  search_hops(part_for_first);
  answer(nearest_.slots, nearest_.method);
  result_.is_proven = search_all(
      {pattern_, allocation_, options_.goal, result_.identity, options_.base_load, options_.costs},
      value(options_.goal, result_.placed, result_.identity), budget_, part_for_all, [&](const Slots& slots) {
        answer(completed(slots, allocation_.slots.size()).slot_of, "all mappings");
      });
}

bool Portfolio::has_time(double seconds, double until) const {
  constexpr double part = 0.6; // of what is left: what it finds is to be improved on
  if (options_.proposals > 0)
    return budget_.used() < until / 2;
  return seconds < part * (until - budget_.used()) * options_.seconds;
}

void Portfolio::note_along_tour() {
  const topology::Grid* grid = allocation_.interconnect->grid();
  if (grid != nullptr)
    note(Mapping::of(topology::tour(*grid, allocation_.slots)), "tour");
}

bool Portfolio::note_recognized() {
  constexpr double closed = 1 + 1e-9; // hops per byte that nothing beats where tasks have nodes of their own
  const auto is_closed = [&] {
    return nearest_.hop_bytes <= closed * graph_.total_bytes() && !nodes_.have_several();
  };
  auto stencil = recognized(graph_);
  if (!stencil)
    stencil = outlined(graph_);
  if (stencil)
    closed_forms(*stencil, graph_, distances_, [&](const Mapping& mapping) {
      note(mapping, "closed form");
      return is_closed();
    });
  return is_closed();
}

bool Portfolio::note_constructed(double until) {
  if (note_recognized())
    return true;
  note_along_tour();
  const auto slots = static_cast<double>(graph_.vertices());
  const auto entries = static_cast<double>(graph_.entries());
  if (graph_.vertices() <= grown_max && has_time(growth_seconds * slots * (slots + entries), until))
    note(grown(graph_, distances_, heaviest_task(graph_), central_slots(distances_).front()), "growth");
  if (has_time(bisection_seconds * (slots + entries) * std::log2(slots), until))
    note(bisected(graph_, distances_, random_), "bisection");
  return false;
}

void Portfolio::search_from_each(double cycle, double until) {
  constexpr int bisections = 6; // random ones
  for (int count = 0; count < bisections && budget_.used() < until; ++count)
    constructed_.push_back({bisected(graph_, distances_, random_).slot_of, "bisection", 0});
  std::size_t left = constructed_.size();
  for (const Candidate& start : constructed_) {
    if (budget_.used() >= until)
      return;
    Mapping mapping = Mapping::of(start.slots);
    HopBytes state(graph_, distances_, mapping);
    const double slice = std::min((until - budget_.used()) / static_cast<double>(left--), cycle);
    const double end = budget_.used() + slice;
    const double unit = mean_change(state, proposals_, random_);
    budget_.spend(change_samples);
    anneal(state, proposals_, random_, budget_, {unit, hot_min, coldest, end}, &regions_);
    descend(state, proposals_, random_, budget_, until);
    note(mapping, start.method + "+annealing");
  }
}

void Portfolio::search_hops_between_nodes(double until) {
  const auto map_parts = [&](const pattern::Pattern& parts, const machine::Allocation& nodes, double part) {
    Options options{.seed = options_.seed, .stopped = options_.stopped};
    options.seconds = std::max(part, 0.0) * options_.seconds;
    options.clock = options_.clock;
    if (options_.proposals > 0) {
      options.proposals = 1 + static_cast<std::int64_t>(part * static_cast<double>(options_.proposals));
      budget_.spend(options.proposals);
    }
    return map(parts, nodes, options).slot_of;
  };
  search_nodes({pattern_, graph_, nodes_, random_, budget_, map_parts}, nodes_.folded(nearest_.slots), until,
               [&](const Mapping& mapping, const char* method) { note(mapping, method); });
}

void Portfolio::search_hops(double until) {
  const auto entries = static_cast<double>(graph_.vertices()) + static_cast<double>(graph_.entries());
  const double partition_seconds = bisection_seconds * entries * std::log2(graph_.vertices());
  if (nodes_.have_several() && has_time(partition_seconds, until)) {
    note_recognized();
    note_along_tour();
    search_hops_between_nodes(until);
    return;
  }
  if (note_constructed(until))
    return;
  double per_proposal = 0;
  {
    Mapping mapping = Mapping::of(nearest_.slots);
    const std::string begin = nearest_.method;
    HopBytes state(graph_, distances_, mapping);
    const double before = budget_.used();
    const std::int64_t proposals = descend(state, proposals_, random_, budget_, until);
    note(mapping, begin + "+descent");
    per_proposal = (budget_.used() - before) / static_cast<double>(std::max<std::int64_t>(proposals, 1));
  }
  const double cycle = std::max(per_proposal * proposals_for_hot_max * graph_.vertices(), 1e-3);
  constexpr double part_for_each = 0.4;
  if (cycle < until - budget_.used())
    search_from_each(cycle / 4, budget_.used() + part_for_each * (until - budget_.used()));
  Mapping mapping = Mapping::of(nearest_.slots);
  const std::string begin = nearest_.method.substr(0, nearest_.method.find('+'));
  HopBytes state(graph_, distances_, mapping);
  const double part = std::min((until - budget_.used()) / cycle, 1.0);
  double hot = std::max(hot_max * std::sqrt(part), hot_min);
  const double unit = mean_change(state, proposals_, random_);
  for (bool is_first = true; budget_.used() < until && unit > 0; is_first = false) {
    const double left = until - budget_.used();
    const double end = left < 2 * cycle ? until : budget_.used() + cycle;
    anneal(state, proposals_, random_, budget_, {unit, hot, coldest, end}, part < 1 ? nullptr : &regions_);
    descend(state, proposals_, random_, budget_, until);
    note(mapping, begin + (is_first ? "+annealing" : "+annealing again"));
    hot = hot == hot_again ? hot_max : hot_again;
  }
}

bool Portfolio::are_own_links_alike() const {
  if (nodes_.have_several() || !options_.base_load.empty())
    return false;
  const topology::Interconnect& machine = *allocation_.interconnect;
  double capacity = 0;
  for (topology::Link link = 0; link < machine.links(); ++link)
    if (is_nodes_own(machine, link)) {
      if (capacity > 0 && machine.capacity(link) != capacity)
        return false;
      capacity = machine.capacity(link);
    }
  return capacity > 0;
}

void Portfolio::search_loads() {
  if (are_own_links_alike()) {
    search_loads_of(Counted::between_switches, 1);
    return;
  }
  constexpr double part_for_all = 0.7; // of what is left
  const auto is_own = [&] {
    constexpr double rounding = 1e-9;
    return result_.placed.between_max > 0 &&
           result_.placed.between_max < (1 - rounding) * result_.placed.link_max;
  };
  search_loads_of(Counted::all, is_own() ? budget_.used() + part_for_all * (1 - budget_.used()) : 1);
  if (is_own())
    search_loads_of(Counted::between_switches, 1);
}

void Portfolio::search_loads_of(Counted counted, double until) {
  const LinkGoal goal = link_goal(options_.goal, pattern_, result_.identity, options_.costs);
  if (goal.layers.empty() || budget_.used() >= until)
    return;
  Routes routes(allocation_, counted);
  std::vector<double> base = options_.base_load;
  for (std::size_t link = 0; link < base.size(); ++link)
    base[link] /= allocation_.interconnect->capacity(static_cast<topology::Link>(link));
  Mapping mapping = Mapping::of(answered_);
  LinkEnergy state(goal.layers, goal.hop_weight, routes, mapping, base);
  const std::string begin = result_.method.substr(0, result_.method.find("+links"));
  search_links(
      {state, proposals_, &regions_, random_, budget_, [&] { answer(mapping.slot_of, begin + "+links"); }},
      until);
}

void check_budget(const Options& options) {
  if (!(options.seconds >= 0) || options.proposals < 0 || options.threads < 1)
    throw Error(fmt::format("a budget of {} seconds and {} proposals for {} threads", options.seconds,
                            options.proposals, options.threads),
                "give numbers from 0, and at least one thread");
}

Result searched(const pattern::Pattern& pattern, const machine::Allocation& allocation,
                const Options& options) {
  Budget budget(options.seconds, options.proposals, options.clock, options.stopped);
  Portfolio portfolio(pattern, allocation, options, budget);
  portfolio.search();
  Result result = portfolio.take();
  result.seconds = budget.elapsed();
  return result;
}

} // namespace

Result map(const pattern::Pattern& pattern, const machine::Allocation& allocation, const Options& options) {
  check_problem(pattern, allocation, options.base_load);
  check_budget(options);
  std::vector<std::future<Result>> others;
  for (int thread = 1; thread < options.threads && options.proposals == 0; ++thread) {
    Options own = options;
    own.seed = mixed_hash(options.seed, static_cast<std::uint64_t>(thread));
    others.push_back(std::async(std::launch::async, [&, own] { return searched(pattern, allocation, own); }));
  }
  Result result = searched(pattern, allocation, options);
  for (std::future<Result>& other : others) {
    Result found = other.get();
    const bool is_proven = result.is_proven || found.is_proven;
    if (is_better(options.goal, found.placed, result.placed, result.identity))
      result = std::move(found);
    result.is_proven = is_proven;
  }
  THALWEG_ASSERT(light, result.slot_of.size() == at(pattern.tasks));
  THALWEG_ASSERT(light, value(options.goal, result.placed, result.identity) <=
                            value(options.goal, result.identity, result.identity));
  THALWEG_ASSERT(heavy, std::set(result.slot_of.begin(), result.slot_of.end()).size() == at(pattern.tasks));
  THALWEG_ASSERT(heavy, result.placed ==
                            metrics(pattern, allocation, result.slot_of, options.base_load, options.costs));
  return result;
}

} // namespace thalweg::place
