// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/order.hpp"

#include "base/assertion.hpp"
#include "schedule/buffers.hpp"
#include "topology/node_tour.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

namespace thalweg::strategies {

namespace {

using schedule::BlockList;
using schedule::RankOrders;

Parameter order_parameter() {
  return {.name = order_name,
          .kind = ParameterKind::choice,
          .max = 2,
          .description = "in which the strategy numbers ranks: their own, along a short tour of the machine, "
                         "or by their nodes' places in the network",
          .choices = {"ranks", "tour", "places"}};
}

/// A buffer's units, the unit of each rank of the order in its turn, where there is one for each rank.
std::vector<BlockList> units_in_order(schedule::Buffer buffer, std::int32_t units, std::int32_t pieces,
                                      const std::vector<Rank>& order) {
  std::vector<BlockList> renamed;
  for (std::int32_t unit = 0; unit < units; ++unit) {
    const std::int32_t own = std::ssize(order) == units ? order[static_cast<std::size_t>(unit)] : unit;
    renamed.push_back({{buffer, own * pieces, pieces}});
  }
  return renamed;
}

schedule::Subproblem in_order(const Builder& builder, const std::vector<Rank>& order) {
  const Problem& whole = builder.problem();
  const std::int32_t pieces = builder.pieces();
  const auto units = [&](schedule::Buffer buffer, std::int32_t count) {
    return units_in_order(buffer, count, pieces, order);
  };
  schedule::Subproblem sub{.problem = whole, .members = order, .input_units = {}, .output_units = {}};
  sub.problem.root = static_cast<Rank>(std::ranges::find(order, whole.root) - order.begin());
  sub.problem.orders = nullptr;
  sub.input_units = units(schedule::Buffer::input, schedule::input_units(whole, builder.rank()));
  sub.output_units = units(schedule::Buffer::output, schedule::output_units(whole, builder.rank()));
  // By the side that names all canonical blocks, also on ranks that do not have it.
  const bool is_input_shaped =
      whole.operation == Operation::scatter || whole.operation == Operation::reduce_scatter;
  if (builder.canonical() > 0)
    sub.canonical_units = units(is_input_shaped ? schedule::Buffer::input : schedule::Buffer::output,
                                builder.canonical() / pieces);
  sub.pieces = pieces;
  return sub;
}

/// Node of each rank's position in the order of nodes.
std::vector<Rank> ranks_by(const std::vector<std::int32_t>& node_order,
                           const std::vector<std::int32_t>& nodes, const std::vector<std::int32_t>& sockets) {
  std::vector<std::int32_t> position(node_order.size());
  for (std::size_t i = 0; i < node_order.size(); ++i)
    position[static_cast<std::size_t>(node_order[i])] = static_cast<std::int32_t>(i);
  std::vector<Rank> ranks(nodes.size());
  std::iota(ranks.begin(), ranks.end(), 0);
  const auto key = [&](Rank rank) {
    const auto index = static_cast<std::size_t>(rank);
    return std::tuple(position[static_cast<std::size_t>(nodes[index])], sockets.empty() ? 0 : sockets[index],
                      rank);
  };
  std::ranges::sort(ranks, {}, key);
  return ranks;
}

[[maybe_unused]] bool is_order(std::vector<Rank> order) {
  std::ranges::sort(order);
  return order.front() == 0 && order.back() + 1 == std::ssize(order) &&
         std::ranges::adjacent_find(order) == order.end();
}

/// Empty where it is the ranks' own order.
std::vector<Rank> unless_own(std::vector<Rank> order) {
  return std::ranges::is_sorted(order) ? std::vector<Rank>{} : order;
}

std::vector<std::int32_t> by_place(const std::vector<std::int32_t>& places) {
  std::vector<std::int32_t> order(places.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {},
                           [&](std::int32_t node) { return places[static_cast<std::size_t>(node)]; });
  return order;
}

} // namespace

const std::vector<Rank>* chosen_order(const Problem& problem) {
  const auto chosen = static_cast<Order>(problem.parameter(order_name));
  const bool must_keep = !problem.commutative && schedule::is_reduction(problem.operation);
  if (chosen == Order::ranks || must_keep || !problem.orders)
    return nullptr;
  const std::vector<Rank>& order = chosen == Order::tour ? problem.orders->tour : problem.orders->places;
  THALWEG_ASSERT(light, order.empty() || std::ssize(order) == problem.ranks);
  THALWEG_ASSERT(heavy, order.empty() || is_order(order));
  return order.empty() ? nullptr : &order;
}

Strategy with_order(Strategy strategy) {
  strategy.parameters.push_back(order_parameter());
  strategy.append = [append = std::move(strategy.append)](Builder& builder) {
    const std::vector<Rank>* const order = chosen_order(builder.problem());
    if (order == nullptr)
      return append(builder);
    Builder renumbered = builder.subgroup(in_order(builder, *order));
    append(renumbered);
  };
  return strategy;
}

std::shared_ptr<const RankOrders> rank_orders(const std::vector<std::int32_t>& nodes,
                                              const std::vector<std::int32_t>& sockets,
                                              const topology::NodePlaces& node_places) {
  THALWEG_ASSERT(light, sockets.empty() || sockets.size() == nodes.size());
  if (nodes.empty())
    return nullptr;
  const std::int32_t count = std::ranges::max(nodes) + 1;
  const topology::LocatedNodes located = topology::locate(node_places, count);
  const std::vector<std::int32_t> own = by_place(std::vector<std::int32_t>(static_cast<std::size_t>(count)));
  RankOrders orders;
  std::vector<std::int32_t> tour = own;
  if (located.network)
    tour = topology::node_tour(*located.network, located.places);
  orders.tour = unless_own(ranks_by(tour, nodes, sockets));
  if (!located.places.empty())
    orders.places = unless_own(ranks_by(by_place(located.places), nodes, sockets));
  if (orders.tour.empty() && orders.places.empty())
    return nullptr;
  return std::make_shared<const RankOrders>(std::move(orders));
}

std::vector<std::int64_t> orders_to_try(const RankOrders* orders) {
  std::vector<std::int64_t> values{static_cast<std::int64_t>(Order::ranks)};
  if (orders != nullptr && !orders->tour.empty())
    values.push_back(static_cast<std::int64_t>(Order::tour));
  if (orders != nullptr && !orders->places.empty() && orders->places != orders->tour)
    values.push_back(static_cast<std::int64_t>(Order::places));
  return values;
}

} // namespace thalweg::strategies
