// SPDX-License-Identifier: BSD-3-Clause
#include "base/assertion.hpp"
#include "place/graph_cut.hpp"
#include "place/mapping.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <queue>

namespace thalweg::place {

namespace {

struct Move {
  double gain;
  std::int32_t vertex;
  bool operator<(const Move& other) const {
    return gain != other.gain ? gain < other.gain : vertex > other.vertex;
  }
};

/// One pass of Fiduccia and Mattheyses: every vertex moves once at most, the best first, and what made it
/// worse in the end is taken back.
class Pass {
public:
  Pass(const CutGraph& graph, Sides& sides, std::int32_t first, std::int32_t slack)
      : graph_(graph), sides_(sides), slack_(slack), over_(-first), gains_(sides.size()),
        is_locked_(sides.size()) {
    for (std::size_t vertex = 0; vertex < sides.size(); ++vertex)
      if (sides[vertex] == 0)
        over_ += graph.sizes[vertex];
    const bool is_off = std::abs(over_) > slack;
    for (std::int32_t vertex = 0; vertex < graph.vertices(); ++vertex) {
      bool is_boundary = is_off || graph.pull[at(vertex)] != 0;
      double gain = sides[at(vertex)] == 0 ? -graph.pull[at(vertex)] : graph.pull[at(vertex)];
      for (std::size_t edge = graph.begin[at(vertex)]; edge < graph.begin[at(vertex) + 1]; ++edge) {
        const bool is_cut = sides[at(graph.neighbors[edge])] != sides[at(vertex)];
        gain += is_cut ? graph.bytes[edge] : -graph.bytes[edge];
        is_boundary = is_boundary || is_cut;
      }
      gains_[at(vertex)] = gain;
      if (is_boundary)
        queues_[sides[at(vertex)]].push({gain, vertex});
    }
  }

  /// Whether anything became better.
  bool run() {
    constexpr std::size_t patience_min = 32;
    constexpr std::size_t patience_max = 400;
    const std::size_t patience = std::clamp(sides_.size() / 8, patience_min, patience_max);
    double gained = 0;
    double best = 0;
    std::int32_t best_off = std::max(std::abs(over_), slack_);
    const std::int32_t first_off = best_off;
    std::size_t kept = 0;
    while (moved_.size() < kept + patience) {
      const int from = side_to_leave();
      if (from < 0)
        break;
      const std::int32_t vertex = queues_[from].top().vertex;
      queues_[from].pop();
      gained += gains_[at(vertex)];
      move(vertex);
      const std::int32_t off = std::max(std::abs(over_), slack_);
      constexpr double rounding = 1e-12;
      if (off < best_off || (off == best_off && gained > best + rounding * std::abs(best))) {
        best_off = off;
        best = gained;
        kept = moved_.size();
      }
    }
    for (std::size_t index = moved_.size(); index > kept; --index)
      sides_[at(moved_[index - 1])] ^= 1U;
    return best > 0 || best_off < first_off;
  }

private:
  /// The side whose best vertex may move and gains most; -1: none. A side that is too large has to give.
  int side_to_leave() {
    for (std::size_t side = 0; side < 2; ++side)
      while (!queues_[side].empty()) {
        const auto [gain, vertex] = queues_[side].top();
        if (!is_locked_[at(vertex)] && gain == gains_[at(vertex)] && sides_[at(vertex)] == side)
          break;
        queues_[side].pop();
      }
    if (queues_[0].empty() && queues_[1].empty())
      return -1;
    const auto may = [&](int side) {
      if (queues_[static_cast<std::size_t>(side)].empty())
        return false;
      const std::int32_t size = graph_.sizes[at(queues_[static_cast<std::size_t>(side)].top().vertex)];
      const std::int32_t after = side == 0 ? over_ - size : over_ + size;
      // A step beyond the slack is allowed where the next can make up for it.
      return std::abs(after) <= slack_ + size || std::abs(after) < std::abs(over_);
    };
    if (over_ > slack_)
      return queues_[0].empty() ? -1 : 0;
    if (over_ < -slack_)
      return queues_[1].empty() ? -1 : 1;
    if (!may(0) || !may(1))
      return may(0) ? 0 : may(1) ? 1 : -1;
    return queues_[0].top().gain >= queues_[1].top().gain ? 0 : 1;
  }

  void move(std::int32_t vertex) {
    const std::uint8_t from = sides_[at(vertex)];
    over_ += from == 0 ? -graph_.sizes[at(vertex)] : graph_.sizes[at(vertex)];
    sides_[at(vertex)] = from ^ 1U;
    is_locked_[at(vertex)] = true;
    moved_.push_back(vertex);
    for (std::size_t edge = graph_.begin[at(vertex)]; edge < graph_.begin[at(vertex) + 1]; ++edge) {
      const std::int32_t other = graph_.neighbors[edge];
      if (is_locked_[at(other)])
        continue;
      const double bytes = graph_.bytes[edge];
      gains_[at(other)] += sides_[at(other)] == from ? 2 * bytes : -2 * bytes;
      queues_[sides_[at(other)]].push({gains_[at(other)], other});
    }
  }

  const CutGraph& graph_;
  Sides& sides_;
  std::int32_t slack_;
  std::int32_t over_; ///< what side 0 has more than it is to have
  std::vector<double> gains_;
  std::vector<bool> is_locked_;
  std::array<std::priority_queue<Move>, 2> queues_;
  std::vector<std::int32_t> moved_;
};

} // namespace

void refine(const CutGraph& graph, Sides& sides, std::int32_t first, std::int32_t slack) {
  THALWEG_ASSERT(light, sides.size() == graph.sizes.size() && slack >= 0);
  constexpr int passes_max = 8;
  for (int pass = 0; pass < passes_max; ++pass)
    if (!Pass(graph, sides, first, slack).run())
      return;
}

} // namespace thalweg::place
