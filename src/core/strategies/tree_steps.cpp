// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/tree_steps.hpp"

#include "base/assertion.hpp"
#include "strategies/segments.hpp"

namespace thalweg::strategies {

using schedule::After;
using schedule::Side;
using schedule::StepId;
using topology::TreeNode;
using topology::TreeShape;

std::vector<Parameter> degree_parameters(TreeShape shape) {
  switch (shape) {
  case TreeShape::kary:
    return {{.name = "degree",
             .default_value = 2,
             .min = 1,
             .max = 1024,
             .description = "children of a rank",
             .proven_at = {3, 1, 5}}};
  case TreeShape::knomial:
    return {{.name = "radix",
             .default_value = 2,
             .min = 2,
             .max = 1024,
             .description = "k of the k-nomial tree; 2: binomial",
             .proven_at = {3, 4, 8}}};
  case TreeShape::fork:
    return {{.name = "chains",
             .default_value = 2,
             .min = 1,
             .max = 1024,
             .description = "chains that hang on the root",
             .proven_at = {3, 8}}};
  case TreeShape::chain:
  case TreeShape::flat:
  case TreeShape::bine:
    return {};
  }
  return {};
}

std::vector<Parameter> pipeline_parameters(TreeShape shape, std::int64_t segment_bytes) {
  std::vector<Parameter> parameters = degree_parameters(shape);
  parameters.push_back(segment_parameter(segment_bytes));
  parameters.push_back(piece_window_parameter());
  return parameters;
}

std::int32_t degree(const Problem& problem, TreeShape shape) {
  const std::vector<Parameter> parameters = degree_parameters(shape);
  return parameters.empty() ? 1 : static_cast<std::int32_t>(problem.parameter(parameters.front().name));
}

TreeNode rooted(TreeNode node, const Problem& problem) {
  if (node.parent >= 0)
    node.parent = absolute(problem, node.parent);
  for (Rank& child : node.children)
    child = absolute(problem, child);
  return node;
}

TreeNode rooted_node(const Builder& builder, TreeShape shape) {
  const Problem& problem = builder.problem();
  return rooted(
      topology::tree_node(shape, problem.ranks, degree(problem, shape), relative(problem, builder.rank())),
      problem);
}

PipelineDown::PipelineDown(Builder& builder, TreeNode place, std::int64_t window)
    : builder_(builder), place_(std::move(place)), under_way_(static_cast<std::size_t>(window)) {
  THALWEG_ASSERT(light, window >= 1);
}

void PipelineDown::append(std::int32_t piece) {
  After& slot = under_way_[next_++ % under_way_.size()];
  const After ended = std::move(slot);
  slot.clear();
  if (place_.parent >= 0) {
    const StepId arrived = builder_.receive(place_.parent, schedule::output(piece), ended);
    for (const Rank child : place_.children)
      slot.push_back(builder_.send(child, schedule::output(piece), {arrived}));
    if (place_.children.empty())
      slot.push_back(arrived);
    return;
  }
  // The root has everything: a child that is slow holds up only its own branch.
  for (std::size_t i = 0; i < place_.children.size(); ++i)
    slot.push_back(builder_.send(place_.children[i], schedule::output(piece),
                                 ended.empty() ? After{} : After{ended[i]}));
}

CombinePlace commutative_place(const TreeNode& node) {
  CombinePlace place;
  place.parent = node.parent;
  for (auto child = node.children.rbegin(); child != node.children.rend(); ++child)
    place.children.push_back({*child, Side::right});
  return place;
}

PipelineUp::PipelineUp(Builder& builder, CombinePlace place, std::int64_t window)
    : builder_(builder), place_(std::move(place)),
      under_way_(static_cast<std::size_t>(window), schedule::nothing) {
  THALWEG_ASSERT(light, window >= 1);
  if (place_.parent >= 0 && !place_.children.empty())
    scratch_ = builder_.scratch_blocks(builder_.canonical());
}

void PipelineUp::append(std::int32_t piece) {
  StepId& last = under_way_[next_++ % under_way_.size()];
  const auto own = schedule::input(piece);
  if (place_.parent >= 0 && place_.children.empty()) {
    last = builder_.send(place_.parent, own, {last});
    return;
  }
  const bool is_root = place_.parent < 0;
  const auto sum = is_root ? schedule::output(piece) : schedule::scratch(scratch_ + piece);
  auto child = place_.children.begin();
  if (is_root) {
    const StepId copied = builder_.copy(own, sum, {last});
    last = copied == schedule::nothing ? last : copied;
  } else {
    // Receiving first and combining with the input saves the copy.
    last = builder_.receive(child->rank, sum, {last});
    last = builder_.combine(own, sum, child->side == Side::right ? Side::left : Side::right, {last});
    ++child;
  }
  for (; child != place_.children.end(); ++child)
    last = builder_.receive_combine(child->rank, sum, child->side, {last});
  if (!is_root)
    last = builder_.send(place_.parent, sum, {last});
}

UpAndDown::UpAndDown(Builder& builder, TreeNode node)
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

void append_arrival(Builder& b, const TreeNode& node) {
  for (auto child = node.children.rbegin(); child != node.children.rend(); ++child)
    b.receive_token(*child);
  b.round();
  if (node.parent >= 0)
    b.send_token(node.parent);
  b.round();
}

void append_release(Builder& b, const TreeNode& node) {
  if (node.parent >= 0)
    b.receive_token(node.parent);
  b.round();
  for (const Rank child : node.children)
    b.send_token(child);
}

} // namespace thalweg::strategies
