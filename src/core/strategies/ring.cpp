// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/ring.hpp"

#include "base/arithmetic.hpp"

namespace thalweg::strategies {

using schedule::After;
using schedule::BlockList;
using schedule::Buffer;
using schedule::Side;
using schedule::StepId;

Ring::Ring(Builder& builder, const Pipeline& pipeline, Buffer home, std::int32_t first)
    : builder_(builder), segments_(pipeline.segments), window_(static_cast<std::size_t>(pipeline.window)),
      home_(home), first_(first), next_((builder.rank() + 1) % builder.ranks()),
      previous_((builder.rank() + builder.ranks() - 1) % builder.ranks()),
      latest_(static_cast<std::size_t>(segments_), schedule::nothing),
      sent_(static_cast<std::size_t>(segments_) * static_cast<std::size_t>(builder.ranks()),
            schedule::nothing) {}

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

} // namespace thalweg::strategies
