// SPDX-License-Identifier: BSD-3-Clause

// Max-min fair rates of the flows that a change reaches.

#include "base/assertion.hpp"
#include "model/flow_network.hpp"

#include <algorithm>
#include <functional>

namespace thalweg::model {

namespace {

/// By so much two rates may differ that are the same number.
constexpr double flow_rate_tolerance = 1e-9;

bool is_faster(double rate, double other) {
  return rate > other * (1 + flow_rate_tolerance);
}

} // namespace

void FlowNetwork::find_rates() {
  for (const Flow flow : started_)
    if (flows_[flow].is_active)
      include(flow);
  for (const std::uint32_t link : left_) {
    links_[link].is_left = false;
    for (std::uint32_t i = crossings_.first(link); i != none; i = crossings_[i].next)
      if (flows_[crossings_[i].flow].bottleneck == link)
        include(crossings_[i].flow);
  }
  started_.clear();
  left_.clear();
  if (affected_.empty())
    return;
  do
    fill();
  while (spread());
  for (const std::uint32_t link : in_play_)
    links_[link].is_in_play = false;
  in_play_.clear();
}

void FlowNetwork::include(Flow flow) {
  FlowState& state = flows_[flow];
  if (state.is_affected)
    return;
  state.is_affected = true;
  state.next_rate = 0; // not known yet
  affected_.push_back(flow);
  for (std::uint32_t i = state.crossings; i < state.crossings + state.length; ++i)
    if (LinkState& link = links_[crossings_[i].link]; !link.is_in_play) {
      link.is_in_play = true;
      in_play_.push_back(crossings_[i].link);
    }
}

/// What a link has for the affected flows, of which none has a rate yet.
void FlowNetwork::put_in_play(std::uint32_t number) {
  LinkState& link = links_[number];
  link.residual = link.capacity;
  link.weight = 0;
  link.unfixed = 0;
  link.level = -1;
  for (std::uint32_t i = crossings_.first(number); i != none; i = crossings_[i].next) {
    const FlowState& state = flows_[crossings_[i].flow];
    if (state.is_affected) {
      link.weight += crossings_[i].share;
      ++link.unfixed;
    } else {
      link.residual -= crossings_[i].share * state.rate;
    }
  }
  if (link.unfixed > 0)
    candidates_.push_back({std::max(link.residual, 0.0) / link.weight, number});
}

/// Progressive filling: all grow alike until a link is full, whose flows then have their rate.
void FlowNetwork::fill() {
  candidates_.clear();
  for (const std::uint32_t link : in_play_)
    put_in_play(link);
  std::ranges::make_heap(candidates_, std::greater());
  for (const Flow flow : affected_)
    flows_[flow].is_fixed = false;
  while (!candidates_.empty()) {
    std::ranges::pop_heap(candidates_, std::greater());
    Candidate candidate = candidates_.back();
    candidates_.pop_back();
    const LinkState& link = links_[candidate.link];
    if (link.unfixed == 0)
      continue;
    const double level = std::max(link.residual, 0.0) / link.weight;
    if (level > candidate.level) { // others that cross it have become fixed since
      candidate.level = level;
      candidates_.push_back(candidate);
      std::ranges::push_heap(candidates_, std::greater());
      continue;
    }
    if (candidate.level >= 1)
      break;
    fix_at(candidate);
  }
  for (const Flow flow : affected_)
    if (!flows_[flow].is_fixed)
      fix(flow, 1, none);
  computed_ += affected_.size();
}

void FlowNetwork::fix_at(const Candidate& candidate) {
  LinkState& link = links_[candidate.link];
  link.level = candidate.level;
  for (std::uint32_t i = crossings_.first(candidate.link); i != none && link.unfixed > 0;
       i = crossings_[i].next) {
    const FlowState& state = flows_[crossings_[i].flow];
    if (state.is_affected && !state.is_fixed)
      fix(crossings_[i].flow, candidate.level, candidate.link);
  }
}

void FlowNetwork::fix(Flow flow, double rate, std::uint32_t bottleneck) {
  FlowState& state = flows_[flow];
  THALWEG_ASSERT(normal, state.is_affected && !state.is_fixed && rate >= 0 && rate <= 1);
  state.next_rate = rate;
  state.next_bottleneck = bottleneck;
  state.is_fixed = true;
  for (std::uint32_t i = state.crossings; i < state.crossings + state.length; ++i) {
    LinkState& link = links_[crossings_[i].link];
    THALWEG_ASSERT(normal, link.unfixed > 0);
    link.residual -= crossings_[i].share * rate;
    link.weight -= crossings_[i].share;
    --link.unfixed;
  }
}

/// Takes those in whose bottleneck is none any more. Were there any?
bool FlowNetwork::spread() {
  const std::size_t before = affected_.size();
  const std::size_t links = in_play_.size();
  for (std::size_t k = 0; k < links; ++k) {
    const std::uint32_t number = in_play_[k];
    double fastest = 0;
    bool has_others = false;
    for (std::uint32_t i = crossings_.first(number); i != none; i = crossings_[i].next) {
      const FlowState& state = flows_[crossings_[i].flow];
      if (state.is_affected)
        fastest = std::max(fastest, state.next_rate);
      else
        has_others = true;
    }
    if (!has_others)
      continue;
    for (std::uint32_t i = crossings_.first(number); i != none; i = crossings_[i].next) {
      const Flow flow = crossings_[i].flow;
      if (!flows_[flow].is_affected && has_lost_bottleneck(flows_[flow], number, fastest))
        include(flow);
    }
  }
  return affected_.size() > before;
}

bool FlowNetwork::has_lost_bottleneck(const FlowState& other, std::uint32_t number, double fastest) const {
  const LinkState& link = links_[number];
  if (link.level >= 0 && is_faster(other.rate, link.level))
    return true; // it holds affected flows up, and may not be faster than they are
  if (other.bottleneck != number)
    return false;
  const bool is_full = link.residual <= flow_rate_tolerance * link.capacity;
  return !is_full || is_faster(fastest, other.rate);
}

} // namespace thalweg::model
