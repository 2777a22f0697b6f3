// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/place/run_times.hpp"

#include "base/files.hpp"
#include "base/of_process.hpp"
#include "mpi/observe/ticks.hpp"
#include "place/kept_trials.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <functional>
#include <iterator>
#include <numeric>
#include <utility>

namespace thalweg::mpi {

namespace {

// Hop-bytes and most loaded link, both at most so many times what they are. What is predicted to be better by
// less is tried in replays, which see small gains in less time.
constexpr double predicted_part_max = 0.7;

struct TimedRun {
  std::string file; // empty: none
  place::KeptRuns runs;
  std::uint64_t begin_ns = 0;
};

std::int64_t now_s() {
  return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

double geometric_mean(const std::vector<double>& seconds) {
  const double sum = std::transform_reduce(seconds.begin(), seconds.end(), 0.0, std::plus{},
                                           [](double one) { return std::log(one); });
  return std::exp(sum / static_cast<double>(seconds.size()));
}

} // namespace

std::string text_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

bool is_for_runs(const place::Metrics& before, const place::Metrics& after) {
  return after.hop_bytes <= predicted_part_max * before.hop_bytes &&
         after.phase_link_max <= predicted_part_max * before.phase_link_max;
}

std::optional<place::KeptRuns> kept_runs(const std::string& pattern_file,
                                         const machine::Allocation& allocation) {
  return place::find_runs(place::parse_runs(text_of_file(place::file_of_runs(pattern_file))),
                          place::trial_key(text_of_file(pattern_file), allocation),
                          static_cast<std::int32_t>(allocation.slots.size()));
}

place::KeptRuns first_runs(const std::string& pattern_file, const machine::Allocation& allocation,
                           double recorded_s, place::Slots slot_of) {
  place::KeptRuns runs{.key = place::trial_key(text_of_file(pattern_file), allocation),
                       .slot_of = std::move(slot_of)};
  if (recorded_s > 0)
    runs.started.push_back(recorded_s);
  return runs;
}

std::string describe_runs(const place::KeptRuns& runs) {
  if (runs.placed.empty() || runs.started.empty())
    return "this run is timed";
  return fmt::format("{:.2f}x the speed by {} runs, {} of them as started",
                     geometric_mean(runs.started) / geometric_mean(runs.placed),
                     runs.started.size() + runs.placed.size(), runs.started.size());
}

bool is_next(place::KeptRuns& runs) {
  return place::wants_placed(runs, now_s());
}

void begin_timed_run(const std::string& pattern_file, const place::KeptRuns& runs) {
  of_process<TimedRun>() = {pattern_file, runs, observe::monotonic_ns()};
}

void end_timed_run(bool is_placed) {
  const TimedRun run = std::exchange(of_process<TimedRun>(), {});
  if (run.file.empty())
    return;
  const double seconds = 1e-9 * static_cast<double>(observe::monotonic_ns() - run.begin_ns);
  const std::string file = place::file_of_runs(run.file);
  std::vector<place::KeptRuns> all = place::parse_runs(text_of_file(file));
  // Another job of the same program may have ended meanwhile.
  auto kept = place::find_runs(all, run.runs.key, static_cast<std::int32_t>(run.runs.slot_of.size()));
  place::KeptRuns runs = kept && kept->slot_of == run.runs.slot_of ? std::move(*kept) : run.runs;
  place::add_run(runs, is_placed, std::max(seconds, 1e-9), now_s());
  place::remember(all, std::move(runs));
  write_file(file, place::to_text(all)); // what cannot be kept is found again
}

} // namespace thalweg::mpi
