// SPDX-License-Identifier: BSD-3-Clause

// A published table as an oracle for routes: messages that meet on the ring of the Cell processor, whose
// eight cores stand round it as 1 3 5 7 6 4 2 0 (Sudheer Kumar 2012, section 4.4, which judges these 30 cases
// by how many go each way, how many go half-way round, and how many overlap).

#include "topology/interconnect.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>

namespace thalweg::topology {
namespace {

constexpr int cores = 8;
constexpr std::array<int, cores> round_the_ring = {1, 3, 5, 7, 6, 4, 2, 0};

/// The thread on each core.
struct Affinity {
  const char* name;
  std::array<int, cores> threads;
};
constexpr std::array<Affinity, 5> affinities = {{{"Identity", {0, 1, 2, 3, 4, 5, 6, 7}},
                                                 {"Ring", {0, 7, 1, 6, 2, 5, 3, 4}},
                                                 {"Overlap", {0, 7, 2, 5, 4, 3, 6, 1}},
                                                 {"EvenOdd", {0, 4, 2, 6, 1, 5, 3, 7}},
                                                 {"Leap2", {0, 4, 7, 3, 1, 5, 6, 2}}}};

Place place_of_thread(const Affinity& affinity, int thread) {
  const auto core = std::ranges::find(affinity.threads, thread) - affinity.threads.begin();
  return std::ranges::find(round_the_ring, core) - round_the_ring.begin();
}

/// Messages clockwise, counter-clockwise and half-way round; and the most that overlap in a direction,
/// without those that may go either way.
std::string judged(const std::vector<std::pair<int, int>>& messages, const Affinity& affinity) {
  const auto ring = parse_interconnect("torus:8");
  std::array<int, 3> counts = {};
  std::map<Link, int> loads;
  for (const auto& [from, to] : messages) {
    std::vector<LinkShare> route;
    ring->append_route(place_of_thread(affinity, from), place_of_thread(affinity, to), route);
    if (std::ssize(route) == cores / 2) {
      ++counts[2];
      continue;
    }
    ++counts[static_cast<std::size_t>(route.front().link % 2)];
    for (const LinkShare& step : route)
      ++loads[step.link];
  }
  int most = 0;
  for (const auto& [link, load] : loads)
    most = std::max(most, load);
  return fmt::format("{}/{}/{};{}", counts[0], counts[1], counts[2], most);
}

TEST(CellRing, MessagesMeetAsPublished) {
  std::map<std::string, std::vector<std::pair<int, int>>> patterns;
  for (int thread = 0; thread < cores; ++thread) {
    patterns["ring"].push_back({thread, (thread + 1) % cores});
    for (int stage = 0; stage < 3; ++stage)
      patterns[fmt::format("recursive doubling {}", stage + 1)].push_back({thread, thread ^ 1 << stage});
    patterns["Bruck 2"].push_back({(thread + 2) % cores, thread});
    if (thread % 2 == 0)
      patterns["binomial 3"].push_back({thread, thread + 1});
  }
  const std::map<std::string, std::array<const char*, 5>> published = {
      {"ring", {"3/3/2;2", "0/8/0;1", "3/1/4;3", "3/3/2;2", "4/4/0;1"}},
      {"recursive doubling 1", {"4/4/0;2", "4/4/0;1", "0/0/8;0", "4/4/0;2", "4/4/0;2"}},
      {"recursive doubling 2", {"4/4/0;1", "4/4/0;2", "4/4/0;1", "4/4/0;1", "0/0/8;0"}},
      {"recursive doubling 3", {"4/4/0;2", "0/0/8;0", "4/4/0;2", "4/4/0;2", "4/4/0;2"}},
      {"Bruck 2", {"4/4/0;1", "8/0/0;2", "6/2/0;1", "4/4/0;1", "2/2/4;1"}},
      {"binomial 3", {"2/2/0;2", "0/4/0;1", "0/0/4;0", "2/2/0;2", "2/2/0;1"}}};
  for (const auto& [pattern, row] : published)
    for (std::size_t column = 0; column < affinities.size(); ++column)
      EXPECT_EQ(judged(patterns.at(pattern), affinities[column]), row[column])
          << pattern << ' ' << affinities[column].name;
}

} // namespace
} // namespace thalweg::topology
