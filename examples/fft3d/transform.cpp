// SPDX-License-Identifier: BSD-3-Clause
#include "fft3d/transform.hpp"

namespace thalweg::examples::fft3d {

Transform::Transform(Decomposition const& decomposition, Group const& world, Mode mode) : mode_(mode) {
  std::vector<Stage> const& stages = decomposition.stages();
  for (Stage const& stage : stages) {
    layouts_.push_back(Layout::dense(stage.boxes[static_cast<std::size_t>(world.rank)], stage.order));
    fields_.emplace_back(static_cast<std::size_t>(layouts_.back().box.size()));
  }
  for (std::size_t i = 0; i < stages.size(); ++i) {
    forward_.push_back(make_step(decomposition, i, Direction::forward, world.rank));
    inverse_.push_back(make_step(decomposition, stages.size() - 1 - i, Direction::inverse, world.rank));
  }
}

Transform::Step Transform::make_step(Decomposition const& decomposition, std::size_t stage,
                                     Direction direction, int world_rank) {
  std::vector<Stage> const& stages = decomposition.stages();
  bool const is_forward = direction == Direction::forward;
  bool const is_last = stage == (is_forward ? stages.size() - 1 : 0);
  // Slices cost a message each, so only a stage whose results travel on overlapped is cut.
  int const slices = mode_.overlapped && !is_last ? mode_.slices : 1;
  Step step;
  int slice_axis = axis_x;
  if (!is_last) {
    std::size_t const next = is_forward ? stage + 1 : stage - 1;
    Exchange const& exchange = decomposition.exchanges()[is_forward ? stage : next];
    slice_axis = is_forward ? exchange.forward_slice_axis : exchange.inverse_slice_axis;
    step.next.emplace_back(stages[stage], stages[next], exchange, slice_axis, slices, world_rank,
                           fields_[stage], fields_[next]);
  }
  for (int slice = 0; slice < slices; ++slice) {
    Box const part =
        slices == 1 ? layouts_[stage].box : slice_of(layouts_[stage].box, slice_axis, slices, slice);
    step.plans.emplace_back(fields_[stage], layouts_[stage], part, stages[stage].axes, direction);
  }
  return step;
}

void Transform::forward() {
  run(forward_);
}

void Transform::inverse() {
  run(inverse_);
}

double Transform::exposed_s() const {
  double sum_s = 0;
  for (std::vector<Step> const* steps : {&forward_, &inverse_}) {
    for (Step const& step : *steps) {
      for (Transpose const& transpose : step.next) {
        sum_s += transpose.exposed_s();
      }
    }
  }
  return sum_s;
}

void Transform::run(std::vector<Step>& steps) {
  for (Step& step : steps) {
    if (step.next.empty()) {
      step.plans.front().execute();
    } else if (mode_.overlapped) {
      run_overlapped(step);
    } else {
      step.plans.front().execute();
      step.next.front().exchange(0);
    }
  }
}

void Transform::run_overlapped(Step& step) {
  Transpose& transpose = step.next.front();
  int const slices = static_cast<int>(step.plans.size());
  for (int slice = 0; slice < slices; ++slice) {
    step.plans[static_cast<std::size_t>(slice)].execute();
    transpose.start(slice);
    transpose.progress();
  }
  for (int slice = 0; slice < slices; ++slice) {
    transpose.finish(slice);
  }
}

} // namespace thalweg::examples::fft3d
