// SPDX-License-Identifier: BSD-3-Clause
#include "topology/phase_contention.hpp"

#include "base/assertion.hpp"

#include <algorithm>
#include <utility>

namespace thalweg::topology {

namespace {

constexpr std::int32_t none = -1;

double excess(double load) {
  return std::max(0.0, load * (load - 1));
}

/// What the phases' messages put on links.
class Loads {
public:
  Loads(const RankSites& sites, std::span<const Edge> edges, const EdgeColoring& coloring)
      : links_(static_cast<std::size_t>(sites.network.links())),
        loads_(links_ * static_cast<std::size_t>(coloring.colors)) {
    for (Link link = 0; link < sites.network.links(); ++link)
      weights_.push_back(1 / sites.network.capacity(link));
    for (std::size_t edge = 0; edge < edges.size(); ++edge) {
      std::vector<LinkShare> route;
      const auto place = [&](Rank rank) { return sites.place_of_rank[static_cast<std::size_t>(rank)]; };
      sites.network.append_route(place(edges[edge].from), place(edges[edge].to), route);
      routes_.push_back(std::move(route));
      change(static_cast<std::int32_t>(edge), coloring.of_edge[edge], 1);
    }
  }

  const std::vector<LinkShare>& route(std::int32_t edge) const {
    return routes_[static_cast<std::size_t>(edge)];
  }

  /// Puts a message into a phase (1) or takes it out (-1); gives what that changes of the contention.
  double change(std::int32_t edge, std::int32_t phase, int sign) {
    double changed = 0;
    for (const auto& [link, share] : route(edge)) {
      double& load = loads_[place(link, phase)];
      const double before = excess(load);
      load += sign * share * weights_[static_cast<std::size_t>(link)];
      changed += excess(load) - before;
    }
    return changed;
  }

  bool shares_a_link(std::int32_t edge, std::int32_t phase) const {
    return std::ranges::any_of(route(edge), [&](const LinkShare& on) {
      return loads_[place(on.link, phase)] > on.share * weights_[static_cast<std::size_t>(on.link)] + 1e-9;
    });
  }

  double contention() const {
    double sum = 0;
    for (const double load : loads_)
      sum += excess(load);
    return sum;
  }

private:
  std::size_t place(Link link, std::int32_t phase) const {
    return static_cast<std::size_t>(phase) * links_ + static_cast<std::size_t>(link);
  }

  std::size_t links_;
  std::vector<double> loads_;
  std::vector<double> weights_;
  std::vector<std::vector<LinkShare>> routes_;
};

class Relief {
public:
  Relief(const RankSites& sites, std::span<const Edge> edges, EdgeColoring coloring, std::int64_t work)
      : edges_(edges), coloring_(std::move(coloring)), colors_(static_cast<std::size_t>(coloring_.colors)),
        loads_(sites, edges, coloring_), work_(work), sent_(sites.place_of_rank.size() * colors_, none),
        received_(sent_) {
    for (std::int32_t edge = 0; edge < std::ssize(edges_); ++edge)
      enter(edge);
  }

  EdgeColoring run() && {
    for (bool has_moved = true; has_moved && work_ > 0;) {
      has_moved = false;
      for (std::int32_t edge = 0; edge < std::ssize(edges_) && work_ > 0; ++edge)
        has_moved = (loads_.shares_a_link(edge, color(edge)) && improve(edge)) || has_moved;
    }
    return std::move(coloring_);
  }

private:
  std::int32_t& color(std::int32_t edge) { return coloring_.of_edge[static_cast<std::size_t>(edge)]; }
  std::int32_t& sent(Rank rank, std::int32_t color) {
    return sent_[static_cast<std::size_t>(rank) * colors_ + static_cast<std::size_t>(color)];
  }
  std::int32_t& received(Rank rank, std::int32_t color) {
    return received_[static_cast<std::size_t>(rank) * colors_ + static_cast<std::size_t>(color)];
  }
  const Edge& at(std::int32_t edge) const { return edges_[static_cast<std::size_t>(edge)]; }

  void enter(std::int32_t edge) {
    sent(at(edge).from, color(edge)) = edge;
    received(at(edge).to, color(edge)) = edge;
  }

  /// The edges of two colors that hang together with one.
  std::vector<std::int32_t> chain(std::int32_t edge, std::int32_t other) {
    const std::int32_t own = color(edge);
    std::vector<std::int32_t> found{edge};
    bool is_ring = false;
    for (std::int32_t last = edge, next = other; !is_ring; next = next == own ? other : own) {
      const std::int32_t at_receiver = received(at(last).to, next);
      if (at_receiver == none)
        break;
      found.push_back(at_receiver);
      next = next == own ? other : own;
      last = sent(at(at_receiver).from, next);
      is_ring = last == edge;
      if (last == none || is_ring)
        break;
      found.push_back(last);
    }
    if (is_ring)
      return found;
    for (std::int32_t last = edge, next = other;; next = next == own ? other : own) {
      const std::int32_t at_sender = sent(at(last).from, next);
      if (at_sender == none)
        break;
      found.push_back(at_sender);
      next = next == own ? other : own;
      last = received(at(at_sender).to, next);
      if (last == none)
        break;
      found.push_back(last);
    }
    return found;
  }

  /// Moves the chain's messages each to the other phase; gives what that changes.
  double move(const std::vector<std::int32_t>& chain, std::int32_t one, std::int32_t other) {
    double changed = 0;
    for (const std::int32_t edge : chain) {
      work_ -= std::ssize(loads_.route(edge));
      changed += loads_.change(edge, color(edge), -1);
      sent(at(edge).from, color(edge)) = none;
      received(at(edge).to, color(edge)) = none;
    }
    for (const std::int32_t edge : chain) {
      color(edge) = color(edge) == one ? other : one;
      changed += loads_.change(edge, color(edge), 1);
      enter(edge);
    }
    return changed;
  }

  /// Moves it to the phase where that gains most.
  bool improve(std::int32_t edge) {
    const std::int32_t own = color(edge);
    double best = -1e-6;
    std::int32_t chosen = none;
    for (std::int32_t other = 0; other < coloring_.colors && work_ > 0; ++other) {
      if (other == own)
        continue;
      const std::vector<std::int32_t> moved = chain(edge, other);
      const double changed = move(moved, own, other);
      move(moved, own, other);
      if (changed < best) {
        best = changed;
        chosen = other;
      }
    }
    if (chosen == none)
      return false;
    move(chain(edge, chosen), own, chosen);
    return true;
  }

  std::span<const Edge> edges_;
  EdgeColoring coloring_;
  std::size_t colors_;
  Loads loads_;
  std::int64_t work_;
  std::vector<std::int32_t> sent_;
  std::vector<std::int32_t> received_;
};

} // namespace

double contention(const RankSites& sites, std::span<const Edge> edges, const EdgeColoring& coloring) {
  return Loads(sites, edges, coloring).contention();
}

EdgeColoring with_less_contention(const RankSites& sites, std::span<const Edge> edges, EdgeColoring coloring,
                                  std::int64_t work) {
  THALWEG_ASSERT(light, coloring.of_edge.size() == edges.size());
  return Relief(sites, edges, std::move(coloring), work).run();
}

} // namespace thalweg::topology
