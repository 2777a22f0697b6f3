// SPDX-License-Identifier: BSD-3-Clause
#include "model/flow_network.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <random>

namespace thalweg::model {
namespace {

using topology::Place;

// Routes come and go at random: each link's list has those that cross it, the last one first.
TEST(Crossings, AreThoseOfRoutesThatAreThere) {
  std::mt19937_64 random(1);
  constexpr std::uint32_t links = 7;
  Crossings crossings;
  for (std::uint32_t link = 0; link < links; ++link)
    crossings.add_link();
  std::map<std::uint32_t, std::pair<std::uint32_t, std::uint32_t>> routes; // by flow: begin and length
  std::vector<std::vector<std::uint32_t>> model(links);
  for (std::uint32_t step = 0; step < 3000; ++step) {
    if (routes.empty() || random() % 2 == 0) {
      const auto length = static_cast<std::uint32_t>(1 + random() % 4);
      const std::uint32_t begin = crossings.allocate(length);
      for (const auto& [flow, other] : routes)
        ASSERT_TRUE(begin + length <= other.first || other.first + other.second <= begin);
      routes[step] = {begin, length};
      for (std::uint32_t i = 0; i < length; ++i) {
        const std::uint32_t link = (step + 2 * i) % links;
        crossings.put(begin + i, step, link, 0.5);
        model[link].push_back(step);
      }
    } else {
      const auto one = std::next(routes.begin(), static_cast<std::ptrdiff_t>(random() % routes.size()));
      crossings.remove(one->second.first, one->second.second);
      for (std::vector<std::uint32_t>& flows : model)
        std::erase(flows, one->first);
      routes.erase(one);
    }
    for (std::uint32_t link = 0; link < links; ++link) {
      std::vector<std::uint32_t> flows;
      for (std::uint32_t i = crossings.first(link); i != Crossings::none; i = crossings[i].next) {
        ASSERT_EQ(crossings[i].link, link);
        flows.insert(flows.begin(), crossings[i].flow);
      }
      ASSERT_EQ(flows, model[link]);
    }
  }
}

TEST(FlowHistory, JoinsWhatOneLinkHeldUp) {
  FlowHistory history(true);
  std::uint32_t last = FlowHistory::none;
  history.add(last, 3, 0, 10, 4);
  history.add(last, 3, 10, 20, 6);
  history.add(last, -1, 20, 25, 5);
  ASSERT_EQ(history.spans().size(), 2U);
  EXPECT_EQ(last, 1U);
  const FlowSpan& first = history.spans()[history.spans()[last].previous];
  EXPECT_EQ(first.previous, FlowHistory::none);
  EXPECT_EQ(first.link, 3);
  EXPECT_EQ(first.end, 20);
  EXPECT_EQ(first.done, 10);
  FlowHistory off(false);
  std::uint32_t nothing = FlowHistory::none;
  off.add(nothing, 3, 0, 10, 4);
  EXPECT_EQ(nothing, FlowHistory::none);
  EXPECT_TRUE(off.spans().empty());
}

struct Demand {
  Place from;
  Place to;
  Nanoseconds begin;
  Nanoseconds alone;
};

/// Carries flows to their ends: when each is over.
class Carried {
public:
  explicit Carried(const std::string& network) : interconnect_(topology::parse_interconnect(network)) {}

  std::vector<Nanoseconds> ends(const std::vector<Demand>& demands) {
    FlowNetwork flows(*interconnect_);
    std::multimap<Nanoseconds, std::size_t> begins;
    for (std::size_t i = 0; i < demands.size(); ++i)
      begins.emplace(demands[i].begin, i);
    std::map<FlowNetwork::Flow, std::size_t> under_way;
    std::vector<Nanoseconds> found(demands.size(), -1);
    while (!begins.empty() || !under_way.empty()) {
      Nanoseconds now = begins.empty() ? FlowNetwork::never : begins.begin()->first;
      for (const auto& [flow, demand] : under_way)
        now = std::min(now, flows.announced(flow));
      std::erase_if(under_way, [&](const auto& entry) {
        if (flows.announced(entry.first) != now || !flows.is_over(now, entry.first))
          return false;
        flows.end(now, entry.first);
        found[entry.second] = now;
        return true;
      });
      for (; !begins.empty() && begins.begin()->first == now; begins.erase(begins.begin())) {
        const Demand& demand = demands[begins.begin()->second];
        under_way.emplace(flows.start(now, demand.from, demand.to, demand.alone, demand.alone),
                          begins.begin()->second);
      }
      flows.share(now, [](FlowNetwork::Flow, Nanoseconds) {});
    }
    computed_ = flows.computed();
    return found;
  }
  std::uint64_t computed() const { return computed_; }

private:
  std::shared_ptr<const topology::Interconnect> interconnect_;
  std::uint64_t computed_ = 0;
};

TEST(FlowNetwork, HasTheClosedFormsOfAStar) {
  // Incast: all come through one link.
  for (const Place senders : {1, 3, 8, 1000}) {
    std::vector<Demand> incast;
    for (Place sender = 1; sender <= senders; ++sender)
      incast.push_back({sender, 0, 5, 1001});
    for (const Nanoseconds end : Carried("star:1001").ends(incast))
      EXPECT_EQ(end, 5 + 1001 * senders);
  }
  // All to all at once: each link has n - 1.
  std::vector<Demand> all;
  for (Place from = 0; from < 24; ++from)
    for (Place to = 0; to < 24; ++to)
      if (from != to)
        all.push_back({from, to, 0, 700});
  for (const Nanoseconds end : Carried("star:24").ends(all))
    EXPECT_EQ(end, 700 * 23);
  // Neighbors in a ring share nothing.
  std::vector<Demand> ring;
  for (Place from = 0; from < 24; ++from)
    ring.push_back({from, (from + 1) % 24, from, 999});
  const std::vector<Nanoseconds> ends = Carried("star:24").ends(ring);
  for (std::size_t i = 0; i < ends.size(); ++i)
    EXPECT_EQ(ends[i], 999 + static_cast<Nanoseconds>(i));
}

TEST(FlowNetwork, GivesTheRestToWhoCanUseIt) {
  // One joins late: alone for 100, halved for 200, alone for 100.
  EXPECT_EQ(Carried("star:4").ends({{0, 2, 0, 200}, {1, 2, 100, 200}}), (std::vector<Nanoseconds>{300, 400}));
  // Two of three on the first link are halved on the way; the textbook's: 1/3, 1/3, 1/3, then 2/3.
  EXPECT_EQ(Carried("mesh:3").ends({{0, 2, 0, 300}, {0, 1, 0, 300}, {0, 1, 0, 300}, {1, 2, 0, 600}}),
            (std::vector<Nanoseconds>{900, 900, 900, 900}));
  // Links of half the capacity, or of double: no flow is faster than alone.
  EXPECT_EQ(Carried("mesh:2,capacity=0.5").ends({{0, 1, 0, 300}}), (std::vector<Nanoseconds>{600}));
  EXPECT_EQ(Carried("mesh:2,capacity=2").ends({{0, 1, 0, 300}, {0, 1, 0, 300}, {0, 1, 0, 300}}),
            (std::vector<Nanoseconds>{450, 450, 450}));
  // A message that is spread over two ways takes half of each.
  EXPECT_EQ(Carried("mesh:2x2,route=split").ends({{0, 3, 0, 400}, {0, 1, 0, 400}}).size(), 2U);
}

/// Rates by the textbook, of all flows at once.
std::vector<double> filled(const topology::Interconnect& network,
                           const std::vector<std::pair<Place, Place>>& flows) {
  std::vector<std::vector<topology::LinkShare>> routes;
  for (const auto& [from, to] : flows)
    network.append_route(from, to, routes.emplace_back());
  std::vector<double> rates(flows.size(), -1);
  for (std::size_t fixed = 0; fixed < flows.size();) {
    std::map<topology::Link, std::pair<double, double>> links; // what is left, and by how many shares
    for (std::size_t i = 0; i < flows.size(); ++i)
      for (const auto& [link, share] : routes[i]) {
        auto& [left, weight] = links.try_emplace(link, network.capacity(link), 0.0).first->second;
        (rates[i] >= 0 ? left : weight) += rates[i] >= 0 ? -share * rates[i] : share;
      }
    double level = 1;
    for (const auto& [link, state] : links)
      if (state.second > 1e-9)
        level = std::min(level, state.first / state.second);
    const auto is_held = [&](std::size_t i) {
      return std::ranges::any_of(routes[i], [&](const topology::LinkShare& share) {
        const auto& [left, weight] = links.at(share.link);
        return weight > 1e-9 && left / weight <= level * (1 + 1e-9);
      });
    };
    std::vector<std::size_t> held;
    for (std::size_t i = 0; i < flows.size(); ++i)
      if (rates[i] < 0 && (level >= 1 || is_held(i)))
        held.push_back(i);
    for (const std::size_t i : held)
      rates[i] = level;
    fixed += held.size();
  }
  return rates;
}

// What is computed anew where something changed is what all at once would give.
TEST(FlowNetwork, IsMaxMinFairHoweverFlowsComeAndGo) {
  for (const char* name : {"torus:4x3", "mesh:7", "tree:2^3", "dragonfly:2x2x1", "star:6",
                           "mesh:3x3,route=split", "mesh:4x2,capacity=2:0.5", "fat-tree:2x2"}) {
    const auto network = topology::parse_interconnect(name, 6);
    std::mt19937 random(7);
    const auto below = [&](Place bound) { return static_cast<Place>(random()) % bound; };
    FlowNetwork flows(*network);
    std::map<FlowNetwork::Flow, std::pair<Place, Place>> active;
    for (Nanoseconds now = 0; now < 300; ++now) {
      const Place changes = 1 + below(3);
      for (Place i = 0; i < changes; ++i) {
        if (!active.empty() && below(100) < 45) {
          const auto leaver = std::next(active.begin(), below(static_cast<Place>(active.size())));
          flows.end(now, leaver->first);
          active.erase(leaver);
          continue;
        }
        const Place from = below(network->nodes());
        const Place to = (from + 1 + below(network->nodes() - 1)) % network->nodes();
        active[flows.start(now, from, to, 1'000'000, 1)] = {from, to};
      }
      flows.share(now, [](FlowNetwork::Flow, Nanoseconds) {});
      std::vector<std::pair<Place, Place>> demands;
      for (const auto& [flow, demand] : active)
        demands.push_back(demand);
      const std::vector<double> expected = filled(*network, demands);
      std::size_t i = 0;
      for (const auto& [flow, demand] : active)
        ASSERT_NEAR(flows.rate(flow), expected[i++], 1e-9) << name << " at " << now;
    }
  }
}

TEST(FlowNetwork, ComputesAnewOnlyWhatIsTouched) {
  // Pairs that share nothing with other pairs begin one after another, and end so.
  std::vector<Demand> pairs;
  for (Place pair = 0; pair < 1000; ++pair)
    pairs.push_back({2 * pair, 2 * pair + 1, pair, 5000});
  Carried carried("star:2000");
  carried.ends(pairs);
  EXPECT_EQ(carried.computed(), 1000U);
}

} // namespace
} // namespace thalweg::model
