// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Messages as flows that share links: each carries its bytes at a rate that changes when others begin or end.
//
// Rates are max-min fair (Bertsekas and Gallager 1992, "Data networks", 6.5.2): no flow can be faster but at
// the cost of one that is not faster than it. So each flow has a bottleneck, a link that is full and on which
// no other is faster, or it is as fast as it would be alone. From this property follows what has to be
// computed anew when a flow begins or ends: those flows whose bottleneck a link is that was left, the new
// ones, and as long as some flow has lost its bottleneck, that one too. Others keep their rates, however many
// share a link with those. A flow that ends later than was thought is looked at again when that time comes.
//
// Times are whole nanoseconds. Rates are doubles that are only added, multiplied and divided, without
// contraction (CMakeLists.txt), so they are the same bits on every machine and for all optimization levels.

#include "base/assertion.hpp"
#include "topology/interconnect.hpp"

#include <cstdint>
#include <limits>
#include <vector>

namespace thalweg::model {

/// A time or a duration in nanoseconds.
using Nanoseconds = std::int64_t;

/// What a link carried.
struct LinkLoad {
  topology::Link link = 0;
  double bytes = 0;
  double busy = 0; ///< nanoseconds that it would have taken at its full capacity
};

/// A time during which one link held a flow up, or none did.
struct FlowSpan {
  std::uint32_t previous = std::numeric_limits<std::uint32_t>::max(); ///< of the same flow
  topology::Link link = -1;
  Nanoseconds begin = 0;
  Nanoseconds end = 0;
  double done = 0; ///< of this time, what the flow would have taken alone for what it carried
};

/// What held flows up: of each a chain of spans, the last one first.
class FlowHistory {
public:
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

  /// One that is off stays empty.
  explicit FlowHistory(bool is_on) : is_on_(is_on) {}

  bool is_on() const { return is_on_; }
  /// A flow, whose last span is `last`, was held up by that link meanwhile (-1: by none), and carried what it
  /// would have carried alone in the time `done`. `last` becomes its last span.
  void add(std::uint32_t& last, topology::Link link, Nanoseconds begin, Nanoseconds end, double done) {
    if (!is_on_)
      return;
    if (last == none || spans_[last].link != link) {
      spans_.push_back({last, link, begin, end, done});
      last = static_cast<std::uint32_t>(spans_.size() - 1);
      return;
    }
    THALWEG_ASSERT(normal, spans_[last].end == begin);
    spans_[last].end = end;
    spans_[last].done += done;
  }
  const std::vector<FlowSpan>& spans() const { return spans_; }

private:
  bool is_on_;
  std::vector<FlowSpan> spans_;
};

/// Which flows cross which links. A route's crossings lie together; those of a link are a list, the last one
/// that was put in first.
class Crossings {
public:
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
  struct Crossing {
    std::uint32_t flow = none;
    std::uint32_t link = none;
    std::uint32_t next = none; ///< on the link; of free routes: the next free one of that length
    std::uint32_t previous = none;
    double share = 0; ///< of the flow
  };

  /// A link more, which nothing crosses.
  void add_link() { first_.push_back(none); }
  /// Room for a route's crossings, of which there are one or more: the number of the first. Each has to be
  /// put in then. What remove() gave back is used again.
  std::uint32_t allocate(std::uint32_t length);
  void put(std::uint32_t at, std::uint32_t flow, std::uint32_t link, double share);
  /// Takes a route's crossings out.
  void remove(std::uint32_t begin, std::uint32_t length);

  /// The first of a link's crossings, or none; others by their `next`.
  std::uint32_t first(std::uint32_t link) const { return first_[link]; }
  const Crossing& operator[](std::uint32_t crossing) const { return crossings_[crossing]; }

private:
  std::vector<Crossing> crossings_;
  std::vector<std::uint32_t> first_;       ///< of each link
  std::vector<std::uint32_t> free_routes_; ///< by length
};

class FlowNetwork {
public:
  using Flow = std::uint32_t;
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
  static constexpr Nanoseconds never = std::numeric_limits<Nanoseconds>::max();

  /// Keeps a reference to the interconnect. With a history it knows what held which flow up. Throws Error for
  /// one of 2^31 links or more.
  explicit FlowNetwork(const topology::Interconnect& interconnect, bool has_history = false);

  /// Begins a flow between two different nodes, which alone takes `alone` nanoseconds. Nothing is known of
  /// its end until share() has been called. Numbers of flows that have ended are used again.
  Flow start(Nanoseconds now, topology::Place from, topology::Place to, Nanoseconds alone,
             std::int64_t bytes);
  void end(Nanoseconds now, Flow flow);
  /// For the history of a flow that was started just now: it has waited for that link since then.
  void note_wait(Nanoseconds since, Nanoseconds now, Flow flow, topology::Link link);

  /// Computes rates anew after all flows have begun and ended that do so now. Calls what it is given for
  /// flows whose end must be looked at earlier than was said before: with the flow and the time.
  template <typename Call>
  void share(Nanoseconds now, Call call) {
    find_rates();
    for (const Flow flow : affected_)
      if (update(now, flow))
        call(flow, flows_[flow].announced);
    forget();
  }

  /// At a time that share() gave for a flow: is it over now? If not, it is to be looked at again at
  /// announced(). Of several times given for one flow only the last counts: others are not its announced().
  bool is_over(Nanoseconds now, Flow flow);
  Nanoseconds announced(Flow flow) const { return flows_[flow].announced; }

  /// How fast a flow is since share() was called, as a part of what it is alone.
  double rate(Flow flow) const { return flows_[flow].rate; }
  /// The last of a flow's spans, after it has ended and until another begins; others by their `previous`.
  std::uint32_t last_span(Flow flow) const { return flows_[flow].span; }
  const std::vector<FlowSpan>& spans() const { return history_.spans(); }
  /// What the links carried of flows that have begun, in the order in which they were met.
  std::vector<LinkLoad> loads() const;
  std::uint64_t computed() const { return computed_; } ///< rates, in all

private:
  struct FlowState {
    double remaining = 0; ///< nanoseconds that it would still take alone
    double rate = 0;      ///< of what it has alone
    Nanoseconds since = 0;
    Nanoseconds announced = never;
    double next_rate = 0;
    std::uint32_t crossings = none; ///< the first of its crossings, which lie together
    std::uint32_t length = 0;       ///< of its route
    std::uint32_t bottleneck = none;
    std::uint32_t next_bottleneck = none;
    std::uint32_t span = none;
    bool is_active = false;
    bool is_affected = false;
    bool is_fixed = false;
  };

  struct LinkState {
    topology::Link original = 0;
    double capacity = 1;
    double bytes = 0;
    double busy = 0;
    /// While rates are computed:
    std::uint32_t unfixed = 0;
    double residual = 0;
    double weight = 0;
    double level = -1; ///< the rate of affected flows whose bottleneck it is; -1: of none
    bool is_in_play = false;
    bool is_left = false;
  };

  struct Candidate {
    double level;
    std::uint32_t link;
    bool operator>(const Candidate& other) const {
      return level > other.level || (level == other.level && link > other.link);
    }
  };

  std::uint32_t met(topology::Link link);
  void settle(Nanoseconds now, FlowState& state);
  bool update(Nanoseconds now, Flow flow);
  void forget();

  void find_rates();
  void include(Flow flow);
  void put_in_play(std::uint32_t link);
  void fill();
  void fix_at(const Candidate& candidate);
  void fix(Flow flow, double rate, std::uint32_t bottleneck);
  bool spread();
  bool has_lost_bottleneck(const FlowState& other, std::uint32_t link, double fastest) const;

  const topology::Interconnect& interconnect_;
  std::vector<std::int32_t> number_of_; ///< of the interconnect's links; -1: not met
  std::vector<LinkState> links_;
  std::vector<FlowState> flows_;
  std::vector<Flow> free_flows_;
  Crossings crossings_;
  FlowHistory history_;
  std::vector<topology::LinkShare> route_;

  std::vector<Flow> started_;
  std::vector<std::uint32_t> left_; ///< links
  std::vector<Flow> affected_;
  std::vector<std::uint32_t> in_play_; ///< links
  std::vector<Candidate> candidates_;  ///< a heap
  std::uint64_t computed_ = 0;
};

} // namespace thalweg::model
