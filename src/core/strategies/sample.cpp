// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/sample.hpp"

#include "base/error.hpp"
#include "schedule/carried_blocks.hpp"
#include "schedule/goal.hpp"
#include "strategies/degree.hpp"
#include "strategies/order.hpp"
#include "strategies/selection.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace thalweg::strategies {

namespace {

// Beyond, blocks that are passed on are taken for as long as the mean.
constexpr std::int32_t ranks_followed = 2048;

std::shared_ptr<const std::vector<std::int32_t>> nodes_of(const SampleSize& size) {
  if (!size.nodes.empty())
    return std::make_shared<const std::vector<std::int32_t>>(size.nodes);
  const bool has_network = !size.node_places.network.empty() || !size.node_places.places.empty();
  const std::int32_t each = size.ranks_per_node == 0 && has_network ? 1 : size.ranks_per_node;
  if (each == 0)
    return nullptr;
  std::vector<std::int32_t> nodes;
  for (Rank rank = 0; rank < size.ranks; ++rank)
    nodes.push_back(rank / each);
  return std::make_shared<const std::vector<std::int32_t>>(std::move(nodes));
}

/// Every rank's neighbors are the one before and the one after it.
std::shared_ptr<const std::vector<schedule::Neighborhood>> ring(std::int32_t ranks) {
  std::vector<schedule::Neighborhood> neighborhoods;
  for (Rank rank = 0; rank < ranks; ++rank) {
    const Rank before = (rank + ranks - 1) % ranks;
    const Rank after = (rank + 1) % ranks;
    neighborhoods.push_back({.sources = {before, after}, .destinations = {after, before}});
  }
  return std::make_shared<const std::vector<schedule::Neighborhood>>(std::move(neighborhoods));
}

void require(bool holds, const std::string& problem, const std::string& remedy) {
  if (!holds)
    throw Error(problem, remedy);
}

/// Throws Error where the problem's parameters choose an order that is not known.
void find_orders(Problem& problem, const Strategy& strategy, const topology::NodePlaces& node_places) {
  if (problem.nodes) {
    const std::int32_t nodes = *std::ranges::max_element(*problem.nodes) + 1;
    const std::string why = topology::locate(node_places, nodes).why_unknown;
    require(why.empty(), fmt::format("the network's routes are not known: {}", why),
            "give a shape with a place for each node");
    problem.orders = rank_orders(*problem.nodes, {}, node_places);
  }
  require(!strategy.order_matters || problem.parameter(order_name) == 0 || chosen_order(problem) != nullptr,
          "no order of these ranks is better known than their own",
          "say where their nodes are: --network ring --places 3,0,1,2");
}

/// As the network says, where nobody else has.
std::shared_ptr<const std::vector<std::int32_t>> leaves_of(const Problem& problem, const SampleSize& size) {
  if (!problem.nodes)
    return nullptr;
  std::vector<std::int32_t> leaves =
      size.leaves ? *size.leaves : topology::leaves_of(size.node_places, *problem.nodes);
  return leaves.empty() ? nullptr : std::make_shared<const std::vector<std::int32_t>>(std::move(leaves));
}

} // namespace

Sample make_sample(std::string_view text, const SampleSize& size) {
  const Selection selection = parse_selection(text);
  const Scheduled& scheduled = schedule_of(selection);
  const Strategy& strategy = scheduled.strategy();
  require(size.ranks >= 1, fmt::format("{} ranks", size.ranks), "choose at least 1");
  require(size.root >= 0 && size.root < size.ranks, fmt::format("root {} of {} ranks", size.root, size.ranks),
          fmt::format("choose 0 to {}", size.ranks - 1));
  require(size.ranks_per_node >= 0, fmt::format("{} ranks on a node", size.ranks_per_node),
          "choose at least 1");
  Problem problem{.operation = selection.call->operation, .ranks = size.ranks, .root = size.root};
  problem.commutative = !strategy.keeps_rank_order;
  problem.unit_bytes = size.unit_bytes;
  problem.parameters = scheduled.parameters();
  if (strategy.order_matters && problem.parameter(order_name) != 0)
    problem.commutative = true;
  require(size.nodes.empty() || std::ssize(size.nodes) == size.ranks,
          fmt::format("nodes of {} ranks, of which there are {}", size.nodes.size(), size.ranks),
          "give each rank's node");
  require(!size.leaves || size.leaves->empty() || std::ssize(*size.leaves) == size.ranks,
          fmt::format("switches of {} ranks, of which there are {}", size.leaves ? size.leaves->size() : 0,
                      size.ranks),
          "give the switch of each rank's node");
  check_degree(*selection.call, size.degree);
  problem.nodes = nodes_of(size);
  find_orders(problem, strategy, size.node_places);
  if (strategy.offloads)
    problem.leaves = leaves_of(problem, size);
  if (is_among_neighbors(problem.operation))
    problem.neighborhoods = size.degree > 0 ? neighborhoods_of(size.ranks, size.degree) : ring(size.ranks);
  if (const auto why = unsupported_reason(strategy, problem))
    throw Error(fmt::format("{} cannot do this: {}", to_text(selection), *why),
                "choose other parameters, ranks or another strategy");
  problem = with_phases(strategy, std::move(problem), size.node_places);
  return {.strategy = &strategy, .problem = std::move(problem), .degree = size.degree};
}

schedule::Schedule build(const Sample& sample, Rank rank) {
  require(rank >= 0 && rank < sample.problem.ranks,
          fmt::format("rank {} of {} ranks", rank, sample.problem.ranks),
          fmt::format("choose 0 to {}", sample.problem.ranks - 1));
  return build(*sample.strategy, sample.problem, rank, sample.degree);
}

std::vector<std::vector<std::int64_t>> message_bytes(const Sample& sample, std::int64_t unit_bytes) {
  if (!carries_empty_blocks(*sample.strategy, sample.degree) || sample.problem.ranks > ranks_followed)
    return {};
  return schedule::message_bytes(build_all(sample), sample.degree, unit_bytes);
}

std::string export_goal(const Sample& sample, std::int64_t unit_bytes) {
  return schedule::export_goal(build_all(sample), {.unit_bytes = block_bytes(sample, unit_bytes)},
                               message_bytes(sample, unit_bytes));
}

std::int64_t block_bytes(const Sample& sample, std::int64_t unit_bytes) {
  return block_bytes(*sample.strategy, sample.problem, unit_bytes, sample.degree);
}

std::vector<schedule::Schedule> build_all(const Sample& sample) {
  return build_all(*sample.strategy, sample.problem, sample.degree);
}

} // namespace thalweg::strategies
