// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/learn/learned_entry.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <tuple>

namespace thalweg::mpi {

namespace {

using nlohmann::ordered_json;
using State = tune::Learner::State;

constexpr std::array states{State::counting, State::searching, State::confirming, State::settled};

std::string_view text_of(State state) {
  switch (state) {
  case State::counting:
    return "too few calls so far";
  case State::searching:
    return "searching";
  case State::confirming:
    return "comparing the pick with native";
  case State::settled:
    return "settled";
  }
  return "";
}

ordered_json to_json(const tune::Trial& trial) {
  ordered_json json{{"candidate", trial.text}, {"outcome", tune::text_of(trial.outcome)}};
  if (trial.predicted > 0)
    json["predicted_s"] = trial.predicted;
  if (trial.rounds > 0) {
    json["measured_s"] = trial.seconds;
    json["rounds"] = trial.rounds;
  }
  return json;
}

// The value that has that text, or the first.
template <typename Values>
auto with_text(const Values& values, const std::string& text) {
  const auto found = std::ranges::find_if(values, [&](auto value) { return text_of(value) == text; });
  return found == values.end() ? values.front() : *found;
}

tune::Trial trial_from_json(const ordered_json& json) {
  tune::Trial trial;
  trial.text = json.at("candidate");
  trial.outcome = with_text(tune::outcomes, json.at("outcome"));
  trial.predicted = json.value("predicted_s", 0.0);
  trial.seconds = json.value("measured_s", 0.0);
  trial.rounds = json.value("rounds", std::uint32_t{0});
  return trial;
}

const tune::Trial& trial_of(const LearnedEntry& entry, std::string_view candidate) {
  const auto found = std::ranges::find(entry.trials, candidate, &tune::Trial::text);
  return found == entry.trials.end() ? entry.trials.front() : *found;
}

ordered_json to_json(const LearnedEntry& entry) {
  ordered_json trials = ordered_json::array();
  for (const tune::Trial& trial : entry.trials)
    trials.push_back(to_json(trial));
  return {{"call", entry.call},
          {"ranks", entry.ranks},
          {"nodes", entry.nodes},
          {"bytes", entry.bytes},
          {"degree", entry.degree},
          {"communicators", entry.communicators},
          {"calls", entry.calls},
          {"state", text_of(entry.state)},
          {"searched", entry.searched},
          {"searches", entry.searches},
          {"use", entry.use},
          {"time_s", entry.seconds},
          {"spent_s", entry.spent_seconds},
          {"measured_calls", entry.measured_calls},
          {"arrival_skew_s", entry.arrival_skew_seconds},
          {"transfer_s", entry.transfer_seconds},
          {"trials", trials}};
}

LearnedEntry from_json(const ordered_json& json) {
  LearnedEntry entry;
  entry.call = json.at("call");
  entry.ranks = json.at("ranks");
  entry.nodes = json.at("nodes");
  entry.bytes = json.at("bytes");
  entry.degree = json.at("degree");
  entry.communicators = json.at("communicators");
  entry.calls = json.at("calls");
  entry.state = with_text(states, json.at("state"));
  entry.searched = json.at("searched");
  entry.searches = json.at("searches");
  entry.use = json.at("use");
  entry.seconds = json.at("time_s");
  entry.spent_seconds = json.at("spent_s");
  entry.measured_calls = json.at("measured_calls");
  entry.arrival_skew_seconds = json.at("arrival_skew_s");
  entry.transfer_seconds = json.at("transfer_s");
  for (const ordered_json& trial : json.at("trials"))
    entry.trials.push_back(trial_from_json(trial));
  return entry;
}

ordered_json array_of(std::span<const LearnedEntry> entries) {
  ordered_json array = ordered_json::array();
  for (const LearnedEntry& entry : entries)
    array.push_back(to_json(entry));
  return array;
}

} // namespace

std::string LearnedEntry::name_of(std::string_view operation, bool blocks, bool is_persistent) {
  std::string name(operation);
  if (is_persistent)
    return name.append(persistent_mark);
  return blocks ? name : std::string(nonblocking_mark) + name;
}

std::string_view LearnedEntry::operation() const {
  std::string_view name = call;
  if (is_persistent())
    name.remove_suffix(persistent_mark.size());
  else if (is_nonblocking())
    name.remove_prefix(nonblocking_mark.size());
  return name;
}

bool LearnedEntry::is_same_case(const LearnedEntry& other) const {
  return std::tie(call, ranks, nodes, bytes, degree) ==
         std::tie(other.call, other.ranks, other.nodes, other.bytes, other.degree);
}

std::string document_of(std::span<const LearnedEntry> entries) {
  return array_of(entries).dump();
}

std::vector<std::uint8_t> pack(std::span<const LearnedEntry> entries) {
  return ordered_json::to_cbor(array_of(entries));
}

std::vector<LearnedEntry> unpack(std::span<const std::uint8_t> packed) {
  std::vector<LearnedEntry> entries;
  for (const ordered_json& json : ordered_json::from_cbor(packed.begin(), packed.end()))
    entries.push_back(from_json(json));
  return entries;
}

std::optional<tune::Pick> pick_of(const LearnedEntry& entry) {
  const tune::Trial& pick = trial_of(entry, entry.use);
  const tune::Trial& native = trial_of(entry, "native");
  if ((!entry.searched && entry.use == "native") || pick.rounds == 0 || native.rounds == 0 ||
      pick.outcome == tune::Outcome::began_with)
    return std::nullopt;
  return tune::Pick{
      .call = std::string(entry.operation()),
      .ranks = entry.ranks,
      .nodes = entry.nodes,
      .bytes = entry.bytes,
      .use = strategies::parse_implementation(entry.use, *strategies::find_call(entry.operation())),
      .seconds = pick.seconds,
      .native_seconds = native.seconds,
      .trials = static_cast<std::int32_t>(pick.rounds),
      .source = entry.searched ? std::string(tune::online_source) : "online, unfinished",
      .degree = entry.degree};
}

} // namespace thalweg::mpi
