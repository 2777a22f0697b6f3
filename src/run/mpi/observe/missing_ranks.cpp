// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/observe/missing_ranks.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace thalweg::mpi::observe {

namespace {

constexpr std::size_t max_named = 8;

} // namespace

std::vector<MissingRanks> missing_ranks(const JobMap& map, std::span<const RankProfile> found) {
  std::vector<bool> is_found(map.nodes.size());
  std::vector<bool> is_heard_of(map.hosts.size());
  for (const RankProfile& rank : found)
    if (const auto number = static_cast<std::size_t>(rank.rank); number < is_found.size()) {
      is_found[number] = true;
      is_heard_of[static_cast<std::size_t>(map.nodes[number])] = true;
    }
  std::vector<MissingRanks> of_hosts(map.hosts.size());
  for (std::size_t host = 0; host < of_hosts.size(); ++host)
    of_hosts[host] = {map.hosts[host].name, is_heard_of[host] ? "" : map.hosts[host].part, {}};
  for (std::size_t rank = 0; rank < is_found.size(); ++rank)
    if (!is_found[rank])
      of_hosts[static_cast<std::size_t>(map.nodes[rank])].ranks.push_back(static_cast<int>(rank));
  std::erase_if(of_hosts, [](const MissingRanks& one) { return one.ranks.empty(); });
  return of_hosts;
}

std::string ranks_text(std::span<const int> ranks) {
  std::string text;
  for (std::size_t first = 0; first < ranks.size();) {
    std::size_t last = first;
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1)
      ++last;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", ranks[first]);
    if (last > first)
      text += fmt::format("-{}", ranks[last]);
    first = last + 1;
  }
  return text;
}

std::string missing_line(std::span<const MissingRanks> missing) {
  std::string text;
  for (const MissingRanks& one : missing.first(std::min(missing.size(), max_named)))
    text += fmt::format("{}rank{} {} of {}{}", text.empty() ? "missing: " : "; ",
                        one.ranks.size() == 1 ? "" : "s", ranks_text(one.ranks), one.host,
                        one.part.empty() ? "" : fmt::format(", counted in {} there", one.part));
  if (missing.size() > max_named)
    text += fmt::format("; and those of {} more hosts", missing.size() - max_named);
  return text;
}

} // namespace thalweg::mpi::observe
