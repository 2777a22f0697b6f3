// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/observe/missing_ranks.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <numeric>
#include <random>
#include <set>
#include <sstream>

namespace thalweg::mpi::observe {
namespace {

// The ranks that a text names.
std::vector<int> named(const std::string& text) {
  std::vector<int> ranks;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    const std::size_t dash = part.find('-');
    const int first = std::stoi(part);
    const int last = dash == std::string::npos ? first : std::stoi(part.substr(dash + 1));
    for (int rank = first; rank <= last; ++rank)
      ranks.push_back(rank);
  }
  return ranks;
}

TEST(MissingRanks, AreAllThatWereNotFoundEachOnItsHost) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    const int hosts = 1 + static_cast<int>(random() % 5);
    const int ranks = 1 + static_cast<int>(random() % 20);
    JobMap map;
    for (int host = 0; host < hosts; ++host)
      map.hosts.push_back({fmt::format("n{}", host), host % 2 == 0 ? "" : fmt::format("/parts/{}", host)});
    std::vector<RankProfile> found;
    std::set<int> heard_of;
    std::set<int> expected;
    for (int rank = 0; rank < ranks; ++rank) {
      map.nodes.push_back(static_cast<int>(random() % static_cast<unsigned>(hosts)));
      if (random() % 3 != 0) {
        expected.insert(rank);
        continue;
      }
      found.emplace_back().rank = rank;
      heard_of.insert(map.nodes.back());
    }
    for (const MissingRanks& one : missing_ranks(map, found)) {
      const int host = std::stoi(one.host.substr(1));
      EXPECT_EQ(one.part, heard_of.contains(host) ? "" : map.hosts[static_cast<std::size_t>(host)].part);
      EXPECT_FALSE(one.ranks.empty());
      EXPECT_EQ(named(ranks_text(one.ranks)), one.ranks);
      for (const int rank : one.ranks) {
        EXPECT_EQ(map.nodes[static_cast<std::size_t>(rank)], host);
        EXPECT_EQ(expected.erase(rank), 1U) << "named twice, or found";
      }
    }
    EXPECT_TRUE(expected.empty());
  }
}

TEST(MissingRanks, AreShort) {
  std::vector<int> ranks(10'000);
  std::iota(ranks.begin(), ranks.end(), 2);
  EXPECT_EQ(ranks_text(ranks), "2-10001");
  EXPECT_EQ(ranks_text(std::vector{1, 2, 4}), "1-2, 4");
  EXPECT_EQ(missing_line({}), "");
  const std::vector<MissingRanks> many(20, {"n", "/p", {0}});
  EXPECT_NE(missing_line(many).find("those of 12 more hosts"), std::string::npos);
  EXPECT_EQ(missing_line(std::vector<MissingRanks>{{"n2", "", {2, 3}}, {"n4", "/a/b", {5}}}),
            "missing: ranks 2-3 of n2; rank 5 of n4, counted in /a/b there");
}

} // namespace
} // namespace thalweg::mpi::observe
