// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/allreduce/up_and_down.hpp"

namespace thalweg::strategies::allreduce {

using schedule::Side;
using schedule::StepId;

UpAndDown::UpAndDown(Builder& builder, topology::TreeNode node)
    : builder_(builder), node_(std::move(node)),
      under_way_(static_cast<std::size_t>(builder.parameter("window")), schedule::nothing) {}

void UpAndDown::up(std::int32_t piece) {
  StepId& last = under_way_[static_cast<std::size_t>(piece) % under_way_.size()];
  const auto own = schedule::input(piece);
  const auto sum = schedule::output(piece);
  const bool is_leaf = node_.children.empty();
  for (std::size_t i = node_.children.size(); i-- > 0;) {
    const Rank child = node_.children[i];
    if (builder_.problem().in_place || i + 1 < node_.children.size()) {
      last = builder_.receive_combine(child, sum, Side::right, {last});
    } else {
      last = builder_.receive(child, sum, {last});
      last = builder_.combine(own, sum, Side::left, {last});
    }
  }
  if (node_.parent >= 0)
    last = builder_.send(node_.parent, is_leaf ? own : sum, {last});
}

void UpAndDown::down(std::int32_t piece) {
  StepId& last = under_way_[static_cast<std::size_t>(piece) % under_way_.size()];
  if (node_.parent >= 0)
    last = builder_.receive(node_.parent, schedule::output(piece), {last});
  const StepId there = last;
  for (const Rank child : node_.children)
    last = builder_.send(child, schedule::output(piece), {there});
}

} // namespace thalweg::strategies::allreduce
