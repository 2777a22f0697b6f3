// SPDX-License-Identifier: BSD-3-Clause
#include "model/flow_network.hpp"

#include "base/assertion.hpp"
#include "base/error.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace thalweg::model {

FlowNetwork::FlowNetwork(const topology::Interconnect& interconnect, bool has_history)
    : interconnect_(interconnect), has_history_(has_history) {
  if (interconnect.links() > std::numeric_limits<std::int32_t>::max())
    throw Error(fmt::format("{} has {} links", interconnect.name(), interconnect.links()),
                "choose a network of fewer than 2^31 links");
  number_of_.assign(static_cast<std::size_t>(interconnect.links()), -1);
}

std::uint32_t FlowNetwork::met(topology::Link link) {
  std::int32_t& number = number_of_[static_cast<std::size_t>(link)];
  if (number < 0) {
    number = static_cast<std::int32_t>(links_.size());
    links_.push_back({.original = link, .capacity = interconnect_.capacity(link)});
  }
  return static_cast<std::uint32_t>(number);
}

/// Room for a route's crossings; that of routes which have ended is used again.
std::uint32_t FlowNetwork::allocate(std::uint32_t length) {
  if (length >= free_routes_.size())
    free_routes_.resize(length + 1, none);
  std::uint32_t& free = free_routes_[length];
  if (free == none) {
    const auto begin = static_cast<std::uint32_t>(crossings_.size());
    crossings_.resize(crossings_.size() + length);
    return begin;
  }
  const std::uint32_t begin = free;
  free = crossings_[begin].next;
  return begin;
}

FlowNetwork::Flow FlowNetwork::start(Nanoseconds now, topology::Place from, topology::Place to,
                                     Nanoseconds alone, std::int64_t bytes) {
  THALWEG_ASSERT(light, from != to && alone > 0);
  Flow flow = static_cast<Flow>(flows_.size());
  if (free_flows_.empty()) {
    flows_.emplace_back();
  } else {
    flow = free_flows_.back();
    free_flows_.pop_back();
  }
  route_.clear();
  interconnect_.append_route(from, to, route_);
  FlowState& state = flows_[flow];
  state = {.remaining = static_cast<double>(alone), .since = now, .is_active = true};
  state.length = static_cast<std::uint32_t>(route_.size());
  state.crossings = allocate(state.length);
  for (std::uint32_t i = 0; i < state.length; ++i) {
    const std::uint32_t number = met(route_[i].link);
    LinkState& link = links_[number];
    link.bytes += route_[i].share * static_cast<double>(bytes);
    link.busy += route_[i].share * static_cast<double>(alone) / link.capacity;
    crossings_[state.crossings + i] = {flow, number, link.first, none, route_[i].share};
    if (link.first != none)
      crossings_[link.first].previous = state.crossings + i;
    link.first = state.crossings + i;
  }
  started_.push_back(flow);
  return flow;
}

void FlowNetwork::end(Nanoseconds now, Flow flow) {
  FlowState& state = flows_[flow];
  THALWEG_ASSERT(light, state.is_active);
  settle(now, state);
  for (std::uint32_t i = state.crossings; i < state.crossings + state.length; ++i) {
    const Crossing& crossing = crossings_[i];
    (crossing.previous == none ? links_[crossing.link].first : crossings_[crossing.previous].next) =
        crossing.next;
    if (crossing.next != none)
      crossings_[crossing.next].previous = crossing.previous;
    if (!links_[crossing.link].is_left)
      left_.push_back(crossing.link);
    links_[crossing.link].is_left = true;
  }
  crossings_[state.crossings].next = free_routes_[state.length];
  free_routes_[state.length] = state.crossings;
  state.is_active = false;
  state.announced = never;
  free_flows_.push_back(flow);
}

void FlowNetwork::note_wait(Nanoseconds since, Nanoseconds now, Flow flow, topology::Link link) {
  if (!has_history_ || since == now)
    return;
  flows_[flow].span = static_cast<std::uint32_t>(spans_.size());
  spans_.push_back({.link = link, .begin = since, .end = now});
}

/// Brings what is left of a flow up to date.
void FlowNetwork::settle(Nanoseconds now, FlowState& state) {
  if (now == state.since)
    return;
  const double done = state.rate * static_cast<double>(now - state.since);
  if (has_history_) {
    const topology::Link link = state.bottleneck == none ? -1 : links_[state.bottleneck].original;
    if (state.span == none || spans_[state.span].link != link) {
      spans_.push_back({state.span, link, state.since, now, done});
      state.span = static_cast<std::uint32_t>(spans_.size() - 1);
    } else {
      spans_[state.span].end = now;
      spans_[state.span].done += done;
    }
  }
  state.remaining = std::max(0.0, state.remaining - done);
  state.since = now;
}

/// Gives a flow its new rate. Must its end be looked at earlier than was thought?
bool FlowNetwork::update(Nanoseconds now, Flow flow) {
  constexpr double rounding = 1e-12; // of sums in another order
  FlowState& state = flows_[flow];
  const bool is_same = std::abs(state.next_rate - state.rate) <= rounding * state.rate;
  if (is_same && state.next_bottleneck == state.bottleneck)
    return false;
  settle(now, state);
  state.bottleneck = state.next_bottleneck;
  if (is_same)
    return false;
  state.rate = state.next_rate;
  const Nanoseconds over = now + std::llround(state.remaining / state.rate);
  if (over >= state.announced)
    return false;
  state.announced = over;
  return true;
}

bool FlowNetwork::is_over(Nanoseconds now, Flow flow) {
  FlowState& state = flows_[flow];
  const Nanoseconds over = state.since + std::llround(state.remaining / state.rate);
  if (over <= now)
    return true;
  state.announced = over;
  return false;
}

/// Ends what share() began.
void FlowNetwork::forget() {
  for (const Flow flow : affected_)
    flows_[flow].is_affected = false;
  affected_.clear();
}

std::vector<LinkLoad> FlowNetwork::loads() const {
  std::vector<LinkLoad> loads;
  loads.reserve(links_.size());
  for (const LinkState& link : links_)
    loads.push_back({link.original, link.bytes, link.busy});
  return loads;
}

} // namespace thalweg::model
