// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/place/proposal.hpp"

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/line_reader.hpp"
#include "evidence/evidence.hpp"
#include "mpi/place/run_times.hpp"
#include "pattern/recording.hpp"
#include "place/map.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>

namespace thalweg::mpi {

namespace {

std::uint64_t key_of_trial(const std::string& pattern_file, const machine::Allocation& allocation,
                           const place::Slots& against) {
  return place::trial_key(text_of_file(pattern_file), allocation, against);
}

} // namespace

std::optional<place::KeptTrial> kept_trial(const std::string& pattern_file,
                                           const machine::Allocation& allocation,
                                           const place::Slots& against) {
  return place::find_trial(place::parse_trials(text_of_file(place::file_of_trials(pattern_file))),
                           key_of_trial(pattern_file, allocation, against),
                           static_cast<std::int32_t>(allocation.slots.size()));
}

bool keep_trial(const std::string& pattern_file, const machine::Allocation& allocation,
                const place::Slots& against, place::KeptTrial trial) {
  const std::string file = place::file_of_trials(pattern_file);
  trial.key = key_of_trial(pattern_file, allocation, against);
  std::vector<place::KeptTrial> trials = place::parse_trials(text_of_file(file));
  place::remember(trials, std::move(trial));
  return !write_file(file, place::to_text(trials));
}

namespace {

// How long is searched at most, and as a part of the time that the program ran when it was recorded.
constexpr double search_max_s = 0.1;
constexpr double search_part = 0.05;
// What is asked for, by parts: few bytes on few links, and no link that all wait for.
constexpr place::Goal goal{.hop_bytes = 1, .contention = 1};
constexpr double predicted_gain_min = 0.02;
// What was tried beside other jobs is tried on, unless another numbering is better by more than that: which
// links are seen to be busy, and how busy, differs a little from run to run.
constexpr double known_loss_max = 0.1;

constexpr const char* nothing_better = "no other numbering is better by the pattern";

// Those that runs have adopted on the same slots, or none.
place::Slots adopted_slots(const std::string& pattern_file, const machine::Allocation& allocation) {
  auto known = kept_trial(pattern_file, allocation);
  return known && known->verdict == evidence::Decision::surely_faster ? std::move(known->slot_of)
                                                                      : place::Slots{};
}

place::Slots as_started(std::int32_t ranks) {
  place::Slots slots(static_cast<std::size_t>(ranks));
  std::iota(slots.begin(), slots.end(), 0);
  return slots;
}

// With what runs have had, there is nothing to search. A pattern that was recorded anew has another key.
// Beside busy links it is what ranks have otherwise; such a run is none that counts.
bool propose_by_runs(Proposal& proposal, bool is_quiet) {
  if (!proposal.runs)
    return false;
  if (!is_quiet) {
    if (is_next(*proposal.runs))
      proposal.fallback = proposal.runs->slot_of;
    proposal.runs.reset();
    return false;
  }
  proposal.slot_of = proposal.runs->slot_of;
  proposal.why = "a numbering that is judged by whole runs";
  return true;
}

} // namespace

Proposal read_recorded(const std::string& pattern_file, std::int32_t ranks) {
  Proposal proposal;
  const pattern::Recording recording = pattern::load_recording(pattern_file);
  proposal.pattern = pattern::pattern_of(recording);
  proposal.seconds = recording.seconds;
  if (proposal.pattern.tasks == ranks)
    proposal.file = pattern_file;
  else
    proposal.why = fmt::format("the pattern is of {} ranks", proposal.pattern.tasks);
  return proposal;
}

void propose(Proposal& proposal, const machine::Allocation& allocation, const machine::Allocation* quiet) {
  if (propose_by_runs(proposal, quiet == nullptr))
    return;
  const pattern::Pattern& pattern = proposal.pattern;
  if (quiet != nullptr && proposal.fallback.empty())
    proposal.fallback = adopted_slots(proposal.file, *quiet);
  const place::Metrics before = place::metrics(
      pattern, allocation, proposal.fallback.empty() ? as_started(pattern.tasks) : proposal.fallback);
  const auto part = [&](const place::Slots& slots) {
    return place::value(goal, place::metrics(pattern, allocation, slots), before);
  };
  auto known = kept_trial(proposal.file, allocation, proposal.fallback);
  if (known && quiet == nullptr && place::found_nothing(*known)) {
    proposal.why = nothing_better;
    return;
  }
  // Links may be busy that were not when it was tried.
  if (known && part(known->slot_of) > 1 - predicted_gain_min)
    known.reset();
  if (!known || quiet != nullptr)
    proposal.mapped = place::map_pinned(pattern, allocation,
                                        {.goal = goal,
                                         .seconds = std::min(search_max_s, search_part * proposal.seconds),
                                         .clock = place::Clock::cpu});
  const double after = proposal.mapped.slot_of.empty() ? 1 : part(proposal.mapped.slot_of);
  if (known && (quiet == nullptr || part(known->slot_of) <= (1 + known_loss_max) * after)) {
    proposal.slot_of = known->slot_of;
    proposal.before = std::move(*known);
    proposal.why = "a numbering that earlier runs tried";
  } else if (after <= 1 - predicted_gain_min) {
    proposal.slot_of = proposal.mapped.slot_of;
    proposal.why = fmt::format("{:.1f} hops a byte instead of {:.1f}", proposal.mapped.placed.hops_per_byte,
                               before.hops_per_byte);
  } else {
    proposal.why = nothing_better;
    if (quiet == nullptr) // else others may be gone in the next run
      keep_trial(proposal.file, allocation, {}, place::nothing_found(as_started(pattern.tasks)));
  }
  if (quiet == nullptr && !proposal.slot_of.empty() && proposal.before.ratios.empty() &&
      is_for_runs(before, place::metrics(pattern, allocation, proposal.slot_of)))
    proposal.runs = first_runs(proposal.file, allocation, proposal.seconds, proposal.slot_of);
}

Proposal read_slots(const std::string& file, std::int32_t ranks) {
  const std::string text = read_text(file, "name a file with the slot of each rank, or auto");
  LineReader reader(text, file);
  Proposal proposal{.is_by_order = true, .why = "by " + file};
  std::vector<bool> taken(static_cast<std::size_t>(ranks));
  const std::string remedy = fmt::format("give each of the slots 0 to {} to one rank", ranks - 1);
  while (reader.next_line()) {
    reader.drop_comment(true);
    for (const std::string_view word : reader.words()) {
      const std::uint64_t slot = reader.number(word, std::numeric_limits<std::int32_t>::max());
      if (slot >= taken.size() || taken[slot])
        reader.fail(fmt::format("rank {} has slot {}", proposal.slot_of.size(), slot), remedy);
      taken[slot] = true;
      proposal.slot_of.push_back(static_cast<std::int32_t>(slot));
    }
  }
  if (proposal.slot_of.size() != taken.size())
    throw Error(fmt::format("{} has {} slots for {} ranks", file, proposal.slot_of.size(), ranks),
                "write one whole number for each rank");
  return proposal;
}

namespace {

using nlohmann::json;

json describe_proposal(const Proposal& proposal) {
  json document{{"why", proposal.why}};
  if (proposal.mapped.slot_of.empty())
    return document;
  const auto figures = [](const place::Metrics& metrics) {
    return json{{"hop_bytes", metrics.hop_bytes},
                {"hops_per_byte", metrics.hops_per_byte},
                {"most_loaded_link_bytes", metrics.phase_link_max}};
  };
  document["method"] = proposal.mapped.method;
  document["search_s"] = proposal.mapped.seconds;
  document["predicted"] = {{"as_started", figures(proposal.mapped.identity)},
                           {"placed", figures(proposal.mapped.placed)}};
  return document;
}

} // namespace

std::string placing_document(const PlacingFacts& facts) {
  json document = describe_proposal(facts.proposal);
  document["network"] = facts.network;
  document["busy_links"] = facts.busy_links;
  if (const auto& trial = facts.trial)
    document["trial"] = {{"rounds", trial->ratios.size()},
                         {"wins", evidence::wins(trial->ratios)},
                         {"ratios", trial->ratios},
                         {"before_s", trial->before_s},
                         {"placed_s", trial->placed_s}};
  if (const auto& runs = facts.proposal.runs)
    document["runs"] = {
        {"verdict", place::name(runs->verdict)}, {"started_s", runs->started}, {"placed_s", runs->placed}};
  document["proposed"] = facts.proposal.slot_of;
  document["adopted"] = facts.adopted;
  document["slots"] = facts.slots;
  return document.dump(-1, ' ', false, json::error_handler_t::replace);
}

} // namespace thalweg::mpi
