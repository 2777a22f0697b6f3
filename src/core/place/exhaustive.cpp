// SPDX-License-Identifier: BSD-3-Clause
#include "place/exhaustive.hpp"

#include "base/assertion.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace thalweg::place {

namespace {

constexpr std::int64_t looks_at_clock = 256; ///< parts of mappings from one look to the next

/// A message, from the one of its two tasks that comes later in the order of the search.
struct Message {
  std::size_t phase;
  std::int32_t other;
  double bytes;
  bool is_sent; ///< by the later task
};

struct Crossed {
  std::size_t link; ///< numbered as it was met first
  double load;      ///< of a byte, over the link's capacity
};

/// What a part of a mapping costs, as sums and highest values that more tasks only add to.
struct Part {
  double hop_bytes = 0;
  std::vector<double> loads;   ///< by phase and link, and behind the phases those of all at once
  std::vector<double> highest; ///< of each of these rows
  std::vector<std::int64_t> hops;
};

class Exhaustive {
public:
  Exhaustive(const ExhaustiveProblem& problem, double below, Budget& budget, double until,
             const std::function<void(const Slots&)>& note)
      : problem_(problem), best_(below), budget_(budget), until_(until), note_(note),
        slot_of_(at(problem.pattern.tasks), -1), is_used_(problem.allocation.slots.size()) {
    order_tasks();
    meet_links();
    begin_part();
  }

  bool run() {
    place(0);
    return !is_over_;
  }

private:
  std::size_t phases() const { return problem_.pattern.phases.size(); }
  std::size_t links() const { return original_.size(); }

  /// The next task is the one with the most bytes to those before it.
  void order_tasks() {
    const auto tasks = static_cast<std::size_t>(problem_.pattern.tasks);
    const pattern::Matrix both = symmetric(sum(problem_.pattern));
    std::vector<double> drawn(tasks);
    std::vector<double> own(tasks);
    for (const pattern::Edge& edge : both.edges())
      own[at(edge.from)] += edge.bytes;
    std::vector<std::size_t> rank(tasks, tasks);
    while (order_.size() < tasks) {
      std::size_t next = tasks;
      for (std::size_t task = 0; task < tasks; ++task)
        if (rank[task] == tasks &&
            (next == tasks || std::pair(drawn[task], own[task]) > std::pair(drawn[next], own[next])))
          next = task;
      rank[next] = order_.size();
      order_.push_back(static_cast<std::int32_t>(next));
      for (const pattern::Edge& edge : both.edges())
        if (at(edge.from) == next)
          drawn[at(edge.to)] += edge.bytes;
    }
    messages_.resize(tasks);
    for (std::size_t phase = 0; phase < phases(); ++phase)
      for (const pattern::Edge& edge : problem_.pattern.phases[phase].matrix.edges())
        if (const bool is_sent = rank[at(edge.from)] > rank[at(edge.to)]; edge.from != edge.to)
          messages_[is_sent ? rank[at(edge.from)] : rank[at(edge.to)]].push_back(
              {phase, is_sent ? edge.to : edge.from, edge.bytes, is_sent});
  }

  void meet_links() {
    const topology::Interconnect& machine = *problem_.allocation.interconnect;
    const auto& slots = problem_.allocation.slots;
    std::map<topology::Link, std::size_t> number_of;
    const auto met = [&](topology::Link link) {
      const auto [entry, is_new] = number_of.try_emplace(link, original_.size());
      if (is_new)
        original_.push_back(link);
      return entry->second;
    };
    std::vector<topology::LinkShare> route;
    for (const topology::Place from : slots)
      for (const topology::Place to : slots) {
        route.clear();
        if (from != to)
          machine.append_route(from, to, route);
        std::vector<Crossed>& found = routes_.emplace_back();
        for (const auto& [link, share] : route)
          found.push_back({met(link), share / machine.capacity(link)});
      }
    for (std::size_t link = 0; link < problem_.base_load.size(); ++link)
      if (problem_.base_load[link] > 0)
        met(static_cast<topology::Link>(link));
  }

  void begin_part() {
    double repeats = 0;
    for (const pattern::Phase& phase : problem_.pattern.phases)
      repeats += phase.repeats;
    parts_.resize(order_.size() + 1);
    Part& part = parts_.front();
    part.loads.assign((phases() + 1) * links(), 0);
    part.highest.assign(phases() + 1, 0);
    part.hops.assign(phases(), 0);
    for (std::size_t link = 0; link < links() && !problem_.base_load.empty(); ++link) {
      const double others = problem_.base_load[static_cast<std::size_t>(original_[link])] /
                            problem_.allocation.interconnect->capacity(original_[link]);
      for (std::size_t row = 0; row <= phases(); ++row) {
        const double own = row == phases() ? others : repeats > 0 ? others / repeats : 0;
        part.loads[row * links() + link] = own;
        part.highest[row] = std::max(part.highest[row], own);
      }
    }
    find_fixed_seconds();
  }

  /// What processors take for the ends of messages is the same on any slots: what identity's links and hops
  /// leave of its seconds.
  void find_fixed_seconds() {
    const auto& slots = problem_.allocation.slots;
    fixed_seconds_ =
        problem_.identity.seconds - problem_.identity.phase_link_max / problem_.costs.bytes_per_second;
    for (const pattern::Phase& phase : problem_.pattern.phases) {
      std::int64_t hops = 0;
      for (const pattern::Edge& edge : phase.matrix.edges())
        hops =
            std::max(hops, problem_.allocation.interconnect->hops(slots[at(edge.from)], slots[at(edge.to)]));
      fixed_seconds_ -= phase.repeats * static_cast<double>(hops) * problem_.costs.hop_seconds;
    }
  }

  double bound(const Part& part) const {
    Metrics found;
    found.seconds = fixed_seconds_;
    found.hop_bytes = part.hop_bytes;
    found.link_max = part.highest[phases()];
    for (std::size_t phase = 0; phase < phases(); ++phase) {
      const double repeats = problem_.pattern.phases[phase].repeats;
      found.phase_link_max += repeats * part.highest[phase];
      found.seconds += repeats * (part.highest[phase] / problem_.costs.bytes_per_second +
                                  static_cast<double>(part.hops[phase]) * problem_.costs.hop_seconds);
    }
    return value(problem_.goal, found, problem_.identity);
  }

  void add(Part& part, std::int32_t task, std::size_t number) {
    const auto& slots = problem_.allocation.slots;
    for (const Message& message : messages_[number]) {
      const std::int32_t here = slot_of_[at(task)];
      const std::int32_t there = slot_of_[at(message.other)];
      const std::int32_t from = message.is_sent ? here : there;
      const std::int32_t to = message.is_sent ? there : here;
      const double repeats = problem_.pattern.phases[message.phase].repeats;
      const std::int64_t hops = problem_.allocation.interconnect->hops(slots[at(from)], slots[at(to)]);
      part.hop_bytes += repeats * message.bytes * static_cast<double>(hops);
      part.hops[message.phase] = std::max(part.hops[message.phase], hops);
      for (const auto& [link, load] : routes_[at(from) * slots.size() + at(to)])
        for (const auto& [row, times] : {std::pair(message.phase, 1.0), {phases(), repeats}}) {
          double& sum = part.loads[row * links() + link];
          sum += times * message.bytes * load;
          part.highest[row] = std::max(part.highest[row], sum);
        }
    }
  }

  /// Puts the order's next task onto each slot that is left; of a node's free slots only onto the first.
  void place(std::size_t number) {
    const auto& slots = problem_.allocation.slots;
    if (number == order_.size()) {
      best_ = bound(parts_[number]);
      note_(slot_of_);
      return;
    }
    const std::int32_t task = order_[number];
    for (std::size_t slot = 0; slot < slots.size() && !is_over_; ++slot) {
      const auto is_same = [&](std::size_t other) { return !is_used_[other] && slots[other] == slots[slot]; };
      bool is_first = !is_used_[slot];
      for (std::size_t other = 0; other < slot && is_first; ++other)
        is_first = !is_same(other);
      if (!is_first)
        continue;
      if (++visited_ % looks_at_clock == 0) {
        budget_.spend(looks_at_clock);
        is_over_ = budget_.used() >= until_;
      }
      slot_of_[at(task)] = static_cast<std::int32_t>(slot);
      parts_[number + 1] = parts_[number];
      add(parts_[number + 1], task, number);
      constexpr double rounding = 1e-12;
      if (bound(parts_[number + 1]) < best_ * (1 - rounding)) {
        is_used_[slot] = true;
        place(number + 1);
        is_used_[slot] = false;
      }
    }
    slot_of_[at(task)] = -1;
  }

  const ExhaustiveProblem& problem_;
  double best_;
  Budget& budget_;
  double until_;
  const std::function<void(const Slots&)>& note_;
  std::vector<topology::Link> original_;     ///< of each link that was met
  std::vector<std::vector<Crossed>> routes_; ///< from slot to slot
  std::vector<std::int32_t> order_;
  std::vector<std::vector<Message>> messages_; ///< of each task in the order, with those before it
  std::vector<Part> parts_;                    ///< behind so many tasks
  double fixed_seconds_ = 0;
  Slots slot_of_;
  std::vector<bool> is_used_;
  std::int64_t visited_ = 0;
  bool is_over_ = false;
};

} // namespace

bool search_all(const ExhaustiveProblem& problem, double below, Budget& budget, double until,
                const std::function<void(const Slots&)>& note) {
  THALWEG_ASSERT(light, problem.allocation.slots.size() <= exhaustive_max);
  return Exhaustive(problem, below, budget, until, note).run();
}

} // namespace thalweg::place
