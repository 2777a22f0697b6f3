// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/segments.hpp"
#include "topology/binary_trees.hpp"

namespace thalweg::strategies::scan {

namespace {

using schedule::Side;
using schedule::StepId;

// A rank's output first becomes the sum of its left subtree and its own, which is all that its right subtree
// lacks of what lies in this subtree; the prefix of all that lies before the subtree comes from the parent
// later. Sums that nobody to the right needs, and prefixes of nothing, are not sent.
class Sweep {
public:
  explicit Sweep(Builder& b)
      : b_(b), node_(topology::inorder_node(b.ranks(), b.ranks() / 2, b.rank())),
        sum_is_needed_(node_.end < b.ranks()), has_prefix_(node_.begin > 0),
        under_way_(static_cast<std::size_t>(b.parameter("window")), schedule::nothing) {
    if (sum_is_needed_ && node_.right >= 0)
      sum_ = b.scratch_blocks(b.canonical());
    if (has_prefix_ && node_.left >= 0)
      prefix_ = b.scratch_blocks(b.canonical());
  }

  void append(std::int32_t piece) {
    StepId& last = under_way_[static_cast<std::size_t>(piece) % under_way_.size()];
    const auto result = schedule::output(piece);
    const StepId copied = b_.copy(schedule::input(piece), result, {last});
    last = copied == schedule::nothing ? last : copied;
    if (node_.left >= 0)
      last = b_.receive_combine(node_.left, result, Side::left, {last});
    if (sum_is_needed_)
      last = send_sum(piece, last);
    if (has_prefix_)
      last = take_prefix(piece, last);
    if (node_.right >= 0)
      last = b_.send(node_.right, result, {last});
  }

private:
  StepId send_sum(std::int32_t piece, StepId last) {
    if (node_.right < 0)
      return b_.send(node_.parent, schedule::output(piece), {last});
    const auto sum = schedule::scratch(sum_ + piece);
    last = b_.receive(node_.right, sum, {last});
    last = b_.combine(schedule::output(piece), sum, Side::left, {last});
    return b_.send(node_.parent, sum, {last});
  }

  StepId take_prefix(std::int32_t piece, StepId last) {
    if (node_.left < 0)
      return b_.receive_combine(node_.parent, schedule::output(piece), Side::left, {last});
    const auto prefix = schedule::scratch(prefix_ + piece);
    last = b_.receive(node_.parent, prefix, {last});
    last = b_.send(node_.left, prefix, {last});
    return b_.combine(prefix, schedule::output(piece), Side::left, {last});
  }

  Builder& b_;
  topology::InorderNode node_;
  bool sum_is_needed_;
  bool has_prefix_;
  std::int32_t sum_ = 0;
  std::int32_t prefix_ = 0;
  std::vector<StepId> under_way_;
};

void append(Builder& b) {
  Sweep sweep(b);
  for (std::int32_t piece = 0; piece < b.pieces(); ++piece)
    sweep.append(piece);
}

} // namespace

Strategy inorder_binary() {
  return {.name = "inorder_binary",
          .operation = Operation::scan,
          .summary = "sums go up a binary tree numbered in-order and prefixes down it, segment by segment",
          .wins_when = "large vectors on many ranks",
          .source = "Sanders, Traff 2006, section 4 (pipelined binary tree)",
          .parameters = {segment_parameter(32 << 10), piece_window_parameter()},
          .keeps_rank_order = true,
          .in_place = true,
          .pieces = segments,
          .append = append};
}

} // namespace thalweg::strategies::scan
