// SPDX-License-Identifier: BSD-3-Clause
#include "topology/node_tour.hpp"

#include "base/assertion.hpp"
#include "topology/tour.hpp"

#include <algorithm>
#include <numeric>

namespace thalweg::topology {

namespace {

using Order = std::vector<std::int32_t>;

/// Up to so many nodes parts are turned round, which takes the square of their number several times.
constexpr std::size_t shortened_max = 400;
/// Up to so many the nearest of those left is looked for.
constexpr std::size_t nearest_max = 4000;
constexpr int sweeps_max = 50;

class RoundTrips {
public:
  RoundTrips(const Network& network, std::span<const std::int32_t> places)
      : network_(network), places_(places) {}

  std::int64_t hops(std::int32_t a, std::int32_t b) const {
    return network_.hops(places_[static_cast<std::size_t>(a)], places_[static_cast<std::size_t>(b)]);
  }

  Order own() const {
    Order order(places_.size());
    std::iota(order.begin(), order.end(), 0);
    return order;
  }

  Order by_place() const {
    Order order = own();
    std::ranges::stable_sort(order, {}, [&](std::int32_t node) { return place(node); });
    return order;
  }

  Order along_curve(const Grid& grid) const { return tour(grid, Order64(places_.begin(), places_.end())); }

  /// From node 0 on always to the nearest that is left.
  Order by_nearest() const {
    Order order = own();
    for (auto next = order.begin() + 1; next < order.end(); ++next)
      std::iter_swap(next, std::min_element(next, order.end(), [&](std::int32_t a, std::int32_t b) {
                       return hops(next[-1], a) < hops(next[-1], b);
                     }));
    return order;
  }

  /// Turns parts round as long as that makes the trip shorter.
  void shorten(Order& order) const {
    for (int sweep = 0; sweep < sweeps_max; ++sweep) {
      bool gained = false;
      for (std::size_t i = 0; i + 2 < order.size(); ++i)
        for (std::size_t j = i + 2; j < order.size(); ++j)
          gained |= turn_if_shorter(order, i, j);
      if (!gained)
        return;
    }
  }

private:
  using Order64 = std::vector<Place>;

  std::int32_t place(std::int32_t node) const { return places_[static_cast<std::size_t>(node)]; }

  /// The part behind i up to j.
  bool turn_if_shorter(Order& order, std::size_t i, std::size_t j) const {
    const std::int32_t after = order[(j + 1) % order.size()];
    const std::int64_t before = hops(order[i], order[i + 1]) + hops(order[j], after);
    if (hops(order[i], order[j]) + hops(order[i + 1], after) >= before)
      return false;
    std::reverse(order.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                 order.begin() + static_cast<std::ptrdiff_t>(j) + 1);
    return true;
  }

  const Network& network_;
  std::span<const std::int32_t> places_;
};

/// The same trip from node 0 on, toward the lower one of its neighbors.
Order from_first(Order order) {
  std::ranges::rotate(order, std::ranges::find(order, 0));
  if (order.size() > 2 && order.back() < order[1])
    std::reverse(order.begin() + 1, order.end());
  return order;
}

} // namespace

std::int64_t round_trip_hops(const Network& network, std::span<const std::int32_t> places,
                             std::span<const std::int32_t> order) {
  const RoundTrips trips(network, places);
  std::int64_t total = 0;
  for (std::size_t i = 0; i < order.size(); ++i)
    total += trips.hops(order[i], order[(i + 1) % order.size()]);
  return total;
}

std::vector<std::int32_t> node_tour(const Network& network, std::span<const std::int32_t> places) {
  const RoundTrips trips(network, places);
  Order best = trips.own();
  if (places.size() < 3)
    return best;
  std::vector<Order> beginnings{best, trips.by_place()};
  if (const auto grid = network.grid())
    beginnings.push_back(trips.along_curve(*grid));
  if (places.size() <= nearest_max)
    beginnings.push_back(trips.by_nearest());
  std::int64_t shortest = round_trip_hops(network, places, best);
  for (Order& order : beginnings) {
    if (places.size() <= shortened_max)
      trips.shorten(order);
    if (const std::int64_t found = round_trip_hops(network, places, order); found < shortest) {
      shortest = found;
      best = std::move(order);
    }
  }
  THALWEG_ASSERT(light, best.size() == places.size());
  THALWEG_ASSERT(heavy, std::ranges::is_permutation(best, trips.own()));
  return from_first(std::move(best));
}

} // namespace thalweg::topology
