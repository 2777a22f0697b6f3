// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/fusing.hpp"

#include "base/assertion.hpp"

#include <algorithm>
#include <vector>

namespace thalweg::schedule {

namespace {

constexpr std::uint32_t none = 0xffffffffU;

Side other(Side side) {
  return side == Side::left ? Side::right : Side::left;
}

class Fuser {
public:
  explicit Fuser(Schedule& schedule) : schedule_(schedule), became_(schedule.steps.size(), none) {}

  void run() {
    count_followers();
    bool any = false;
    for (std::uint32_t s = 0; s < schedule_.steps.size(); ++s)
      any |= fuse(s);
    if (any)
      leave_out();
  }

private:
  /// How many steps name each as their predecessor.
  void count_followers() {
    followers_.assign(schedule_.steps.size(), 0);
    for (const Step& step : schedule_.steps)
      for (const std::uint32_t predecessor : schedule_.predecessors_of(step))
        ++followers_[predecessor];
  }

  bool fuse(std::uint32_t s) {
    const Step& step = schedule_.steps[s];
    return (step.kind == StepKind::combine && combine_on_arrival(s)) ||
           (step.kind == StepKind::receive_combine && combine_with_origin(s));
  }

  /// Is `s` all that waits for `first`, and does it go on with the same blocks?
  bool follows(std::uint32_t s, std::uint32_t first, StepKind kind) const {
    const Step& earlier = schedule_.steps[first];
    return earlier.kind == kind && followers_[first] == 1 && became_[first] == none &&
           std::ranges::equal(schedule_.target(earlier), schedule_.target(schedule_.steps[s]));
  }

  /// receive t; combine s into t, after that.
  bool combine_on_arrival(std::uint32_t s) {
    const Step& combine = schedule_.steps[s];
    const auto before = schedule_.predecessors_of(combine);
    if (before.size() != 1 || !follows(s, before.front(), StepKind::receive))
      return false;
    Step& receive = schedule_.steps[before.front()];
    receive.kind = StepKind::receive_combine;
    receive.side = other(combine.side);
    receive.source = combine.source;
    became_[s] = before.front();
    return true;
  }

  /// copy s to t; receive and combine into t, after that.
  bool combine_with_origin(std::uint32_t s) {
    Step& receive = schedule_.steps[s];
    if (receive.source.size > 0)
      return false;
    const auto before = schedule_.predecessors_of(receive);
    const auto copy =
        std::ranges::find_if(before, [&](std::uint32_t first) { return follows(s, first, StepKind::copy); });
    if (copy == before.end())
      return false;
    const std::uint32_t left_out = *copy;
    receive.source = schedule_.steps[left_out].source;
    became_[left_out] = s;
    return true;
  }

  /// Steps that became part of others go; who waited for them waits for what they waited for, and for those
  /// that do their work.
  void leave_out() {
    std::vector<std::uint32_t> number(schedule_.steps.size());
    std::uint32_t kept = 0;
    for (std::uint32_t s = 0; s < number.size(); ++s)
      number[s] = became_[s] == none ? kept++ : none;
    std::vector<Step> steps;
    std::vector<std::uint32_t> predecessors;
    for (std::uint32_t s = 0; s < number.size(); ++s) {
      if (number[s] == none)
        continue;
      Step step = schedule_.steps[s];
      const Span before = step.predecessors;
      step.predecessors.begin = static_cast<std::uint32_t>(predecessors.size());
      for (std::uint32_t p = 0; p < before.size; ++p)
        add_predecessor(schedule_.predecessors[before.begin + p], s, number, predecessors);
      step.predecessors.size = static_cast<std::uint32_t>(predecessors.size()) - step.predecessors.begin;
      steps.push_back(step);
    }
    // A stage keeps its first step, or the one after it: what goes is never all there is.
    for (std::uint32_t& stage : schedule_.stages) {
      while (stage < number.size() && number[stage] == none)
        ++stage;
      stage = stage < number.size() ? number[stage] : kept;
    }
    THALWEG_ASSERT(normal, steps.size() == kept);
    THALWEG_ASSERT(heavy, std::ranges::is_sorted(schedule_.stages));
    schedule_.steps = std::move(steps);
    schedule_.predecessors = std::move(predecessors);
  }

  void add_predecessor(std::uint32_t first, std::uint32_t s, const std::vector<std::uint32_t>& number,
                       std::vector<std::uint32_t>& predecessors) const {
    if (became_[first] == none) {
      predecessors.push_back(number[first]);
    } else if (became_[first] != s) {
      THALWEG_ASSERT(normal, number[became_[first]] != none); // what took a step over stays itself
      predecessors.push_back(number[became_[first]]);
    } else {
      for (const std::uint32_t before : schedule_.predecessors_of(schedule_.steps[first]))
        add_predecessor(before, s, number, predecessors);
    }
  }

  Schedule& schedule_;
  std::vector<std::uint32_t> followers_;
  std::vector<std::uint32_t> became_; ///< a part of which other step each is now
};

} // namespace

void fuse_combinations(Schedule& schedule) {
  Fuser(schedule).run();
}

} // namespace thalweg::schedule
