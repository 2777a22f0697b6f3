// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/matching.hpp"

#include "schedule/local_hazards.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <tuple>

namespace thalweg::schedule {

namespace {

struct End {
  std::tuple<Rank, Rank, std::uint16_t> link; ///< from, to, channel
  Rank rank;
  std::uint32_t step;
};

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
