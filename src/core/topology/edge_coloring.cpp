// SPDX-License-Identifier: BSD-3-Clause
#include "topology/edge_coloring.hpp"

#include "base/arithmetic.hpp"
#include "base/assertion.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <numeric>

namespace thalweg::topology {

namespace {

constexpr std::int32_t none = -1;

/// The edges of one side of the graph, the senders or the receivers, by rank and color.
class Ends {
public:
  Ends(std::int32_t ranks, std::int32_t colors)
      : colors_(static_cast<std::size_t>(colors)), words_((colors_ + 63) / 64),
        edges_(static_cast<std::size_t>(ranks) * colors_, none),
        taken_(static_cast<std::size_t>(ranks) * words_) {}

  std::int32_t edge(Rank rank, std::int32_t color) const { return edges_[place(rank, color)]; }
  void set(Rank rank, std::int32_t color, std::int32_t edge) {
    edges_[place(rank, color)] = edge;
    const auto bit = static_cast<std::size_t>(color);
    std::uint64_t& word = taken_[static_cast<std::size_t>(rank) * words_ + bit / 64];
    const std::uint64_t mask = std::uint64_t{1} << (bit % 64);
    word = edge == none ? word & ~mask : word | mask;
  }
  std::span<const std::uint64_t> taken(Rank rank) const {
    return std::span(taken_).subspan(static_cast<std::size_t>(rank) * words_, words_);
  }

private:
  std::size_t place(Rank rank, std::int32_t color) const {
    return static_cast<std::size_t>(rank) * colors_ + static_cast<std::size_t>(color);
  }

  std::size_t colors_;
  std::size_t words_;
  std::vector<std::int32_t> edges_;
  std::vector<std::uint64_t> taken_;
};

class Coloring {
public:
  Coloring(std::int32_t ranks, std::int32_t colors, std::span<const Edge> edges)
      : edges_(edges), colors_(colors), senders_(ranks, colors), receivers_(ranks, colors),
        of_edge_(edges.size(), none) {}

  bool is_colored(std::int32_t edge) const { return of_edge_[static_cast<std::size_t>(edge)] != none; }

  /// False where one of its ends has the color.
  bool try_color(std::int32_t edge, std::int32_t color) {
    const Edge& ends = at(edge);
    if (senders_.edge(ends.from, color) != none || receivers_.edge(ends.to, color) != none)
      return false;
    put(edge, color);
    return true;
  }

  /// By a color that both ends have left, or one that is made so.
  void color(std::int32_t edge) {
    const Edge& ends = at(edge);
    const auto sender = senders_.taken(ends.from);
    const auto receiver = receivers_.taken(ends.to);
    std::int32_t common = first_left([&](std::size_t word) { return sender[word] | receiver[word]; });
    if (common == none) {
      common = first_left([&](std::size_t word) { return sender[word]; });
      exchange_along(ends.to, common, first_left([&](std::size_t word) { return receiver[word]; }));
    }
    put(edge, common);
  }

  std::vector<std::int32_t> take() { return std::move(of_edge_); }

private:
  const Edge& at(std::int32_t edge) const { return edges_[static_cast<std::size_t>(edge)]; }

  void put(std::int32_t edge, std::int32_t color) {
    of_edge_[static_cast<std::size_t>(edge)] = color;
    senders_.set(at(edge).from, color, edge);
    receivers_.set(at(edge).to, color, edge);
  }

  template <typename Taken>
  std::int32_t first_left(Taken taken) const {
    for (std::int32_t base = 0; base < colors_; base += 64) {
      const std::int32_t color = base + std::countr_one(taken(static_cast<std::size_t>(base / 64)));
      if (color < std::min(base + 64, colors_))
        return color;
    }
    return none;
  }

  /// Exchanges both colors on the path that leaves the receiver by `color`, of which it has no edge then. The
  /// path reaches senders by edges of `color` alone, so that it does not end at one that has none of these.
  void exchange_along(Rank receiver, std::int32_t color, std::int32_t other) {
    std::vector<std::int32_t> path;
    for (Rank at_receiver = receiver;;) {
      const std::int32_t there = receivers_.edge(at_receiver, color);
      if (there == none)
        break;
      path.push_back(there);
      const std::int32_t back = senders_.edge(at(there).from, other);
      if (back == none)
        break;
      path.push_back(back);
      at_receiver = at(back).to;
    }
    for (const std::int32_t edge : path) {
      const std::int32_t old = of_edge_[static_cast<std::size_t>(edge)];
      senders_.set(at(edge).from, old, none);
      receivers_.set(at(edge).to, old, none);
    }
    for (const std::int32_t edge : path)
      put(edge, of_edge_[static_cast<std::size_t>(edge)] == color ? other : color);
  }

  std::span<const Edge> edges_;
  std::int32_t colors_;
  Ends senders_;
  Ends receivers_;
  std::vector<std::int32_t> of_edge_;
};

/// Edges by how far ahead their receivers are, the commonest distances first.
std::vector<std::vector<std::int32_t>> by_shift(std::int32_t ranks, std::span<const Edge> edges,
                                                std::span<const Rank> places) {
  const auto place = [&](Rank rank) {
    return places.empty() ? rank : places[static_cast<std::size_t>(rank)];
  };
  const std::int64_t around = places.empty() ? ranks : std::int64_t{std::ranges::max(places)} + 1;
  std::map<std::int64_t, std::vector<std::int32_t>> found;
  for (std::int32_t edge = 0; edge < std::ssize(edges); ++edge) {
    const auto& [from, to] = edges[static_cast<std::size_t>(edge)];
    found[modulo(std::int64_t{place(to)} - place(from), around)].push_back(edge);
  }
  std::vector<std::vector<std::int32_t>> shifts;
  for (auto& [distance, members] : found)
    shifts.push_back(std::move(members));
  std::ranges::stable_sort(shifts, std::greater<>(), &std::vector<std::int32_t>::size);
  return shifts;
}

} // namespace

std::int32_t largest_degree(std::int32_t ranks, std::span<const Edge> edges) {
  std::vector<std::int32_t> sent(static_cast<std::size_t>(ranks));
  std::vector<std::int32_t> received(static_cast<std::size_t>(ranks));
  for (const Edge& edge : edges) {
    ++sent[static_cast<std::size_t>(edge.from)];
    ++received[static_cast<std::size_t>(edge.to)];
  }
  return ranks == 0 ? 0 : std::max(std::ranges::max(sent), std::ranges::max(received));
}

EdgeColoring color_edges(std::int32_t ranks, std::span<const Edge> edges, std::span<const Rank> places) {
  THALWEG_ASSERT(light, places.empty() || std::ssize(places) == ranks);
  const std::int32_t colors = largest_degree(ranks, edges);
  Coloring coloring(ranks, colors, edges);
  const std::vector<std::vector<std::int32_t>> shifts = by_shift(ranks, edges, places);
  for (std::size_t shift = 0; shift < shifts.size() && static_cast<std::int32_t>(shift) < colors; ++shift)
    for (const std::int32_t edge : shifts[shift])
      coloring.try_color(edge, static_cast<std::int32_t>(shift));
  for (const std::vector<std::int32_t>& shift : shifts)
    for (const std::int32_t edge : shift)
      if (!coloring.is_colored(edge))
        coloring.color(edge);
  return {colors, coloring.take()};
}

} // namespace thalweg::topology
