// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Renumbering inside of collectives: a strategy that is written for ranks 0, 1, 2, .. runs on the same ranks
// in an order that follows the machine. Ranks stay where they are and keep their data; only who is whose
// neighbor in the schedule changes. (Sudheer Kumar 2012, section 5.5.2: an all-gather is 20 to 30 % faster
// along a Hilbert curve.)

#include "strategies/strategy.hpp"
#include "topology/network.hpp"

namespace thalweg::strategies {

/// The parameter's name, and its values.
inline constexpr std::string_view order_name = "order";
enum class Order : std::int8_t { ranks, tour, places };

/// The strategy with the parameter `order`.
Strategy with_order(Strategy strategy);

/// The order that the problem's parameters choose; null: the ranks' own, which is also taken where no other
/// is known, or none that is better, and for operators that do not commute.
const std::vector<Rank>* chosen_order(const Problem& problem);

/// The orders of a group of ranks that are worth a trial; null where their own is as good. Each node's ranks
/// follow each other, by socket and then by rank. A function of its arguments alone, the same on all ranks.
///   tour    the nodes along a round trip through the network (topology/node_tour.hpp), from the first rank's
///           on; without a known network in the order in which ranks first appear on them
///   places  the nodes by their numbers in the network, so that strategies that cut ranks into halves, rows
///           or layers cut the machine; empty where places are not known
/// `nodes` and `sockets` are each rank's, numbered from 0; no sockets: not known.
std::shared_ptr<const schedule::RankOrders> rank_orders(const std::vector<std::int32_t>& nodes,
                                                        const std::vector<std::int32_t>& sockets,
                                                        const topology::NodePlaces& node_places);

/// The values of the parameter that make a difference for these orders, its default first.
std::vector<std::int64_t> orders_to_try(const schedule::RankOrders* orders);

} // namespace thalweg::strategies
