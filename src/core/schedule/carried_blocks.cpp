// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/carried_blocks.hpp"

#include "schedule/buffers.hpp"
#include "schedule/sparse_exchange.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <tuple>
#include <utility>

namespace thalweg::schedule {

namespace {

/// Which of a message's blocks are full.
using Contents = std::vector<bool>;

/// One rank's run.
class RankRun {
public:
  RankRun(const Schedule& schedule, double degree)
      : schedule_(schedule), degree_(degree), scratch_(static_cast<std::size_t>(schedule.scratch_blocks)),
        is_done_(schedule.steps.size()), full_(schedule.steps.size()) {}

  /// Executes what can be. `take` gives a message from a rank if it has come, `give` sends one.
  template <typename Take, typename Give>
  void advance(Take take, Give give) {
    for (; stage_ < schedule_.stages.size(); ++stage_) {
      bool goes_on = true;
      while (std::exchange(goes_on, false))
        for (std::uint32_t s = schedule_.stages[stage_]; s < schedule_.stage_end(stage_); ++s)
          if (!is_done_[s] && is_free(s) && execute(s, take, give))
            is_done_[s] = goes_on = true;
      for (std::uint32_t s = schedule_.stages[stage_]; s < schedule_.stage_end(stage_); ++s)
        if (!is_done_[s])
          return;
    }
  }
  bool has_ended() const { return stage_ == schedule_.stages.size(); }
  std::vector<std::int64_t> full() && { return std::move(full_); }

private:
  bool is_free(std::uint32_t s) const {
    return std::ranges::all_of(schedule_.predecessors_of(schedule_.steps[s]),
                               [&](std::uint32_t earlier) { return is_done_[earlier]; });
  }

  template <typename Take, typename Give>
  bool execute(std::uint32_t s, Take& take, Give& give) {
    const Step& step = schedule_.steps[s];
    Contents contents;
    if (!is_receive(step))
      for_each_block(schedule_.source(step),
                     [&](Buffer buffer, std::int32_t block) { contents.push_back(is_full(buffer, block)); });
    else if (!take(step, contents))
      return false;
    if (is_message(step))
      full_[s] = std::ranges::count(contents, true);
    if (step.kind == StepKind::send) {
      give(step, std::move(contents));
      return true;
    }
    std::size_t next = 0;
    for_each_block(schedule_.target(step), [&](Buffer buffer, std::int32_t block) {
      if (buffer == Buffer::scratch)
        scratch_[static_cast<std::size_t>(block)] = contents.at(next);
      ++next;
    });
    return true;
  }

  bool is_full(Buffer buffer, std::int32_t block) const {
    if (buffer == Buffer::scratch)
      return scratch_[static_cast<std::size_t>(block)];
    if (schedule_.operation != Operation::alltoall)
      return true;
    const Rank other = block / schedule_.pieces;
    return buffer == Buffer::input ? has_block(schedule_.rank, other, schedule_.ranks, degree_)
                                   : has_block(other, schedule_.rank, schedule_.ranks, degree_);
  }

  const Schedule& schedule_;
  double degree_;
  std::size_t stage_ = 0;
  Contents scratch_;
  std::vector<bool> is_done_;
  std::vector<std::int64_t> full_;
};

std::size_t written_bytes(std::int64_t length) {
  std::size_t bytes = 1;
  for (; length > 127; length >>= 7)
    ++bytes;
  return bytes;
}

} // namespace

std::vector<std::vector<std::int64_t>> full_blocks(std::span<const Schedule> schedules, double degree) {
  std::vector<RankRun> runs;
  std::vector<Rank> awake;
  for (const Schedule& schedule : schedules) {
    THALWEG_ASSERT(light, has_private_sizes(schedule.operation) && schedule.rank == std::ssize(runs));
    runs.emplace_back(schedule, degree);
    awake.push_back(schedule.rank);
  }
  std::map<std::tuple<Rank, Rank, std::uint16_t>, std::deque<Contents>> under_way;
  while (!awake.empty()) {
    const Rank rank = awake.back();
    awake.pop_back();
    const auto take = [&](const Step& step, Contents& contents) {
      std::deque<Contents>& come = under_way[{step.peer, rank, step.channel}];
      if (come.empty())
        return false;
      contents = std::move(come.front());
      come.pop_front();
      return true;
    };
    const auto give = [&](const Step& step, Contents contents) {
      under_way[{rank, step.peer, step.channel}].push_back(std::move(contents));
      awake.push_back(step.peer);
    };
    runs[static_cast<std::size_t>(rank)].advance(take, give);
  }
  std::vector<std::vector<std::int64_t>> full;
  for (RankRun& run : runs) {
    THALWEG_ASSERT(light, run.has_ended());
    full.push_back(std::move(run).full());
  }
  return full;
}

std::int64_t message_bytes(std::int64_t blocks, std::int64_t full, std::int64_t block_bytes) {
  THALWEG_ASSERT(light, full >= 0 && full <= blocks && block_bytes >= 0);
  return blocks - full + full * (block_bytes + static_cast<std::int64_t>(written_bytes(block_bytes)));
}

std::vector<std::vector<std::int64_t>> message_bytes(std::span<const Schedule> schedules, double degree,
                                                     std::int64_t block_bytes) {
  std::vector<std::vector<std::int64_t>> bytes = full_blocks(schedules, degree);
  for (const Schedule& one : schedules)
    for (std::size_t s = 0; s < one.steps.size(); ++s) {
      const Step& step = one.steps[s];
      std::int64_t& found = bytes[static_cast<std::size_t>(one.rank)][s];
      if (is_message(step))
        found = message_bytes(block_count(step.kind == StepKind::send ? one.source(step) : one.target(step)),
                              found, block_bytes);
    }
  return bytes;
}

} // namespace thalweg::schedule
