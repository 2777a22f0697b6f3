// SPDX-License-Identifier: BSD-3-Clause
#include "place/kept_trials.hpp"

#include "base/assertion.hpp"
#include "base/random.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sstream>

namespace thalweg::place {

namespace {

using evidence::Decision;

constexpr std::size_t trials_max = 64;
constexpr std::size_t rounds_max = 1000; // of a line that is no nonsense
constexpr std::array<std::string_view, 3> decision_names = {"open", "go", "stay"};

std::optional<KeptTrial> parse_trial(const std::string& line) {
  std::istringstream words(line);
  KeptTrial trial;
  std::string verdict;
  std::size_t rounds = 0;
  words >> std::hex >> trial.key >> std::dec >> verdict >> trial.saved_s >> rounds;
  const auto named = std::ranges::find(decision_names, verdict);
  if (!words || named == decision_names.end() || rounds > rounds_max || !std::isfinite(trial.saved_s))
    return std::nullopt;
  trial.verdict = static_cast<Decision>(named - decision_names.begin());
  trial.ratios.resize(rounds);
  for (double& ratio : trial.ratios)
    if (!(words >> ratio) || !(ratio >= 0 && std::isfinite(ratio)))
      return std::nullopt;
  for (std::int32_t slot = 0; words >> slot;)
    trial.slot_of.push_back(slot);
  return words.eof() && has_each_slot_once(trial.slot_of) ? std::optional(trial) : std::nullopt;
}

} // namespace

bool has_each_slot_once(const Slots& slots) {
  std::vector<bool> taken(slots.size());
  for (const std::int32_t slot : slots) {
    if (slot < 0 || static_cast<std::size_t>(slot) >= slots.size() || taken[static_cast<std::size_t>(slot)])
      return false;
    taken[static_cast<std::size_t>(slot)] = true;
  }
  return !slots.empty();
}

std::string_view name(Decision decision) {
  return decision_names[static_cast<std::size_t>(decision)];
}

KeptTrial nothing_found(Slots as_started) {
  return {.verdict = Decision::surely_not, .slot_of = std::move(as_started)};
}

bool found_nothing(const KeptTrial& trial) {
  return trial.verdict == Decision::surely_not && trial.ratios.empty();
}

std::uint64_t trial_key(std::string_view pattern_text, const machine::Allocation& allocation,
                        const Slots& against) {
  const std::uint64_t hash = ended_text_hash(allocation.interconnect->name(), ended_text_hash(pattern_text));
  const std::uint64_t here = ended_text_hash(fmt::format("{}", fmt::join(allocation.slots, " ")), hash);
  return against.empty() ? here : ended_text_hash(fmt::format("{}", fmt::join(against, " ")), here);
}

std::string file_of_trials(const std::string& pattern_file) {
  return pattern_file + ".trials";
}

std::string to_text(const std::vector<KeptTrial>& trials) {
  std::string text;
  for (const KeptTrial& trial : trials)
    text += fmt::format("{:016x} {} {} {} {} {}\n", trial.key, name(trial.verdict), trial.saved_s,
                        trial.ratios.size(), fmt::join(trial.ratios, " "), fmt::join(trial.slot_of, " "));
  return text;
}

std::vector<KeptTrial> parse_trials(std::string_view text) {
  std::istringstream lines{std::string(text)};
  std::vector<KeptTrial> trials;
  for (std::string line; std::getline(lines, line);)
    if (auto trial = parse_trial(line))
      trials.push_back(std::move(*trial));
  return trials;
}

std::optional<KeptTrial> find_trial(const std::vector<KeptTrial>& trials, std::uint64_t key,
                                    std::int32_t ranks) {
  const auto found = std::ranges::find_if(
      trials, [&](const KeptTrial& trial) { return trial.key == key && std::ssize(trial.slot_of) == ranks; });
  return found == trials.end() ? std::nullopt : std::optional(*found);
}

void remember(std::vector<KeptTrial>& trials, KeptTrial trial) {
  std::erase_if(trials, [&](const KeptTrial& old) { return old.key == trial.key; });
  trials.push_back(std::move(trial));
  if (trials.size() > trials_max)
    trials.erase(trials.begin());
  THALWEG_ASSERT(light, trials.size() <= trials_max);
}

} // namespace thalweg::place
