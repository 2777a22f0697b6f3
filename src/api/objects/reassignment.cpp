// SPDX-License-Identifier: BSD-3-Clause
#include "objects/reassignment.hpp"

#include "base/assertion.hpp"
#include "base/random.hpp"
#include "place/partition.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>
#include <utility>

namespace thalweg::objects {

namespace {

std::size_t at(Rank rank) {
  return static_cast<std::size_t>(rank);
}

std::vector<std::size_t> heaviest_first(const std::vector<Burden>& elements) {
  std::vector<std::size_t> order(elements.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater(),
                           [&](std::size_t one) { return elements[one].seconds; });
  return order;
}

std::vector<Rank> ranks_now(const std::vector<Burden>& elements) {
  std::vector<Rank> rank_of;
  rank_of.reserve(elements.size());
  for (const Burden& one : elements)
    rank_of.push_back(one.rank);
  return rank_of;
}

std::vector<double> seconds_by_rank(const std::vector<Burden>& elements, const std::vector<Rank>& rank_of,
                                    std::int32_t ranks) {
  THALWEG_ASSERT(normal, rank_of.size() == elements.size());
  std::vector<double> seconds(at(ranks));
  for (std::size_t one = 0; one < elements.size(); ++one)
    seconds[at(rank_of[one])] += elements[one].seconds;
  return seconds;
}

/// One for each pair that talks.
std::vector<Talk> merged(std::vector<Talk> talks) {
  for (Talk& one : talks)
    if (one.from > one.to)
      std::swap(one.from, one.to);
  std::ranges::sort(talks, {}, [](const Talk& one) { return std::pair(one.from, one.to); });
  std::vector<Talk> pairs;
  for (const Talk& one : talks)
    if (one.from == one.to)
      continue;
    else if (!pairs.empty() && pairs.back().from == one.from && pairs.back().to == one.to)
      pairs.back().bytes += one.bytes;
    else
      pairs.push_back(one);
  return pairs;
}

place::Graph graph_of(const std::vector<Talk>& all, std::size_t elements) {
  const std::vector<Talk> talks = merged(all);
  std::vector<std::size_t> begin(elements + 1);
  for (const Talk& one : talks) {
    ++begin[one.from + 1];
    ++begin[one.to + 1];
  }
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  std::vector<std::int32_t> neighbors(begin.back());
  std::vector<double> bytes(begin.back());
  std::vector<std::size_t> next(begin.begin(), begin.end() - 1);
  const auto add = [&](std::uint32_t from, std::uint32_t to, double sent) {
    neighbors[next[from]] = static_cast<std::int32_t>(to);
    bytes[next[from]++] = sent;
  };
  for (const Talk& one : talks) {
    add(one.from, one.to, one.bytes);
    add(one.to, one.from, one.bytes);
  }
  return {std::move(begin), std::move(neighbors), std::move(bytes)};
}

/// Gives each part a rank, the part first that has most on one.
std::vector<Rank> ranks_of_parts(const std::vector<Burden>& elements, const std::vector<std::int32_t>& parts,
                                 std::int32_t ranks) {
  std::vector<double> shared(at(ranks) * at(ranks)); // by part and rank
  for (std::size_t one = 0; one < elements.size(); ++one)
    shared[at(parts[one]) * at(ranks) + at(elements[one].rank)] += 1 + elements[one].seconds;
  std::vector<std::size_t> order(shared.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater(), [&](std::size_t pair) { return shared[pair]; });
  std::vector<Rank> rank_of(at(ranks), -1);
  std::vector<bool> is_taken(at(ranks));
  for (const std::size_t pair : order) {
    const std::size_t part = pair / at(ranks);
    const std::size_t rank = pair % at(ranks);
    if (rank_of[part] >= 0 || is_taken[rank])
      continue;
    rank_of[part] = static_cast<Rank>(rank);
    is_taken[rank] = true;
  }
  return rank_of;
}

} // namespace

std::vector<Rank> greedy_ranks(const std::vector<Burden>& elements, std::int32_t ranks) {
  std::vector<Rank> rank_of = ranks_now(elements);
  std::set<std::pair<double, Rank>> idlest;
  for (Rank rank = 0; rank < ranks; ++rank)
    idlest.emplace(0, rank);
  std::vector<double> seconds(at(ranks));
  for (const std::size_t one : heaviest_first(elements)) {
    Rank& rank = rank_of[one];
    if (seconds[at(rank)] > idlest.begin()->first)
      rank = idlest.begin()->second;
    idlest.erase({seconds[at(rank)], rank});
    seconds[at(rank)] += elements[one].seconds;
    idlest.emplace(seconds[at(rank)], rank);
  }
  return rank_of;
}

std::vector<Rank> refined_ranks(const std::vector<Burden>& elements, std::int32_t ranks, double threshold) {
  std::vector<Rank> rank_of = ranks_now(elements);
  std::vector<double> seconds = seconds_by_rank(elements, rank_of, ranks);
  const double limit = (1 + threshold) * std::accumulate(seconds.begin(), seconds.end(), 0.0) / ranks;
  std::vector<std::vector<std::size_t>> on(at(ranks)); // elements of each rank, heaviest first
  for (const std::size_t one : heaviest_first(elements))
    on[at(rank_of[one])].push_back(one);
  std::set<std::pair<double, Rank>> idlest;
  for (Rank rank = 0; rank < ranks; ++rank)
    idlest.emplace(seconds[at(rank)], rank);
  for (Rank from = 0; from < ranks; ++from)
    for (const std::size_t one : on[at(from)]) {
      const double its = elements[one].seconds;
      const auto [min_seconds, to] = *idlest.begin();
      if (seconds[at(from)] <= limit)
        break;
      if (its <= 0 || to == from || min_seconds + its > limit)
        continue;
      idlest.erase({seconds[at(from)], from});
      idlest.erase({min_seconds, to});
      seconds[at(from)] -= its;
      seconds[at(to)] += its;
      idlest.emplace(seconds[at(from)], from);
      idlest.emplace(seconds[at(to)], to);
      rank_of[one] = to;
    }
  return rank_of;
}

std::vector<Rank> near_ranks(const std::vector<Burden>& elements, const std::vector<Talk>& talks,
                             std::int32_t ranks, double threshold) {
  if (elements.empty())
    return {};
  std::vector<double> weights;
  weights.reserve(elements.size());
  for (const Burden& one : elements)
    weights.push_back(one.seconds);
  if (std::ranges::all_of(weights, [](double one) { return one <= 0; }))
    std::ranges::fill(weights, 1);
  Random random(elements.size());
  const std::vector<std::int32_t> parts =
      place::partition(graph_of(talks, elements.size()), weights, ranks, threshold, random);
  const std::vector<Rank> of_part = ranks_of_parts(elements, parts, ranks);
  THALWEG_ASSERT(normal, parts.size() == elements.size() && std::ranges::find(of_part, -1) == of_part.end());
  std::vector<Rank> rank_of;
  rank_of.reserve(elements.size());
  for (const std::int32_t part : parts)
    rank_of.push_back(of_part[at(part)]);
  return rank_of;
}

double slowest_seconds(const std::vector<Burden>& elements, const std::vector<Rank>& rank_of,
                       std::int32_t ranks) {
  return std::ranges::max(seconds_by_rank(elements, rank_of, ranks));
}

double cut_bytes(const std::vector<Talk>& talks, const std::vector<Rank>& rank_of) {
  double bytes = 0;
  for (const Talk& one : talks)
    if (rank_of[one.from] != rank_of[one.to])
      bytes += one.bytes;
  return bytes;
}

} // namespace thalweg::objects
