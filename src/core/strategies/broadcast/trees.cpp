// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/segments.hpp"
#include "strategies/tree_steps.hpp"

namespace thalweg::strategies::broadcast {

namespace {

/// All pieces down the tree of that shape, with the problem's parameters.
void append_tree(Builder& builder, topology::TreeShape shape) {
  PipelineDown pipeline(builder, rooted_node(builder, shape), builder.parameter("window"));
  for (std::int32_t piece = 0; piece < builder.pieces(); ++piece)
    pipeline.append(piece);
}

} // namespace

Strategy kary() {
  return {.name = "kary",
          .operation = Operation::broadcast,
          .summary = "sends down a k-ary tree over relative ranks; every rank serves `degree` children",
          .wins_when = "middle sizes, with segments also large ones",
          .source = "Nishtala 2009 (k-ary); Zhang 2002 (binary tree on relative ranks)",
          .parameters = pipeline_parameters(topology::TreeShape::kary, 32 << 10),
          .order_matters = true,
          .pieces = segments,
          .append = [](Builder& builder) { append_tree(builder, topology::TreeShape::kary); }};
}

Strategy knomial() {
  return {.name = "knomial",
          .operation = Operation::broadcast,
          .summary = "sends down a k-nomial tree over relative ranks; radix 2 is the binomial tree",
          .wins_when = "short messages",
          .source = "Nishtala 2009 (k-nomial); Thakur, Rabenseifner, Gropp 2005, section 4",
          .parameters = pipeline_parameters(topology::TreeShape::knomial, 0),
          .order_matters = true,
          .pieces = segments,
          .append = [](Builder& builder) { append_tree(builder, topology::TreeShape::knomial); }};
}

Strategy chain() {
  return {.name = "chain",
          .operation = Operation::broadcast,
          .summary = "sends down a chain of all ranks, segments following one another",
          .wins_when = "large messages on few ranks",
          .source = "Nishtala 2009 (chain)",
          .parameters = pipeline_parameters(topology::TreeShape::chain, 32 << 10),
          .order_matters = true,
          .pieces = segments,
          .append = [](Builder& builder) { append_tree(builder, topology::TreeShape::chain); }};
}

Strategy flat() {
  return {.name = "flat",
          .operation = Operation::broadcast,
          .summary = "the root sends to every rank itself",
          .wins_when = "few ranks, or a root whose messages cost little",
          .source = "Nishtala 2009 (flat)",
          .parameters = pipeline_parameters(topology::TreeShape::flat, 0),
          .pieces = segments,
          .append = [](Builder& builder) { append_tree(builder, topology::TreeShape::flat); }};
}

Strategy fork() {
  return {.name = "fork",
          .operation = Operation::broadcast,
          .summary = "sends down `chains` chains that hang on the root, segments following one another",
          .wins_when = "large messages on a moderate number of ranks",
          .source = "Nishtala 2009 (fork)",
          .parameters = pipeline_parameters(topology::TreeShape::fork, 32 << 10),
          .order_matters = true,
          .pieces = segments,
          .append = [](Builder& builder) { append_tree(builder, topology::TreeShape::fork); }};
}

Strategy bine() {
  return {.name = "bine",
          .operation = Operation::broadcast,
          .summary = "sends down a binomial tree whose edges alternate direction and are a third shorter",
          .wins_when = "short messages where crossing between groups of nodes is dear",
          .source = "De Sensi, Pichetti, Domke et al. 2025 (Bine trees)",
          .parameters = pipeline_parameters(topology::TreeShape::bine, 0),
          .order_matters = true,
          .pieces = segments,
          .append = [](Builder& builder) { append_tree(builder, topology::TreeShape::bine); }};
}

} // namespace thalweg::strategies::broadcast
