// SPDX-License-Identifier: BSD-3-Clause

// Strategies for network devices, all along the tree of hosts (strategies/host_tree.hpp).

#include "strategies/allgather/layout.hpp"
#include "strategies/host_tree.hpp"
#include "strategies/subtree_messages.hpp"
#include "strategies/tree_steps.hpp"

namespace thalweg::strategies {

namespace {

/// What all have in common.
Strategy nic_of(Operation operation, std::string_view summary, std::string_view wins_when,
                std::string_view source, void (*append)(Builder&)) {
  std::vector<Parameter> parameters{host_tree_radix(), host_tree_where()};
  if (schedule::is_reduction(operation))
    parameters.push_back(host_tree_sum());
  return {.name = "nic",
          .operation = operation,
          .summary = summary,
          .wins_when = wins_when,
          .source = source,
          .parameters = std::move(parameters),
          .in_place = operation != Operation::barrier && operation != Operation::broadcast,
          .uses_nodes = true,
          .offloads = true,
          .append = append};
}

} // namespace

} // namespace thalweg::strategies

namespace thalweg::strategies::barrier {

Strategy nic() {
  return nic_of(Operation::barrier,
                "tokens up and down a tree of nodes, in the network devices' packet path: a rank starts "
                "it and looks for the end",
                "one or few ranks a node on Ethernet, where each host has an agent (thalweg nic serve)",
                "Zhang 2002, section 3.3.3 (gather, then broadcast, on the network interface)",
                [](Builder& builder) {
                  const topology::TreeNode node = host_tree_node(builder);
                  append_arrival(builder, node);
                  append_release(builder, node);
                });
}

} // namespace thalweg::strategies::barrier

namespace thalweg::strategies::broadcast {

namespace {

void append_on_hosts(Builder& b) {
  const topology::TreeNode node = host_tree_node(b);
  const auto message = schedule::output(0, b.pieces());
  b.receive(node.parent, message);
  b.round();
  for (const Rank child : node.children)
    b.send(child, message);
}

} // namespace

Strategy nic() {
  return nic_of(Operation::broadcast,
                "down a tree of nodes, whose network devices keep and relay it: a rank takes it from its "
                "own when it comes",
                "short messages and late ranks on Ethernet, where each host has an agent (thalweg nic serve)",
                "Zhang 2002, section 3.3.5 (broadcast with acknowledgements that go one hop)",
                append_on_hosts);
}

} // namespace thalweg::strategies::broadcast

namespace thalweg::strategies::scatter {

Strategy nic() {
  return nic_of(Operation::scatter,
                "blocks down a tree of nodes, whose network devices keep and relay them: a rank takes "
                "its own when it comes",
                "short blocks and late ranks on Ethernet, where each host has an agent (thalweg nic serve)",
                "Zhang 2002, section 5.2 (future work)", [](Builder& b) {
                  append_scatter(b, host_tree_node(b), [&](Rank rank) { return host_subtree(b, rank); });
                });
}

} // namespace thalweg::strategies::scatter

namespace thalweg::strategies::gather {

Strategy nic() {
  return nic_of(Operation::gather, "blocks up a tree of nodes, where the network devices put them together",
                "a few bytes on Ethernet, where each host has an agent (thalweg nic serve)",
                "Zhang 2002, section 5.2 (future work)", [](Builder& b) {
                  append_gather(b, host_tree_node(b), [&](Rank rank) { return host_subtree(b, rank); });
                });
}

} // namespace thalweg::strategies::gather

namespace thalweg::strategies::allgather {

namespace {

schedule::BlockList blocks_below(const Builder& b, Rank rank) {
  schedule::BlockList blocks;
  for (const Rank below : host_subtree(b, rank))
    blocks = std::move(blocks) + schedule::output(below);
  return blocks;
}

void append_on_hosts(Builder& b) {
  const topology::TreeNode node = host_tree_node(b);
  append_own(b);
  for (const Rank child : node.children)
    b.receive(child, blocks_below(b, child));
  b.round();
  if (node.parent >= 0)
    b.send(node.parent, blocks_below(b, b.rank()));
  b.round();
  b.receive(node.parent, blocks_of(0, b.ranks()));
  b.round();
  for (const Rank child : node.children)
    b.send(child, blocks_of(0, b.ranks()));
}

} // namespace

Strategy nic() {
  return nic_of(Operation::allgather,
                "blocks up a tree of nodes, where the network devices put them together, and all down",
                "a few bytes on Ethernet, where each host has an agent (thalweg nic serve)",
                "Zhang 2002, section 5.2 (future work)", append_on_hosts);
}

} // namespace thalweg::strategies::allgather

namespace thalweg::strategies::reduce {

namespace {

void append_on_hosts(Builder& b) {
  const topology::TreeNode node = host_tree_node(b);
  const auto own = schedule::input(0, b.pieces());
  if (node.children.empty() && node.parent >= 0) {
    b.send(node.parent, own);
    return;
  }
  const auto sum = node.parent < 0 ? schedule::output(0, b.pieces())
                                   : schedule::scratch(b.scratch_blocks(b.canonical()), b.pieces());
  b.copy(own, sum);
  for (const Rank child : node.children) {
    b.round();
    b.receive_combine(child, sum, schedule::Side::right);
  }
  b.round();
  b.send(node.parent, sum);
}

} // namespace

Strategy nic() {
  return nic_of(Operation::reduce, "vectors up a tree of nodes, where the network devices combine them",
                "a few numbers on Ethernet, where each host has an agent (thalweg nic serve)",
                "Zhang 2002, section 5.2 (combining with predefined operators, as further work)",
                append_on_hosts);
}

} // namespace thalweg::strategies::reduce

namespace thalweg::strategies::allreduce {

namespace {

void append_on_hosts(Builder& b) {
  const topology::TreeNode node = host_tree_node(b);
  const auto vector = schedule::output(0, b.pieces());
  b.copy(schedule::input(0, b.pieces()), vector);
  for (const Rank child : node.children) {
    b.round();
    b.receive_combine(child, vector, schedule::Side::right);
  }
  b.round();
  b.send(node.parent, vector);
  b.round();
  b.receive(node.parent, vector);
  b.round();
  for (const Rank child : node.children)
    b.send(child, vector);
}

} // namespace

Strategy nic() {
  return nic_of(Operation::allreduce,
                "vectors up a tree of nodes, where the network devices combine them, and the result down",
                "a few numbers on Ethernet, where each host has an agent (thalweg nic serve)",
                "Zhang 2002, section 3.3.4 (a barrier with a word and a maximum)", append_on_hosts);
}

} // namespace thalweg::strategies::allreduce
