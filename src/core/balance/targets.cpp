// SPDX-License-Identifier: BSD-3-Clause
#include "balance/targets.hpp"

#include "base/arithmetic.hpp"
#include "base/assertion.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace thalweg::balancing {

namespace {

/// Does part `index` of `parts` get one of `total` that are dealt out as evenly as possible? 0 <= total <=
/// parts.
bool has_one(Tasks total, Tasks parts, Tasks index) {
  THALWEG_ASSERT(normal, total >= 0 && total <= parts && index >= 0 && index < parts);
  return index * total % parts + total >= parts;
}

} // namespace

std::string_view name(Spread spread) {
  return spread == Spread::even ? "even" : "capped";
}

Rule::Rule(Spread spread, Tasks tasks, std::int32_t ranks, Tasks speed_total)
    : spread_(spread), ranks_(ranks), tasks_(tasks), share_(tasks / ranks), remainder_(tasks % ranks),
      share_max_(ceil_divide(tasks, ranks)), speed_total_(speed_total) {
  THALWEG_ASSERT(light, ranks > 0 && tasks >= 0 && speed_total >= 0);
}

Tasks Rule::counted(Tasks load, Tasks speed) const {
  if (speed_total_ > 0)
    return speed;
  if (spread_ == Spread::even)
    return load > share_ ? 1 : 0;
  return std::max<Tasks>(share_max_ - load, 0);
}

Tasks Rule::target(Tasks load, std::int32_t position, Tasks before, Tasks total, Tasks speed) const {
  if (speed_total_ > 0)
    return scaled(before + speed, tasks_, speed_total_) - scaled(before, tasks_, speed_total_);
  if (spread_ == Spread::capped) {
    const Tasks lacked = counted(load);
    return share_max_ - (phantoms_before(before + lacked, total) - phantoms_before(before, total));
  }
  if (load > share_)
    return share_ + (remainder_ >= total || has_one(remainder_, total, before) ? 1 : 0);
  return share_ +
         (remainder_ > total && has_one(remainder_ - total, ranks_ - total, position - before) ? 1 : 0);
}

/// How many phantoms lie on the first `lacked` of all tasks that are lacked: they begin each block of those,
/// in proportion to its width. The width makes few blocks that cut a rank, and drifts that are short.
Tasks Rule::phantoms_before(Tasks lacked, Tasks lacked_total) const {
  if (lacked_total == 0)
    return 0;
  const Tasks phantoms = remainder_ == 0 ? 0 : ranks_ - remainder_;
  const Tasks width = Tasks{1} << (std::bit_width(static_cast<std::uint64_t>(lacked_total)) / 2);
  const Tasks begin = lacked & ~(width - 1);
  const Tasks first = scaled(begin, phantoms, lacked_total);
  const Tasks end = std::min(begin + width, lacked_total);
  return first + std::min(lacked - begin, scaled(end, phantoms, lacked_total) - first);
}

std::vector<Tasks> targets(std::span<const Tasks> loads, std::span<const Rank> order, Spread spread,
                           std::span<const Tasks> speeds) {
  const auto speed = [&](std::size_t rank) { return speeds.empty() ? 0 : speeds[rank]; };
  const Rule rule(spread, std::reduce(loads.begin(), loads.end(), Tasks{0}),
                  static_cast<std::int32_t>(loads.size()),
                  std::reduce(speeds.begin(), speeds.end(), Tasks{0}));
  Tasks total = 0;
  for (std::size_t rank = 0; rank < loads.size(); ++rank)
    total += rule.counted(loads[rank], speed(rank));
  std::vector<Tasks> result(loads.size());
  Tasks before = 0;
  for (std::size_t position = 0; position < order.size(); ++position) {
    const auto rank = static_cast<std::size_t>(order[position]);
    result[rank] = rule.target(loads[rank], static_cast<std::int32_t>(position), before, total, speed(rank));
    before += rule.counted(loads[rank], speed(rank));
  }
  THALWEG_ASSERT(light, before == total);
  THALWEG_ASSERT(heavy, std::reduce(result.begin(), result.end()) == std::reduce(loads.begin(), loads.end()));
  return result;
}

} // namespace thalweg::balancing
