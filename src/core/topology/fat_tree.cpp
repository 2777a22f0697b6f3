// SPDX-License-Identifier: BSD-3-Clause
#include "topology/fat_tree.hpp"

#include "base/assertion.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace thalweg::topology {

namespace {

constexpr std::int64_t max_vertices = std::int64_t{1} << 50;

bool are_all(const std::vector<std::int32_t>& numbers, std::int32_t wanted) {
  return std::ranges::all_of(numbers, [&](std::int32_t number) { return number == wanted; });
}

} // namespace

FatTree::FatTree(FatTreeShape shape, const InterconnectName& options)
    : shape_(std::move(shape)),
      options_(options), subtree_nodes_{1}, ways_{1}, first_vertices_{0}, first_links_{0} {
  if (levels() == 0 || levels() > static_cast<std::size_t>(max_levels))
    options.refuse("has no levels, or too many", fmt::format("write 1 to {}", max_levels));
  if (options.routing == Routing::split || options.routing == Routing::adaptive)
    options.refuse("has a routing of meshes and tori", "trees have route=spread");
  for (const std::size_t given : {options.capacities.size(), options.distances.size()})
    if (given != 0 && given != levels())
      options.refuse(fmt::format("has options for {} levels", given),
                     fmt::format("give {} numbers, from the nodes up", levels()));
  for (std::size_t level = 0; level < levels(); ++level) {
    if (subtree_nodes_.back() > max_vertices / shape_.children[level] ||
        ways_.back() > max_vertices / shape_.parents[level])
      options.refuse("has too many nodes or switches", "choose smaller numbers");
    subtree_nodes_.push_back(subtree_nodes_.back() * shape_.children[level]);
    ways_.push_back(ways_.back() * shape_.parents[level]);
  }
  for (std::size_t level = 0; level <= levels(); ++level) {
    const std::int64_t subtrees = nodes() / subtree_nodes_[level];
    const std::int64_t parents = level < levels() ? shape_.parents[level] : 1;
    if (subtrees > max_vertices / ways_[level] / parents)
      options.refuse("has too many switches", "choose smaller numbers");
    first_vertices_.push_back(first_vertices_.back() + subtrees * ways_[level]);
    if (level < levels())
      first_links_.push_back(first_links_.back() + 2 * subtrees * ways_[level] * parents);
  }
}

std::string FatTree::name() const {
  const std::vector<std::int32_t>& children = shape_.children;
  const std::vector<std::int32_t>& parents = shape_.parents;
  std::string text;
  if (are_all(parents, 1))
    text = levels() == 1 ? fmt::format("star:{}", children[0])
                         : fmt::format("hierarchy:{}", fmt::join(children.rbegin(), children.rend(), "x"));
  else if (parents[0] == 1 && are_all(children, children[0]) &&
           are_all({parents.begin() + 1, parents.end()}, children[0]))
    text = fmt::format("tree:{}^{}", children[0], levels());
  else
    text = fmt::format("xgft:{}:{}", fmt::join(children, "x"), fmt::join(parents, "x"));
  return text + options_text(options_);
}

std::size_t FatTree::meeting_level(Place a, Place b) const {
  THALWEG_ASSERT(normal, a >= 0 && a < nodes() && b >= 0 && b < nodes());
  std::size_t level = 0;
  for (; a != b; ++level) {
    a /= shape_.children[level];
    b /= shape_.children[level];
  }
  return level;
}

std::int64_t FatTree::distance(std::size_t level) const {
  if (level == 0 || options_.distances.empty())
    return 2 * static_cast<std::int64_t>(level);
  return options_.distances[level - 1];
}

std::int64_t FatTree::diameter() const {
  return nodes() == 1 ? 0 : hops(0, nodes() - 1);
}

double FatTree::mean_hops() const {
  double sum = 0; // over all nodes other than one
  for (std::size_t level = 1; level <= levels(); ++level)
    sum += static_cast<double>(subtree_nodes_[level] - subtree_nodes_[level - 1]) *
           static_cast<double>(distance(level));
  return nodes() == 1 ? 0 : sum / static_cast<double>(nodes() - 1);
}

double FatTree::bisection() const {
  double weakest = 0;
  for (std::size_t level = 0; level < levels(); ++level) {
    const Place half = nodes() / subtree_nodes_[level] / 2; // of the subtrees, which are cut off above
    if (half == 0)
      break;
    const double rate = options_.capacities.empty() ? 1
                                                    : std::min(options_.capacities[level].forward,
                                                               options_.capacities[level].backward);
    const double all = static_cast<double>(half) * static_cast<double>(ways_[level + 1]) * rate;
    weakest = weakest == 0 ? all : std::min(weakest, all);
  }
  return weakest;
}

Link FatTree::cable(std::size_t level, Place node, std::int64_t way, std::int64_t parent) const {
  const Vertex at = node / subtree_nodes_[level] * ways_[level] + way;
  return first_links_[level] + 2 * (at * shape_.parents[level] + parent);
}

void FatTree::append_route(Place from, Place to, std::vector<LinkShare>& route) const {
  const std::size_t top = meeting_level(from, to);
  if (options_.routing == Routing::spread) {
    for (std::size_t level = 0; level < top; ++level)
      for (std::int64_t way = 0; way < ways_[level]; ++way)
        for (std::int64_t parent = 0; parent < shape_.parents[level]; ++parent) {
          const double share = 1 / static_cast<double>(ways_[level + 1]);
          route.push_back({cable(level, from, way, parent), share});
          route.push_back({cable(level, to, way, parent) + 1, share});
        }
    return;
  }
  const std::size_t begin = route.size();
  route.resize(begin + 2 * top);
  std::int64_t way = 0;
  for (std::size_t level = 0; level < top; ++level) {
    const std::int64_t parent = to / ways_[level] % shape_.parents[level];
    route[begin + level] = {cable(level, from, way, parent), 1};
    route[begin + 2 * top - 1 - level] = {cable(level, to, way, parent) + 1, 1};
    way += parent * ways_[level];
  }
}

std::size_t FatTree::level_below(Link link) const {
  return static_cast<std::size_t>(std::ranges::upper_bound(first_links_, link) - first_links_.begin()) - 1;
}

LinkEnds FatTree::ends(Link link) const {
  THALWEG_ASSERT(normal, link >= 0 && link < links());
  const std::size_t level = level_below(link);
  const Link number = (link - first_links_[level]) / 2;
  const Vertex below = number / shape_.parents[level];
  const std::int64_t parent = number % shape_.parents[level];
  const std::int64_t way = below % ways_[level] + parent * ways_[level];
  THALWEG_ASSERT(normal, way < ways_[level + 1]);
  const Vertex above = below / ways_[level] / shape_.children[level] * ways_[level + 1] + way;
  const LinkEnds up{first_vertices_[level] + below, first_vertices_[level + 1] + above};
  return link % 2 == 0 ? up : LinkEnds{up.to, up.from};
}

double FatTree::capacity(Link link) const {
  if (options_.capacities.empty())
    return 1;
  const Capacity& rate = options_.capacities[level_below(link)];
  return link % 2 == 0 ? rate.forward : rate.backward;
}

std::string FatTree::link_name(Link link) const {
  const std::size_t level = level_below(link);
  const Link number = (link - first_links_[level]) / 2;
  const std::string below = level == 0 ? fmt::format("node {}", number / shape_.parents[level])
                                       : fmt::format("switch {}.{}", level, number / shape_.parents[level]);
  const std::string way =
      shape_.parents[level] == 1 ? "" : fmt::format(" {}", number % shape_.parents[level]);
  return fmt::format("{} {}{}", below, link % 2 == 0 ? "up" : "down", way);
}

} // namespace thalweg::topology
