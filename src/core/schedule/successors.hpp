// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "schedule/schedule.hpp"

namespace thalweg::schedule {

/// Which steps wait for a step: a schedule's predecessors the other way round.
class Successors {
public:
  Successors() = default;
  explicit Successors(const Schedule& schedule);

  std::span<const std::uint32_t> of(std::uint32_t step) const {
    return {steps_.data() + begins_[step], begins_[step + 1] - begins_[step]};
  }

private:
  std::vector<std::uint32_t> begins_; ///< in `steps_`, and its end
  std::vector<std::uint32_t> steps_;
};

} // namespace thalweg::schedule
