// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/static_checks.hpp"

#include "base/assertion.hpp"
#include "schedule/buffers.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <tuple>
#include <unordered_map>

namespace thalweg::schedule {

namespace {

constexpr std::string_view buffer_name(Buffer buffer) {
  return buffer == Buffer::input ? "input" : buffer == Buffer::output ? "output" : "scratch";
}

/// Which steps of a stage come before which others through the predecessors they name.
class StageOrder {
public:
  StageOrder(const Schedule& schedule, std::uint32_t begin, std::uint32_t end) : begin_(begin) {
    bool any = false;
    for (std::uint32_t s = begin; s < end && !any; ++s)
      any = schedule.steps[s].predecessors.size > 0;
    if (!any)
      return;
    const std::size_t words = (end - begin + 63) / 64;
    ancestors_.assign(end - begin, std::vector<std::uint64_t>(words));
    for (std::uint32_t s = begin; s < end; ++s)
      for (const std::uint32_t p : schedule.predecessors_of(schedule.steps[s])) {
        if (p < begin || p >= s)
          continue;
        auto& own = ancestors_[s - begin];
        const auto& theirs = ancestors_[p - begin];
        for (std::size_t w = 0; w < words; ++w)
          own[w] |= theirs[w];
        own[(p - begin) / 64] |= std::uint64_t{1} << ((p - begin) % 64);
      }
  }

  bool before(std::uint32_t earlier, std::uint32_t later) const {
    if (ancestors_.empty())
      return false;
    THALWEG_ASSERT(normal, earlier >= begin_ && later - begin_ < ancestors_.size());
    const std::uint32_t bit = earlier - begin_;
    return (ancestors_[later - begin_][bit / 64] >> (bit % 64) & 1) != 0;
  }

private:
  std::uint32_t begin_;
  std::vector<std::vector<std::uint64_t>> ancestors_;
};

struct Access {
  std::uint32_t step;
  bool writes;
};

class HazardFinder {
public:
  HazardFinder(const Problem& problem, const Schedule& schedule, std::size_t limit,
               std::vector<std::string>& faults)
      : problem_(problem), schedule_(schedule), limit_(limit),
        faults_(faults), sizes_{input_units(problem, schedule.rank) * schedule.pieces,
                                output_units(problem, schedule.rank) * schedule.pieces,
                                schedule.scratch_blocks} {}

  void run() {
    for (std::size_t stage = 0; stage < schedule_.stages.size(); ++stage) {
      const std::uint32_t begin = schedule_.stages[stage];
      const std::uint32_t end = schedule_.stage_end(stage);
      const StageOrder order(schedule_, begin, end);
      touched_.clear();
      for (std::uint32_t s = begin; s < end; ++s)
        examine(s, begin, order);
    }
  }

private:
  void examine(std::uint32_t s, std::uint32_t stage_begin, const StageOrder& order) {
    const Step& step = schedule_.steps[s];
    if (is_message(step) && (step.peer == schedule_.rank || step.peer < 0 || step.peer >= schedule_.ranks))
      fault("{} has no such peer", s);
    for (const std::uint32_t p : schedule_.predecessors_of(step))
      if (p < stage_begin || p >= s)
        fault("{} waits for a step that is not earlier in its stage", s);
    for_each_block(schedule_.source(step),
                   [&](Buffer buffer, std::int32_t block) { touch(s, buffer, block, false, order); });
    for_each_block(schedule_.target(step),
                   [&](Buffer buffer, std::int32_t block) { touch(s, buffer, block, true, order); });
    const bool has_both = step.kind == StepKind::copy || step.kind == StepKind::combine ||
                          (step.kind == StepKind::receive_combine && step.source.size > 0);
    if (has_both && block_count(schedule_.source(step)) != block_count(schedule_.target(step)))
      fault("{} takes a different number of blocks than it fills", s);
  }

  void touch(std::uint32_t s, Buffer buffer, std::int32_t block, bool writes, const StageOrder& order) {
    if (block < 0 || block >= sizes_[static_cast<std::size_t>(buffer)]) {
      fault(fmt::format("{{}} names {} block {}, which is outside the buffer", buffer_name(buffer), block),
            s);
      return;
    }
    const bool given = problem_.operation == Operation::broadcast && schedule_.rank == problem_.root &&
                       buffer == Buffer::output;
    if (writes && (buffer == Buffer::input || given))
      fault(fmt::format("{{}} writes {} block {}, which is the user's input", buffer_name(buffer), block), s);
    auto& accesses = touched_[cell(buffer, block)];
    for (const Access& access : accesses)
      if ((access.writes || writes) && (access.step == s || !order.before(access.step, s)))
        fault(fmt::format("{{}} and step {} touch {} block {} in no order", access.step, buffer_name(buffer),
                          block),
              s);
    accesses.push_back({s, writes});
  }

  std::uint64_t cell(Buffer buffer, std::int32_t block) const {
    if (buffer == Buffer::input && problem_.in_place) {
      const std::int32_t alias = aliased_output(problem_, schedule_.rank, schedule_.pieces, block);
      if (alias >= 0)
        return cell(Buffer::output, alias);
    }
    return static_cast<std::uint64_t>(buffer) << 32 | static_cast<std::uint32_t>(block);
  }

  void fault(const std::string& pattern, std::uint32_t s) {
    if (faults_.size() < limit_)
      faults_.push_back(fmt::format(fmt::runtime(pattern), describe(schedule_, s)));
  }

  const Problem& problem_;
  const Schedule& schedule_;
  std::size_t limit_;
  std::vector<std::string>& faults_;
  std::int32_t sizes_[3];
  std::unordered_map<std::uint64_t, std::vector<Access>> touched_;
};

} // namespace

void find_local_hazards(const Problem& problem, const Schedule& schedule, std::size_t limit,
                        std::vector<std::string>& faults) {
  HazardFinder(problem, schedule, limit, faults).run();
}

std::string describe(const Schedule& schedule, std::uint32_t s) {
  const Step& step = schedule.steps[s];
  switch (step.kind) {
  case StepKind::send:
    return fmt::format("rank {} step {} (send to {})", schedule.rank, s, step.peer);
  case StepKind::receive:
    return fmt::format("rank {} step {} (receive from {})", schedule.rank, s, step.peer);
  case StepKind::receive_combine:
    return fmt::format("rank {} step {} (receive and combine from {})", schedule.rank, s, step.peer);
  case StepKind::copy:
    return fmt::format("rank {} step {} (copy)", schedule.rank, s);
  case StepKind::combine:
    return fmt::format("rank {} step {} (combine)", schedule.rank, s);
  }
  return {};
}

namespace {

struct End {
  std::tuple<Rank, Rank, std::uint16_t> link; ///< from, to, channel
  Rank rank;
  std::uint32_t step;
};

[[maybe_unused]] bool are_in_rank_order(std::span<const Schedule> schedules) {
  for (std::size_t i = 0; i < schedules.size(); ++i)
    if (schedules[i].rank != static_cast<Rank>(i) || schedules[i].ranks != std::ssize(schedules))
      return false;
  return true;
}

std::vector<End> message_ends(std::span<const Schedule> schedules, bool receives) {
  std::vector<End> ends;
  for (const Schedule& schedule : schedules)
    for (std::uint32_t s = 0; s < schedule.steps.size(); ++s) {
      const Step& step = schedule.steps[s];
      if (!is_message(step) || is_receive(step) != receives)
        continue;
      const Rank from = receives ? step.peer : schedule.rank;
      const Rank to = receives ? schedule.rank : step.peer;
      ends.push_back({{from, to, step.channel}, schedule.rank, s});
    }
  std::ranges::stable_sort(ends, {}, &End::link);
  return ends;
}

} // namespace

Matching match_messages(std::span<const Schedule> schedules, std::size_t limit,
                        std::vector<std::string>& faults) {
  THALWEG_ASSERT(heavy, are_in_rank_order(schedules));
  Matching matching;
  for (const Schedule& schedule : schedules)
    matching.emplace_back(schedule.steps.size());
  const std::vector<End> sends = message_ends(schedules, false);
  const std::vector<End> receives = message_ends(schedules, true);
  const auto fault = [&](const End& end, std::string_view problem) {
    if (faults.size() < limit)
      faults.push_back(
          fmt::format("{} {}", describe(schedules[static_cast<std::size_t>(end.rank)], end.step), problem));
  };
  std::size_t s = 0;
  std::size_t r = 0;
  while ((s < sends.size() || r < receives.size()) && faults.size() < limit) {
    if (r == receives.size() || (s < sends.size() && sends[s].link < receives[r].link)) {
      fault(sends[s++], "meets no receive");
    } else if (s == sends.size() || receives[r].link < sends[s].link) {
      fault(receives[r++], "meets no send");
    } else {
      const End& send = sends[s++];
      const End& receive = receives[r++];
      const Schedule& sender = schedules[static_cast<std::size_t>(send.rank)];
      const Schedule& receiver = schedules[static_cast<std::size_t>(receive.rank)];
      if (block_count(sender.source(sender.steps[send.step])) !=
          block_count(receiver.target(receiver.steps[receive.step])))
        fault(receive, "meets a send of another number of blocks");
      matching[static_cast<std::size_t>(send.rank)][send.step] = receive.step;
      matching[static_cast<std::size_t>(receive.rank)][receive.step] = send.step;
    }
  }
  return matching;
}

} // namespace thalweg::schedule
