// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/broadcast/pipeline.hpp"

namespace thalweg::strategies::broadcast {

using schedule::After;

Pipeline::Pipeline(Builder& builder, topology::TreeNode place, std::int64_t window)
    : builder_(builder), place_(std::move(place)), under_way_(static_cast<std::size_t>(window)) {}

void Pipeline::append(std::int32_t piece) {
  After& slot = under_way_[next_++ % under_way_.size()];
  const After ended = std::move(slot);
  slot.clear();
  if (place_.parent >= 0) {
    const schedule::StepId arrived = builder_.receive(place_.parent, schedule::output(piece), ended);
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

void append_tree(Builder& builder, topology::TreeShape shape) {
  Pipeline pipeline(builder, rooted_node(builder, shape), builder.parameter("window"));
  for (std::int32_t piece = 0; piece < builder.pieces(); ++piece)
    pipeline.append(piece);
}

} // namespace thalweg::strategies::broadcast
