// SPDX-License-Identifier: BSD-3-Clause
#include "objects/mpi/reassigner.hpp"

#include "base/assertion.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace thalweg::objects {

namespace {

using Key = std::pair<std::uint16_t, std::uint32_t>; // array, element

std::vector<Talk> talks_between(const std::vector<Candidate>& all,
                                const std::vector<ElementTraffic>& exchanged) {
  std::map<Key, std::uint32_t> places;
  for (const Candidate& one : all)
    places.emplace(Key{one.array, one.element}, static_cast<std::uint32_t>(places.size()));
  std::vector<Talk> talks;
  for (const ElementTraffic& one : exchanged) {
    const auto from = places.find({one.from_array, one.from});
    const auto to = places.find({one.to_array, one.to});
    if (from != places.end() && to != places.end()) // both can move
      talks.push_back({from->second, to->second, one.bytes});
  }
  return talks;
}

std::vector<Rank> ranks_by(thalweg_fence_scheme scheme, const std::vector<Burden>& burdens,
                           const std::vector<Talk>& talks, std::int32_t ranks, double threshold) {
  switch (scheme) {
  case thalweg_fence_greedy:
    return greedy_ranks(burdens, ranks);
  case thalweg_fence_near:
    if (!talks.empty())
      return near_ranks(burdens, talks, ranks, threshold);
    [[fallthrough]]; // nothing is known yet of who calls whom
  default:
    return refined_ranks(burdens, ranks, threshold);
  }
}

/// Of the rank that most elements leave, or enter.
std::uint64_t max_moves(const std::vector<Burden>& burdens, const std::vector<Rank>& rank_of,
                        std::int32_t ranks) {
  std::vector<std::uint64_t> moves(2 * static_cast<std::size_t>(ranks));
  for (std::size_t one = 0; one < burdens.size(); ++one)
    if (rank_of[one] != burdens[one].rank) {
      ++moves[2 * static_cast<std::size_t>(burdens[one].rank)];
      ++moves[2 * static_cast<std::size_t>(rank_of[one]) + 1];
    }
  return std::ranges::max(moves);
}

} // namespace

Reassignment Reassigner::decide(const std::vector<Candidate>& all,
                                const std::vector<ElementTraffic>& exchanged, thalweg_fence_scheme scheme,
                                const FenceTerms& terms, std::vector<Order>& orders) const {
  const std::int32_t ranks = scheduler_.group().ranks();
  std::vector<Burden> burdens;
  burdens.reserve(all.size());
  for (const Candidate& one : all)
    burdens.push_back({one.seconds, one.rank});
  const std::vector<Talk> talks = talks_between(all, exchanged);
  const std::vector<Rank> to = ranks_by(scheme, burdens, talks, ranks, terms.threshold);
  THALWEG_ASSERT(normal, to.size() == all.size());
  std::vector<Rank> from;
  for (const Burden& one : burdens)
    from.push_back(one.rank);

  Reassignment found;
  const double before = slowest_seconds(burdens, from, ranks);
  const double after = slowest_seconds(burdens, to, ranks);
  const double mean = std::accumulate(burdens.begin(), burdens.end(), 0.0,
                                      [](double sum, const Burden& one) { return sum + one.seconds; }) /
                      ranks;
  found.imbalance = mean > 0 ? before / mean : 1;
  found.imbalance_after = mean > 0 ? after / mean : 1;
  found.far_bytes = cut_bytes(talks, from);
  found.far_bytes_after = cut_bytes(talks, to);
  constexpr double byte_seconds = 0.5e-9; // sending and taking in, where nothing better is known
  found.gain_seconds =
      terms.steps * (before - after + byte_seconds * (found.far_bytes - found.far_bytes_after) / ranks);
  found.move_seconds = element_seconds_ * static_cast<double>(max_moves(burdens, to, ranks));
  const bool is_far = scheme == thalweg_fence_near && found.far_bytes_after < found.far_bytes;
  found.was_worth =
      (terms.are_uneven(found.imbalance) || is_far) && terms.pays(found.gain_seconds, found.move_seconds);
  for (std::size_t one = 0; found.was_worth && one < all.size(); ++one)
    if (to[one] != from[one])
      orders.push_back({all[one].array, all[one].element, from[one], to[one]});
  found.moves = orders.size();
  found.was_worth = found.was_worth && !orders.empty();
  return found;
}

Reassignment Reassigner::begin(const std::vector<Candidate>& own, thalweg_fence_scheme scheme,
                               const FenceTerms& terms) {
  const Rank rank = scheduler_.group().rank();
  control::Control& ranks = scheduler_.control();
  const std::vector<Candidate> all = ranks.run(ranks.gather(own));
  const std::vector<ElementTraffic> exchanged = ranks.run(ranks.gather(scheduler_.sample().take()));
  std::vector<Order> orders;
  Reassignment found;
  if (rank == 0)
    found = decide(all, exchanged, scheme, terms, orders);
  found = ranks.run(ranks.broadcast(found));
  orders = ranks.run(ranks.broadcast(std::move(orders)));
  for (const Order& one : orders)
    if (one.from == rank) {
      THALWEG_ASSERT(normal, one.to != rank && one.array < scheduler_.arrays().size());
      const thalweg_objects_array& array = *scheduler_.arrays()[one.array];
      array.depart(array.context, one.element, static_cast<std::uint32_t>(one.to));
    }
  return found;
}

void Reassigner::learn(const Reassignment& of, double seconds) {
  constexpr double last_counts = 0.5;
  const double elements = of.move_seconds / element_seconds_; // that it was predicted for
  if (elements > 0)
    element_seconds_ += last_counts * (seconds / elements - element_seconds_);
}

} // namespace thalweg::objects
