// SPDX-License-Identifier: BSD-3-Clause
#include "base/arithmetic.hpp"
#include "base/assertion.hpp"
#include "strategies/segments.hpp"
#include "strategies/strategy.hpp"

namespace thalweg::strategies {

namespace {

using schedule::After;
using schedule::BlockList;
using schedule::Buffer;
using schedule::Side;
using schedule::StepId;

/// The ring, in which each rank passes blocks to the next one: P - 1 steps in which a block travels and is
/// summed up on the way until rank r has the sum of block r, and P - 1 more in which the sums travel. Each
/// block is `segments` pieces of the builder's; one segment: a stage a step; several: a pipeline without
/// steps' barriers, each segment moving on as soon as it is there, with `window` of them under way at once:
/// more would fill the queues of the links, and everything else would wait behind them.
class Ring {
public:
  struct Pipeline {
    std::int32_t segments = 1;
    std::int64_t window = 1;
  };

  /// Sums lie in `home`, block 0's first piece at `first`.
  Ring(Builder& builder, const Pipeline& pipeline, schedule::Buffer home, std::int32_t first);

  /// Afterwards this rank's own block is summed up in `result` (its own place at home, or elsewhere).
  void reduce_scatter(schedule::Buffer result, std::int32_t result_first);
  /// Passes the sums on until all are at home. Own sums must lie there.
  void allgather();

private:
  /// Piece `segment` of the block of rank `self - back` in a buffer.
  schedule::BlockList at(schedule::Buffer buffer, std::int32_t first, std::int32_t back,
                         std::int32_t segment) const;
  void begin_step();
  /// What must be over before the next segment is under way, and `after`.
  schedule::After gate(const schedule::After& after) const;
  schedule::StepId sum_up(std::int32_t back, std::int32_t segment, const schedule::BlockList& target,
                          const schedule::After& after);

  Builder& builder_;
  std::int32_t segments_;
  std::size_t window_;
  schedule::Buffer home_;
  std::int32_t first_;
  Rank next_;
  Rank previous_;
  /// For each segment the step after which its latest block is summed up or there, and for each block the
  /// step that sent it.
  std::vector<schedule::StepId> latest_;
  std::vector<schedule::StepId> sent_;
  /// What each segment's way to the next rank and from the previous one took, in their order.
  std::vector<schedule::After> moved_;
};

Ring::Ring(Builder& builder, const Pipeline& pipeline, Buffer home, std::int32_t first)
    : builder_(builder), segments_(pipeline.segments), window_(static_cast<std::size_t>(pipeline.window)),
      home_(home), first_(first), next_((builder.rank() + 1) % builder.ranks()),
      previous_((builder.rank() + builder.ranks() - 1) % builder.ranks()),
      latest_(static_cast<std::size_t>(segments_), schedule::nothing),
      sent_(static_cast<std::size_t>(segments_) * static_cast<std::size_t>(builder.ranks()),
            schedule::nothing) {
  // A rank alone would be its own neighbor.
  THALWEG_ASSERT(light, builder.ranks() > 1 && segments_ >= 1 && pipeline.window >= 1);
}

BlockList Ring::at(Buffer buffer, std::int32_t first, std::int32_t back, std::int32_t segment) const {
  const auto block = static_cast<std::int32_t>(modulo(builder_.rank() - back, builder_.ranks()));
  return {{buffer, first + block * segments_ + segment}};
}

void Ring::begin_step() {
  if (segments_ == 1)
    builder_.round();
}

After Ring::gate(const After& after) const {
  if (segments_ == 1 || moved_.size() < window_)
    return after;
  After gate = moved_[moved_.size() - window_];
  gate.insert(gate.end(), after.begin(), after.end());
  return gate;
}

/// What comes from the previous rank and this rank's own operand, into `target`.
StepId Ring::sum_up(std::int32_t back, std::int32_t segment, const BlockList& target, const After& after) {
  const bool is_in_place = builder_.problem().in_place && home_ == Buffer::output;
  if (is_in_place)
    return builder_.receive_combine(previous_, target, Side::left, after);
  const StepId come = builder_.receive(previous_, target, after);
  return builder_.combine(at(Buffer::input, 0, back, segment), target, Side::right, {come});
}

void Ring::reduce_scatter(Buffer result, std::int32_t result_first) {
  for (std::int32_t step = 0; step + 1 < builder_.ranks(); ++step) {
    begin_step();
    for (std::int32_t k = 0; k < segments_; ++k) {
      StepId& latest = latest_[static_cast<std::size_t>(k)];
      const bool is_last = step + 2 == builder_.ranks();
      const BlockList sent = step == 0 ? at(Buffer::input, 0, 1, k) : at(home_, first_, step + 1, k);
      const BlockList target =
          is_last ? BlockList{{result, result_first + k}} : at(home_, first_, step + 2, k);
      const StepId gone = builder_.send(next_, sent, gate({latest}));
      sent_[static_cast<std::size_t>(step * segments_ + k)] = gone;
      latest = sum_up(step + 2, k, target, gate({latest}));
      moved_.push_back({gone, latest});
    }
  }
}

void Ring::allgather() {
  for (std::int32_t step = 0; step + 1 < builder_.ranks(); ++step) {
    begin_step();
    for (std::int32_t k = 0; k < segments_; ++k) {
      StepId& latest = latest_[static_cast<std::size_t>(k)];
      // What comes takes the place of the partial sum that was sent on in the same step of the
      // reduce-scatter.
      const StepId come =
          builder_.receive(previous_, at(home_, first_, step + 1, k),
                           gate({latest, sent_[static_cast<std::size_t>(step * segments_ + k)]}));
      const StepId gone = builder_.send(next_, at(home_, first_, step, k), gate({latest}));
      latest = come;
      moved_.push_back({gone, come});
    }
  }
}

} // namespace

} // namespace thalweg::strategies

namespace thalweg::strategies::allgather {

namespace {

void append_ring(Builder& b) {
  const std::int32_t pieces = b.pieces();
  b.copy(schedule::input(0, pieces), schedule::output(b.rank() * pieces, pieces));
  b.round();
  if (b.ranks() > 1)
    Ring(b, {pieces, b.parameter("window")}, schedule::Buffer::output, 0).allgather();
}

} // namespace

Strategy ring() {
  return {.name = "ring",
          .operation = Operation::allgather,
          .summary = "hands each block on to the next rank: P-1 steps between neighbors; segments move on by "
                     "themselves",
          .wins_when = "long blocks, or the network is a ring or far traffic is dear",
          .source = "Kumar 2005, section 4.3.1 (ring)",
          .parameters = {segment_parameter(0), piece_window_parameter(2)},
          .unequal_blocks = true,
          .in_place = true,
          .order_matters = true,
          .pieces = segments,
          .append = append_ring};
}

} // namespace thalweg::strategies::allgather

namespace thalweg::strategies::reduce_scatter {

namespace {

void append_ring(Builder& b) {
  if (b.ranks() == 1) {
    b.copy(schedule::input(0, b.pieces()), schedule::output(0, b.pieces()));
    return;
  }
  const std::int32_t home = b.scratch_blocks(b.canonical());
  Ring ring(b, {b.pieces(), b.parameter("window")}, schedule::Buffer::scratch, home);
  ring.reduce_scatter(schedule::Buffer::output, 0);
}

} // namespace

Strategy ring() {
  return {.name = "ring",
          .operation = Operation::reduce_scatter,
          .summary = "each block travels once round the ring and is summed up on the way; segments move on "
                     "by themselves",
          .wins_when = "long blocks on few ranks, or neighbors only",
          .source = "Patarasuk, Yuan 2009; Open MPI's coll/tuned (ring)",
          .parameters = {segment_parameter(0), piece_window_parameter(2)},
          .unequal_blocks = true,
          .order_matters = true,
          .pieces = segments,
          .append = append_ring};
}

} // namespace thalweg::strategies::reduce_scatter

namespace thalweg::strategies::allreduce {

namespace {

void append_ring(Builder& b) {
  if (b.ranks() == 1) {
    b.copy(schedule::input(0), schedule::output(0));
    return;
  }
  Ring ring(b, {}, schedule::Buffer::output, 0);
  ring.reduce_scatter(schedule::Buffer::output, b.rank());
  ring.allgather();
}

} // namespace

Strategy ring() {
  return {
      .name = "ring",
      .operation = Operation::allreduce,
      .summary =
          "P - 1 steps of a ring sum up a part of the vector on each rank, P - 1 more pass the sums round",
      .wins_when = "very long vectors on few ranks, or neighbors only",
      .source = "Patarasuk, Yuan 2009 (bandwidth optimal all-reduce)",
      .in_place = true,
      .order_matters = true,
      .pieces = [](const Problem& problem) { return problem.ranks; },
      .append = append_ring};
}

namespace {

/// Segments of a rank's part of the vector.
std::int32_t segments_a_part(const Problem& problem) {
  return segment_count(problem.unit_bytes / problem.ranks, problem.parameter("segment"));
}

void append_segmented(Builder& b) {
  const std::int32_t segments = segments_a_part(b.problem());
  if (b.ranks() == 1) {
    b.copy(schedule::input(0, b.pieces()), schedule::output(0, b.pieces()));
    return;
  }
  Ring ring(b, {segments, b.parameter("window")}, schedule::Buffer::output, 0);
  ring.reduce_scatter(schedule::Buffer::output, b.rank() * segments);
  ring.allgather();
}

} // namespace

Strategy segmented_ring() {
  Parameter segment = segment_parameter(std::int64_t{64} << 10);
  segment.proven_at = {100, 1000, 0};
  return {.name = "segmented_ring",
          .operation = Operation::allreduce,
          .summary = "the ring with each part cut into segments that move on as soon as they are summed up",
          .wins_when = "very long vectors, where sending and combining should overlap",
          .source = "Open MPI's coll/tuned (segmented ring); Patarasuk, Yuan 2009",
          .parameters = {segment, piece_window_parameter(2)},
          .in_place = true,
          .order_matters = true,
          .pieces = [](const Problem& problem) { return problem.ranks * segments_a_part(problem); },
          .append = append_segmented};
}

} // namespace thalweg::strategies::allreduce
