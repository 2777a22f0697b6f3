// SPDX-License-Identifier: BSD-3-Clause
#include "model/flow_network.hpp"

#include "base/assertion.hpp"
#include "base/error.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace thalweg::model {

FlowNetwork::FlowNetwork(const topology::Interconnect& interconnect, bool has_history)
    : interconnect_(interconnect), history_(has_history) {
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
    crossings_.add_link();
  }
  return static_cast<std::uint32_t>(number);
}

std::uint32_t Crossings::allocate(std::uint32_t length) {
  THALWEG_ASSERT(light, length > 0);
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

void Crossings::put(std::uint32_t at, std::uint32_t flow, std::uint32_t link, double share) {
  std::uint32_t& first = first_[link];
  crossings_[at] = {flow, link, first, none, share};
  if (first != none)
    crossings_[first].previous = at;
  first = at;
}

void Crossings::remove(std::uint32_t begin, std::uint32_t length) {
  THALWEG_ASSERT(light, length > 0 && length < free_routes_.size());
  for (std::uint32_t i = begin; i < begin + length; ++i) {
    const Crossing& crossing = crossings_[i];
    (crossing.previous == none ? first_[crossing.link] : crossings_[crossing.previous].next) = crossing.next;
    if (crossing.next != none)
      crossings_[crossing.next].previous = crossing.previous;
  }
  crossings_[begin].next = free_routes_[length];
  free_routes_[length] = begin;
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
  state.crossings = crossings_.allocate(state.length);
  for (std::uint32_t i = 0; i < state.length; ++i) {
    const std::uint32_t number = met(route_[i].link);
    LinkState& link = links_[number];
    link.bytes += route_[i].share * static_cast<double>(bytes);
    link.busy += route_[i].share * static_cast<double>(alone) / link.capacity;
    crossings_.put(state.crossings + i, flow, number, route_[i].share);
  }
  started_.push_back(flow);
  return flow;
}

void FlowNetwork::end(Nanoseconds now, Flow flow) {
  FlowState& state = flows_[flow];
  THALWEG_ASSERT(light, state.is_active);
  settle(now, state);
  for (std::uint32_t i = state.crossings; i < state.crossings + state.length; ++i) {
    const std::uint32_t link = crossings_[i].link;
    if (!links_[link].is_left)
      left_.push_back(link);
    links_[link].is_left = true;
  }
  crossings_.remove(state.crossings, state.length);
  state.is_active = false;
  state.announced = never;
  free_flows_.push_back(flow);
}

void FlowNetwork::note_wait(Nanoseconds since, Nanoseconds now, Flow flow, topology::Link link) {
  THALWEG_ASSERT(light, flows_[flow].span == none && flows_[flow].since == now);
  if (since < now)
    history_.add(flows_[flow].span, link, since, now, 0);
}

/// Brings what is left of a flow up to date.
void FlowNetwork::settle(Nanoseconds now, FlowState& state) {
  if (now == state.since)
    return;
  THALWEG_ASSERT(normal, now > state.since);
  const double done = state.rate * static_cast<double>(now - state.since);
  if (history_.is_on()) {
    const topology::Link link = state.bottleneck == none ? -1 : links_[state.bottleneck].original;
    history_.add(state.span, link, state.since, now, done);
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
