// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/barrier/tree.hpp"

namespace thalweg::strategies::barrier {

void append_arrival(Builder& b, const topology::TreeNode& node) {
  for (auto child = node.children.rbegin(); child != node.children.rend(); ++child)
    b.receive_token(*child);
  b.round();
  if (node.parent >= 0)
    b.send_token(node.parent);
  b.round();
}

void append_release(Builder& b, const topology::TreeNode& node) {
  if (node.parent >= 0)
    b.receive_token(node.parent);
  b.round();
  for (const Rank child : node.children)
    b.send_token(child);
}

void append_tree(Builder& b, topology::TreeShape shape) {
  const topology::TreeNode node = rooted_node(b, shape);
  append_arrival(b, node);
  append_release(b, node);
}

} // namespace thalweg::strategies::barrier
