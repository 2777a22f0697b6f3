// SPDX-License-Identifier: BSD-3-Clause
#include "place/kept_runs.hpp"

#include "base/assertion.hpp"
#include "place/kept_trials.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sstream>

namespace thalweg::place {

namespace {

using evidence::Decision;

constexpr std::size_t kept_max = 64;
constexpr std::size_t runs_max = 12; // of each kind: older ones say little of the machine as it is
constexpr std::int64_t verdict_holds_s = std::int64_t{30} * 86400;
constexpr std::array decisions = {Decision::open, Decision::surely_faster, Decision::surely_not};

bool read_seconds(std::istringstream& words, std::vector<double>& seconds) {
  std::size_t count = 0;
  if (!(words >> count) || count > runs_max)
    return false;
  seconds.resize(count);
  return std::ranges::all_of(seconds,
                             [&](double& one) { return words >> one && one > 0 && std::isfinite(one); });
}

std::optional<KeptRuns> parse_line(const std::string& line) {
  std::istringstream words(line);
  KeptRuns runs;
  std::string verdict;
  words >> std::hex >> runs.key >> std::dec >> verdict >> runs.decided_s;
  const auto named = std::ranges::find(decisions, verdict, name);
  if (!words || named == decisions.end() || !read_seconds(words, runs.started) ||
      !read_seconds(words, runs.placed))
    return std::nullopt;
  runs.verdict = *named;
  for (std::int32_t slot = 0; words >> slot;)
    runs.slot_of.push_back(slot);
  return words.eof() && has_each_slot_once(runs.slot_of) ? std::optional(runs) : std::nullopt;
}

void keep_latest(std::vector<double>& seconds, std::size_t count) {
  if (seconds.size() > count)
    seconds.erase(seconds.begin(), seconds.end() - static_cast<std::ptrdiff_t>(count));
}

} // namespace

void add_run(KeptRuns& runs, bool is_placed, double seconds, std::int64_t now_s) {
  THALWEG_ASSERT(light, seconds > 0);
  std::vector<double>& kind = is_placed ? runs.placed : runs.started;
  kind.push_back(seconds);
  keep_latest(kind, runs_max);
  if (runs.verdict != Decision::open)
    return;
  runs.verdict = evidence::decide_runs(runs.started, runs.placed);
  runs.decided_s = now_s;
}

bool wants_placed(KeptRuns& runs, std::int64_t now_s) {
  if (runs.verdict != Decision::open && now_s - runs.decided_s > verdict_holds_s) {
    runs.verdict = Decision::open;
    keep_latest(runs.started, 1);
    keep_latest(runs.placed, 1);
  }
  return runs.verdict == Decision::open ? evidence::candidate_is_next(runs.started, runs.placed)
                                        : runs.verdict == Decision::surely_faster;
}

std::string file_of_runs(const std::string& pattern_file) {
  return pattern_file + ".runs";
}

std::string to_text(const std::vector<KeptRuns>& runs) {
  std::string text;
  for (const KeptRuns& one : runs) {
    text += fmt::format("{:016x} {} {}", one.key, name(one.verdict), one.decided_s);
    for (const std::vector<double>* const seconds : {&one.started, &one.placed})
      text += fmt::format(" {}{}{}", seconds->size(), seconds->empty() ? "" : " ", fmt::join(*seconds, " "));
    text += fmt::format(" {}\n", fmt::join(one.slot_of, " "));
  }
  return text;
}

std::vector<KeptRuns> parse_runs(std::string_view text) {
  std::istringstream lines{std::string(text)};
  std::vector<KeptRuns> runs;
  for (std::string line; std::getline(lines, line);)
    if (auto one = parse_line(line))
      runs.push_back(std::move(*one));
  return runs;
}

std::optional<KeptRuns> find_runs(const std::vector<KeptRuns>& runs, std::uint64_t key, std::int32_t ranks) {
  const auto found = std::ranges::find_if(
      runs, [&](const KeptRuns& one) { return one.key == key && std::ssize(one.slot_of) == ranks; });
  return found == runs.end() ? std::nullopt : std::optional(*found);
}

void remember(std::vector<KeptRuns>& all, KeptRuns runs) {
  std::erase_if(all, [&](const KeptRuns& old) { return old.key == runs.key; });
  all.push_back(std::move(runs));
  if (all.size() > kept_max)
    all.erase(all.begin());
}

} // namespace thalweg::place
