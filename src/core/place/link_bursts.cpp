// SPDX-License-Identifier: BSD-3-Clause
#include "place/link_bursts.hpp"

#include "base/assertion.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <set>

namespace thalweg::place {

namespace {

using topology::Link;
using topology::Place;

/// The first slot of each node.
std::map<Place, std::int32_t> first_slots(const machine::Allocation& allocation) {
  std::map<Place, std::int32_t> first;
  for (std::size_t slot = 0; slot < allocation.slots.size(); ++slot)
    first.try_emplace(allocation.slots[slot], static_cast<std::int32_t>(slot));
  return first;
}

/// Between all pairs of nodes, those over few links first.
std::vector<Burst> all_bursts(const machine::Allocation& allocation) {
  const auto slots = first_slots(allocation);
  std::vector<Burst> bursts;
  std::vector<topology::LinkShare> route;
  for (const auto& [from, sender] : slots)
    for (const auto& [to, receiver] : slots) {
      route.clear();
      allocation.interconnect->append_route(from, to, route);
      if (route.empty())
        continue;
      Burst burst{sender, receiver, {}, std::numeric_limits<double>::infinity()};
      for (const topology::LinkShare& share : route) {
        burst.links.push_back(share.link);
        burst.capacity = std::min(burst.capacity, allocation.interconnect->capacity(share.link));
      }
      bursts.push_back(std::move(burst));
    }
  std::ranges::stable_sort(bursts, {}, [](const Burst& burst) { return burst.links.size(); });
  return bursts;
}

bool is_of_one_node(const topology::Interconnect& machine, Link link) {
  const topology::LinkEnds ends = machine.ends(link);
  return machine.vertices() > machine.nodes() && std::min(ends.from, ends.to) < machine.nodes();
}

/// Those that tell most of the links: the first over each, and a second one with other ends.
std::vector<const Burst*> chosen_bursts(const std::vector<Burst>& bursts, std::span<const Link> links,
                                        bool two_each) {
  std::map<Link, std::vector<const Burst*>> of_link;
  for (const Link link : links)
    of_link[link];
  std::vector<const Burst*> chosen;
  for (const Burst& burst : bursts) {
    bool is_needed = false;
    for (const Link link : burst.links) {
      const auto found = of_link.find(link);
      if (found == of_link.end())
        continue;
      std::vector<const Burst*>& known = found->second;
      const bool is_other = std::ranges::all_of(
          known, [&](const Burst* one) { return one->from != burst.from && one->to != burst.to; });
      if (known.size() < (two_each ? 2 : 1) && is_other) {
        known.push_back(&burst);
        is_needed = true;
      }
    }
    if (is_needed)
      chosen.push_back(&burst);
  }
  return chosen;
}

} // namespace

std::vector<BurstRound> link_bursts(const machine::Allocation& allocation,
                                    std::span<const topology::Link> links, bool two_each) {
  struct Use {
    std::set<std::int32_t> senders;
    std::set<std::int32_t> receivers;
    std::set<Link> links;
  };
  const std::vector<Burst> bursts = all_bursts(allocation);
  std::vector<BurstRound> rounds;
  std::vector<Use> uses;
  for (const Burst* burst : chosen_bursts(bursts, links, two_each)) {
    const auto fits = [&](const Use& use) {
      return !use.senders.contains(burst->from) && !use.receivers.contains(burst->to) &&
             std::ranges::none_of(burst->links, [&](Link link) { return use.links.contains(link); });
    };
    auto use = std::ranges::find_if(uses, fits);
    if (use == uses.end()) {
      uses.emplace_back();
      rounds.emplace_back();
      use = uses.end() - 1;
    }
    use->senders.insert(burst->from);
    use->receivers.insert(burst->to);
    use->links.insert(burst->links.begin(), burst->links.end());
    rounds[static_cast<std::size_t>(use - uses.begin())].push_back(*burst);
  }
  return rounds;
}

std::vector<topology::Link> burst_links(const machine::Allocation& allocation) {
  if (allocation.interconnect->spreads())
    return {};
  std::set<Link> links;
  for (const Burst& burst : all_bursts(allocation))
    std::ranges::copy_if(burst.links, std::inserter(links, links.end()),
                         [&](Link link) { return !is_of_one_node(*allocation.interconnect, link); });
  return {links.begin(), links.end()};
}

BurstTimes middle_times(std::span<const BurstTimes> passes) {
  return times_at(passes, passes.size() / 2);
}

BurstTimes times_at(std::span<const BurstTimes> passes, std::size_t faster) {
  THALWEG_ASSERT(light, faster < passes.size());
  BurstTimes times = passes.front();
  std::vector<double> all(passes.size());
  const auto wanted = all.begin() + static_cast<std::ptrdiff_t>(faster);
  for (std::size_t round = 0; round < times.size(); ++round)
    for (std::size_t burst = 0; burst < times[round].size(); ++burst) {
      std::ranges::transform(passes, all.begin(), [&](const BurstTimes& pass) { return pass[round][burst]; });
      std::ranges::nth_element(all, wanted);
      times[round][burst] = *wanted;
    }
  return times;
}

double quiet_seconds(std::span<const BurstRound> rounds, const BurstTimes& times) {
  std::vector<double> all;
  for (std::size_t round = 0; round < rounds.size(); ++round)
    for (std::size_t burst = 0; burst < rounds[round].size(); ++burst)
      all.push_back(times[round][burst] * rounds[round][burst].capacity);
  if (all.empty())
    return 0;
  const auto quarter = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 4);
  std::ranges::nth_element(all, quarter);
  return *quarter;
}

std::vector<double> free_parts(const topology::Interconnect& machine, std::span<const Link> links,
                               std::span<const BurstRound> rounds, const BurstTimes& times, double quiet,
                               double slow) {
  THALWEG_ASSERT(light, times.size() == rounds.size() && slow > 0);
  std::vector<double> parts(static_cast<std::size_t>(machine.links()), 1);
  std::map<Link, double> fastest;
  for (std::size_t round = 0; round < rounds.size(); ++round)
    for (std::size_t index = 0; index < rounds[round].size(); ++index) {
      const Burst& burst = rounds[round][index];
      const double seconds = times[round][index] * burst.capacity;
      for (const Link link : burst.links) {
        const auto found = fastest.try_emplace(link, seconds).first;
        found->second = std::min(found->second, seconds);
      }
    }
  for (const Link link : links) {
    const auto found = fastest.find(link);
    if (found != fastest.end() && quiet > 0 && found->second > slow * quiet)
      parts[static_cast<std::size_t>(link)] = quiet / found->second;
  }
  return parts;
}

} // namespace thalweg::place
