// SPDX-License-Identifier: BSD-3-Clause
#include "balance/report.hpp"

#include "base/assertion.hpp"
#include "base/error.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace thalweg::balancing {

namespace {

struct Words {
  const char* problem;
  const char* remedy;
};

Words words_of(Fault fault) {
  switch (fault) {
  case Fault::tasks:
    return {"has fewer than 0 tasks", "give numbers from 0"};
  case Fault::weight:
    return {"has a task whose weight is below 0 or no finite number", "give finite weights from 0"};
  case Fault::speed:
    return {"has a speed that is below 0 or no finite number",
            "give what it does in the same time as others"};
  case Fault::cost:
    return {"gives seconds that are below 0 or no finite number", "give how long a task takes, or 0"};
  default:
    return {"gives an option that does not exist, a number below 0, or tasks of no size",
            "see thalweg_balance_options"};
  }
}

} // namespace

Summary summary_of(const Report& report, Rank rank) {
  const Place place{report.load(), report.speed};
  return {.ranks = 1,
          .tasks = std::min(report.tasks, tasks_max + 1) > tasks_max ? -1 : report.tasks,
          .load = report.load(),
          .bytes = report.bytes,
          .speed = report.speed,
          .speed_min = report.speed,
          .speed_max = report.speed,
          .load_seconds = report.load_seconds,
          .cost_factor = report.cost_factor,
          .slowest = place,
          .fastest = place,
          .settings = report.settings,
          .fault = report.fault,
          .culprit = report.fault == Fault::none ? -1 : rank};
}

Summary combined(const Summary& first, const Summary& second) {
  if (first.ranks == 0 || second.ranks == 0)
    return first.ranks == 0 ? second : first;
  Summary both = first;
  both.ranks += second.ranks;
  both.tasks = first.tasks < 0 || second.tasks < 0 || first.tasks > tasks_max - second.tasks
                   ? -1
                   : first.tasks + second.tasks;
  THALWEG_ASSERT(normal, first.ranks > 0 && second.ranks > 0);
  both.load += second.load;
  both.bytes += second.bytes;
  both.speed += second.speed;
  both.speed_min = std::min(first.speed_min, second.speed_min);
  both.speed_max = std::max(first.speed_max, second.speed_max);
  both.load_seconds = std::max(first.load_seconds, second.load_seconds);
  both.cost_factor = std::max(first.cost_factor, second.cost_factor);
  if (second.slowest.seconds() > first.slowest.seconds())
    both.slowest = second.slowest;
  if (second.fastest.seconds() < first.fastest.seconds())
    both.fastest = second.fastest;
  if (both.settings != second.settings)
    both.settings = 0;
  if (both.fault == Fault::none) {
    both.fault = second.fault;
    both.culprit = second.culprit;
  }
  return both;
}

void must_be_right(const Summary& all) {
  if (all.fault != Fault::none) {
    const Words words = words_of(all.fault);
    throw Error(fmt::format("rank {} {}", all.culprit, words.problem), words.remedy);
  }
  if (all.settings == 0)
    throw Error("ranks give different options, sizes of tasks, or weights on some of them only",
                "give all ranks the same", thalweg_error_mismatch);
  if (all.tasks < 0)
    throw Error(fmt::format("all ranks have over {} tasks together", tasks_max), "count in a larger unit");
}

} // namespace thalweg::balancing
