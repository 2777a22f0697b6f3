// SPDX-License-Identifier: BSD-3-Clause

// Scans along a binary tree numbered in-order: sums go up and prefixes down, segment by segment (Sanders,
// Traff 2006, section 4).

#include "strategies/segments.hpp"
#include "topology/tree.hpp"

namespace thalweg::strategies {

namespace {

using schedule::BlockList;
using schedule::Side;
using schedule::StepId;

// `running` of a rank first becomes the sum of its left subtree and its own, which is all that its right
// subtree lacks of what lies in this subtree; the prefix of all that lies before the subtree comes from the
// parent later. Sums that nobody to the right needs, and prefixes of nothing, are not sent.
//
// In a scan that is the output. In an exclusive one the output becomes the sum of what is left of this rank,
// and `running` lies in scratch. The input is saved there first: in place the output lies on it.
class ScanSweep {
public:
  explicit ScanSweep(Builder& b)
      : b_(b), node_(topology::inorder_node(b.ranks(), b.ranks() / 2, b.rank())),
        is_exclusive_(b.problem().operation == Operation::exscan), sum_is_needed_(node_.end < b.ranks()),
        has_prefix_(node_.begin > 0),
        under_way_(static_cast<std::size_t>(b.parameter("window")), schedule::nothing) {
    if (is_exclusive_)
      running_ = b.scratch_blocks(b.canonical());
    if (sum_is_needed_ && node_.right >= 0)
      sum_ = b.scratch_blocks(b.canonical());
    if (has_prefix_ && node_.left >= 0)
      prefix_ = b.scratch_blocks(b.canonical());
  }

  void append(std::int32_t piece) {
    StepId& last = under_way_[static_cast<std::size_t>(piece) % under_way_.size()];
    const StepId copied = b_.copy(schedule::input(piece), running(piece), {last});
    last = copied == schedule::nothing ? last : copied;
    if (node_.left >= 0)
      last = take_left(piece, last);
    if (sum_is_needed_)
      last = send_sum(piece, last);
    if (has_prefix_)
      last = take_prefix(piece, last);
    if (node_.right >= 0)
      last = b_.send(node_.right, running(piece), {last});
  }

private:
  BlockList running(std::int32_t piece) const {
    return is_exclusive_ ? schedule::scratch(running_ + piece) : schedule::output(piece);
  }

  StepId take_left(std::int32_t piece, StepId last) {
    if (!is_exclusive_)
      return b_.receive_combine(node_.left, running(piece), Side::left, {last});
    last = b_.receive(node_.left, schedule::output(piece), {last});
    return b_.combine(schedule::output(piece), running(piece), Side::left, {last});
  }

  StepId send_sum(std::int32_t piece, StepId last) {
    if (node_.right < 0)
      return b_.send(node_.parent, running(piece), {last});
    const auto sum = schedule::scratch(sum_ + piece);
    last = b_.receive(node_.right, sum, {last});
    last = b_.combine(running(piece), sum, Side::left, {last});
    return b_.send(node_.parent, sum, {last});
  }

  StepId take_prefix(std::int32_t piece, StepId last) {
    const auto result = schedule::output(piece);
    if (node_.left < 0 && !is_exclusive_)
      return b_.receive_combine(node_.parent, result, Side::left, {last});
    auto prefix = result;
    if (node_.left < 0) {
      last = b_.receive(node_.parent, result, {last});
    } else {
      prefix = schedule::scratch(prefix_ + piece);
      last = b_.receive(node_.parent, prefix, {last});
      last = b_.send(node_.left, prefix, {last});
      last = b_.combine(prefix, result, Side::left, {last});
    }
    const bool goes_on = is_exclusive_ && node_.right >= 0;
    return goes_on ? b_.combine(prefix, running(piece), Side::left, {last}) : last;
  }

  Builder& b_;
  topology::InorderNode node_;
  bool is_exclusive_;
  bool sum_is_needed_;
  bool has_prefix_;
  std::int32_t running_ = 0;
  std::int32_t sum_ = 0;
  std::int32_t prefix_ = 0;
  std::vector<StepId> under_way_;
};

void append_inorder(Builder& b) {
  ScanSweep sweep(b);
  for (std::int32_t piece = 0; piece < b.pieces(); ++piece)
    sweep.append(piece);
}

Strategy inorder_binary_of(Operation operation) {
  return {.name = "inorder_binary",
          .operation = operation,
          .summary = "sums go up a binary tree numbered in-order and prefixes down it, segment by segment",
          .wins_when = "large vectors on many ranks",
          .source = "Sanders, Traff 2006, section 4 (pipelined binary tree)",
          .parameters = {segment_parameter(32 << 10), piece_window_parameter()},
          .keeps_rank_order = true,
          .in_place = true,
          .pieces = segments,
          .append = append_inorder};
}

} // namespace

} // namespace thalweg::strategies

namespace thalweg::strategies::scan {

Strategy inorder_binary() {
  return inorder_binary_of(Operation::scan);
}

} // namespace thalweg::strategies::scan

namespace thalweg::strategies::exscan {

Strategy inorder_binary() {
  return inorder_binary_of(Operation::exscan);
}

} // namespace thalweg::strategies::exscan
