#include "place/kept_trials.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sstream>

namespace thalweg::place {

namespace {

constexpr std::size_t trials_max = 64;
constexpr std::array<std::string_view, 3> verdict_names = {"open", "go", "stay"};

bool has_each_slot_once(const Slots& slots) {
  std::vector<bool> taken(slots.size());
  for (const std::int32_t slot : slots) {
    if (slot < 0 || static_cast<std::size_t>(slot) >= slots.size() || taken[static_cast<std::size_t>(slot)])
      return false;
    taken[static_cast<std::size_t>(slot)] = true;
  }
  return !slots.empty();
}

std::optional<KeptTrial> parse_trial(const std::string& line) {
  std::istringstream words(line);
  KeptTrial trial;
  std::string verdict;
  words >> std::hex >> trial.key >> std::dec >> verdict >> trial.rounds >> trial.wins;
  const auto named = std::ranges::find(verdict_names, verdict);
  if (!words || named == verdict_names.end() || trial.wins < 0 || trial.rounds < trial.wins)
    return std::nullopt;
  trial.verdict = static_cast<TrialVerdict>(named - verdict_names.begin());
  for (std::int32_t slot = 0; words >> slot;)
    trial.slot_of.push_back(slot);
  return words.eof() && has_each_slot_once(trial.slot_of) ? std::optional(trial) : std::nullopt;
}

} // namespace

std::string to_text(const std::vector<KeptTrial>& trials) {
  std::string text;
  for (const KeptTrial& trial : trials)
    text += fmt::format("{:016x} {} {} {} {}\n", trial.key,
                        verdict_names[static_cast<std::size_t>(trial.verdict)], trial.rounds, trial.wins,
                        fmt::join(trial.slot_of, " "));
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
}

} // namespace thalweg::place
