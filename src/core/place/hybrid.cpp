// SPDX-License-Identifier: BSD-3-Clause
#include "place/constructions.hpp"
#include "place/mapping.hpp"
#include "place/partition.hpp"
#include "place/published_heuristics.hpp"
#include "place/regions.hpp"

#include <numeric>

namespace thalweg::place {

namespace {

constexpr std::int32_t hybrid_part = 125;

using Members = std::vector<std::vector<std::int32_t>>;

/// Slots in parts of so many, near each other.
void halve_parts(const Distances& distances, std::vector<std::int32_t>& slots,
                 std::span<const std::int32_t> sizes, std::size_t begin, Members& parts) {
  const auto count = [](std::span<const std::int32_t> some) {
    return at(std::accumulate(some.begin(), some.end(), 0));
  };
  const std::size_t end = begin + count(sizes);
  if (sizes.size() == 1) {
    parts.emplace_back(slots.begin() + static_cast<std::ptrdiff_t>(begin),
                       slots.begin() + static_cast<std::ptrdiff_t>(end));
    return;
  }
  const auto first = sizes.first(sizes.size() / 2);
  halve(distances, slots, begin, end, count(first));
  halve_parts(distances, slots, first, begin, parts);
  halve_parts(distances, slots, sizes.subspan(first.size()), begin + count(first), parts);
}

/// What groups of tasks send each other; those of a task without a group, -1, are left out.
Graph between(const Graph& graph, const std::vector<std::int32_t>& group_of, std::int32_t groups) {
  std::vector<pattern::Edge> edges;
  for (std::int32_t task = 0; task < graph.vertices(); ++task)
    for (std::size_t edge = 0; edge < graph.degree(task); ++edge)
      if (const std::int32_t other = graph.neighbors(task)[edge];
          task < other && group_of[at(task)] >= 0 && group_of[at(other)] >= 0)
        edges.push_back({group_of[at(task)], group_of[at(other)], graph.bytes(task)[edge], 1});
  return {pattern::Matrix(groups, std::move(edges)), groups};
}

/// The mean hops between parts, in hundredths.
Distances mean_hops(const Distances& distances, const Members& parts) {
  constexpr std::int64_t hundredths = 100;
  std::vector<std::uint16_t> hops;
  for (const auto& one : parts)
    for (const auto& other : parts) {
      std::int64_t sum = 0;
      for (const std::int32_t a : one)
        for (const std::int32_t b : other)
          sum += distances(a, b);
      const auto pairs = static_cast<std::int64_t>(one.size() * other.size());
      hops.push_back(
          static_cast<std::uint16_t>(std::min(hundredths * sum / pairs, std::int64_t{UINT16_MAX})));
    }
  return {distances.allocation(), static_cast<std::int32_t>(parts.size()), std::move(hops)};
}

Mapping mapped(const Graph& graph, const Distances& distances, int rounds) {
  return graph.vertices() < 2 ? Mapping::identity(graph.vertices()) : grasp(graph, distances, rounds);
}

} // namespace

Mapping hybrid(const Graph& graph, const Distances& distances, int rounds) {
  const std::int32_t count = graph.vertices();
  const std::int32_t parts = (count + hybrid_part - 1) / hybrid_part;
  std::vector<std::int32_t> sizes;
  for (std::int32_t part = 0; part < parts; ++part)
    sizes.push_back(count / parts + (part < count % parts ? 1 : 0));
  std::vector<std::int32_t> slots(at(count));
  std::iota(slots.begin(), slots.end(), 0);
  Members slots_of;
  halve_parts(distances, slots, sizes, 0, slots_of);
  Random random(1);
  const std::vector<std::int32_t> part_of = partition(graph, sizes, random);
  Members tasks_of(at(parts));
  for (std::int32_t task = 0; task < count; ++task)
    tasks_of[at(part_of[at(task)])].push_back(task);
  const Mapping of_parts = mapped(between(graph, part_of, parts), mean_hops(distances, slots_of), rounds);
  // Some parts have one more than others: they go onto those of their own size.
  std::vector<bool> is_taken(at(parts));
  std::vector<std::int32_t> partner;
  for (std::int32_t part = 0; part < parts; ++part) {
    std::int32_t other = of_parts.slot(part);
    while (is_taken[at(other)] || sizes[at(other)] != sizes[at(part)])
      other = (other + 1) % parts;
    is_taken[at(other)] = true;
    partner.push_back(other);
  }
  Slots slot_of(at(count));
  std::vector<std::int32_t> number_of(at(count));
  for (std::int32_t part = 0; part < parts; ++part) {
    const auto& tasks = tasks_of[at(part)];
    const auto& own = slots_of[at(partner[at(part)])];
    std::ranges::fill(number_of, -1);
    machine::Allocation within{distances.allocation().interconnect, {}};
    for (std::size_t index = 0; index < tasks.size(); ++index) {
      number_of[at(tasks[index])] = static_cast<std::int32_t>(index);
      within.slots.push_back(distances.allocation().slots[at(own[index])]);
    }
    const Mapping inside =
        mapped(between(graph, number_of, static_cast<std::int32_t>(tasks.size())), Distances(within), rounds);
    for (std::size_t index = 0; index < tasks.size(); ++index)
      slot_of[at(tasks[index])] = own[at(inside.slot_of[index])];
  }
  return Mapping::of(std::move(slot_of));
}

} // namespace thalweg::place
