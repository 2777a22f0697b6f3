// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/segments.hpp"
#include "topology/binary_trees.hpp"

namespace thalweg::strategies::exscan {

namespace {

using schedule::Side;
using schedule::StepId;

// As in the scan, with two values: the output becomes the sum of what is left of this rank, and `running`
// that and its own, which the right subtree and the parent need. The input is saved in `running` first: in
// place the output lies on it.
class Sweep {
public:
  explicit Sweep(Builder& b)
      : b_(b), node_(topology::inorder_node(b.ranks(), b.ranks() / 2, b.rank())),
        sum_is_needed_(node_.end < b.ranks()), has_prefix_(node_.begin > 0),
        running_(b.scratch_blocks(b.canonical())),
        under_way_(static_cast<std::size_t>(b.parameter("window")), schedule::nothing) {
    if (sum_is_needed_ && node_.right >= 0)
      sum_ = b.scratch_blocks(b.canonical());
    if (has_prefix_ && node_.left >= 0)
      prefix_ = b.scratch_blocks(b.canonical());
  }

  void append(std::int32_t piece) {
    StepId& last = under_way_[static_cast<std::size_t>(piece) % under_way_.size()];
    const auto running = schedule::scratch(running_ + piece);
    last = b_.copy(schedule::input(piece), running, {last});
    if (node_.left >= 0) {
      last = b_.receive(node_.left, schedule::output(piece), {last});
      last = b_.combine(schedule::output(piece), running, Side::left, {last});
    }
    if (sum_is_needed_)
      last = send_sum(piece, last);
    if (has_prefix_)
      last = take_prefix(piece, last);
    if (node_.right >= 0)
      last = b_.send(node_.right, running, {last});
  }

private:
  StepId send_sum(std::int32_t piece, StepId last) {
    const auto running = schedule::scratch(running_ + piece);
    if (node_.right < 0)
      return b_.send(node_.parent, running, {last});
    const auto sum = schedule::scratch(sum_ + piece);
    last = b_.receive(node_.right, sum, {last});
    last = b_.combine(running, sum, Side::left, {last});
    return b_.send(node_.parent, sum, {last});
  }

  StepId take_prefix(std::int32_t piece, StepId last) {
    const auto result = schedule::output(piece);
    auto prefix = result;
    if (node_.left < 0) {
      last = b_.receive(node_.parent, result, {last});
    } else {
      prefix = schedule::scratch(prefix_ + piece);
      last = b_.receive(node_.parent, prefix, {last});
      last = b_.send(node_.left, prefix, {last});
      last = b_.combine(prefix, result, Side::left, {last});
    }
    return node_.right < 0 ? last
                           : b_.combine(prefix, schedule::scratch(running_ + piece), Side::left, {last});
  }

  Builder& b_;
  topology::InorderNode node_;
  bool sum_is_needed_;
  bool has_prefix_;
  std::int32_t running_;
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
          .operation = Operation::exscan,
          .summary = "sums go up a binary tree numbered in-order and prefixes down it, segment by segment",
          .wins_when = "large vectors on many ranks",
          .source = "Sanders, Traff 2006, section 4 (pipelined binary tree)",
          .parameters = {segment_parameter(32 << 10), piece_window_parameter()},
          .keeps_rank_order = true,
          .in_place = true,
          .pieces = segments,
          .append = append};
}

} // namespace thalweg::strategies::exscan
