// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/sparse_exchange.hpp"

#include "base/arithmetic.hpp"

#include <algorithm>
#include <cmath>

namespace thalweg::schedule {

bool has_block(Rank source, Rank destination, std::int32_t ranks, double degree) {
  THALWEG_ASSERT(light,
                 source >= 0 && destination >= 0 && source < ranks && destination < ranks && degree >= 0);
  const double others = std::min<double>(degree, ranks - 1);
  const auto count =
      static_cast<std::int64_t>(std::floor((source + 1) * others) - std::floor(source * others));
  const std::int64_t ahead = modulo(destination - source, ranks);
  return ahead == 0 ? degree >= ranks - 1 : ahead <= count;
}

std::int64_t carried_block_bytes(std::int64_t block_bytes, std::int32_t ranks, double degree) {
  THALWEG_ASSERT(light, ranks >= 1 && block_bytes >= 0 && degree >= 0);
  constexpr std::int64_t length_bytes = 1;
  const double full = std::min(1.0, degree / std::max(1, ranks - 1));
  return static_cast<std::int64_t>(std::ceil(full * static_cast<double>(block_bytes))) + length_bytes;
}

namespace {

/// Whether all of a step's blocks are empty. A token has none, and stays.
bool is_empty(const Schedule& schedule, const Step& step, double degree) {
  const bool takes = is_receive(step);
  const std::span<const BlockRange> ranges = takes ? schedule.target(step) : schedule.source(step);
  const auto is_empty_block = [&](const BlockRange& range, std::int32_t block) {
    const Rank other = block / schedule.pieces;
    if (range.buffer == Buffer::scratch)
      return false;
    return range.buffer == Buffer::input ? !has_block(schedule.rank, other, schedule.ranks, degree)
                                         : !has_block(other, schedule.rank, schedule.ranks, degree);
  };
  return !ranges.empty() && std::ranges::all_of(ranges, [&](const BlockRange& range) {
    for (std::int32_t i = 0; i < range.count; ++i)
      for (std::int32_t k = 0; k < range.run; ++k)
        if (!is_empty_block(range, range.first + i * range.stride + k))
          return false;
    return true;
  });
}

/// The steps that are kept, with their new numbers, and what stands for those that are not.
class Thinning {
public:
  Thinning(const Schedule& full, Schedule& kept) : full_(full), kept_(kept), stand_ins_(full.steps.size()) {}

  void keep(std::uint32_t step) {
    const std::vector<std::uint32_t> waits_for = predecessors_of(step);
    Step copy = full_.steps[step];
    copy.predecessors = {static_cast<std::uint32_t>(kept_.predecessors.size()),
                         static_cast<std::uint32_t>(waits_for.size())};
    kept_.predecessors.insert(kept_.predecessors.end(), waits_for.begin(), waits_for.end());
    stand_ins_[step] = {static_cast<std::uint32_t>(kept_.steps.size())};
    kept_.steps.push_back(copy);
  }
  void drop(std::uint32_t step) { stand_ins_[step] = predecessors_of(step); }

private:
  std::vector<std::uint32_t> predecessors_of(std::uint32_t step) const {
    std::vector<std::uint32_t> found;
    for (const std::uint32_t earlier : full_.predecessors_of(full_.steps[step]))
      found.insert(found.end(), stand_ins_[earlier].begin(), stand_ins_[earlier].end());
    std::ranges::sort(found);
    const auto [end, last] = std::ranges::unique(found);
    found.erase(end, last);
    return found;
  }

  const Schedule& full_;
  Schedule& kept_;
  std::vector<std::vector<std::uint32_t>> stand_ins_;
};

} // namespace

Schedule without_empty_messages(const Schedule& full, double degree) {
  THALWEG_ASSERT(light, full.operation == Operation::alltoall);
  Schedule kept = full;
  kept.steps.clear();
  kept.stages = {0};
  kept.predecessors.clear();
  Thinning thinning(full, kept);
  for (std::size_t stage = 0; stage < full.stages.size(); ++stage) {
    for (std::uint32_t step = full.stages[stage]; step < full.stage_end(stage); ++step)
      if (is_empty(full, full.steps[step], degree))
        thinning.drop(step);
      else
        thinning.keep(step);
    const auto end = static_cast<std::uint32_t>(kept.steps.size());
    if (kept.stages.back() != end)
      kept.stages.push_back(end);
  }
  if (kept.stages.size() > 1)
    kept.stages.pop_back(); // the last stage's end
  return kept;
}

} // namespace thalweg::schedule
