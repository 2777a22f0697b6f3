#include "mpi/place/placing.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "mpi/place/proposal.hpp"
#include "mpi/place/trial.hpp"
#include "mpi/place/trial_store.hpp"
#include "mpi/place/world_swap.hpp"
#include "mpi/record/pattern_store.hpp"
#include "mpi/state/runtime.hpp"

namespace thalweg::mpi {

namespace {

using nlohmann::json;

// What a trial may cost, of the time that the program ran when it was recorded.
constexpr double trial_part = 0.05;

// Why ranks stay where they are whatever the pattern says, or nothing. The same on all ranks.
std::string objection_to_placing(const job::Agreement& everybody, int nodes) {
  MPI_Comm parent = MPI_COMM_NULL;
  native.Comm_get_parent(&parent);
  struct Facts {
    std::uint64_t program;
    bool can_swap;
    bool is_child;
  };
  const auto own = everybody.allgather(Facts{program_hash(), can_swap_world(), parent != MPI_COMM_NULL});
  if (everybody.count() < 2 || (nodes < 2 && runtime.settings.place == "auto"))
    return "the job is on one node";
  if (!std::ranges::all_of(own, &Facts::can_swap))
    return "the library that renumbers ranks is not loaded; start the job with thalweg run --place";
  if (own.front().is_child)
    return "another job started this one, and knows its ranks";
  if (!std::ranges::all_of(own, [&](const Facts& one) { return one.program == own.front().program; }))
    return "ranks run different programs";
  return {};
}

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

std::string describe_trial(const TrialResult& trial) {
  const double gain = trial.placed_s > 0 ? trial.identity_s / trial.placed_s : 0;
  return fmt::format("tried: {:.2f}x the speed, faster in {} of {} rounds", gain, trial.wins, trial.rounds);
}

enum class Verdict : std::uint8_t { stay, go, attempt };

// Before anything is tried in this run.
Verdict first_verdict(const Proposal& proposal) {
  if (proposal.slot_of.empty() || proposal.before.verdict == place::TrialVerdict::stay)
    return Verdict::stay;
  const bool is_sure = proposal.is_by_order || proposal.before.verdict == place::TrialVerdict::go;
  return is_sure ? Verdict::go : Verdict::attempt;
}

// For later runs on the same slots. What cannot be kept is found again.
void keep(const TrialResult& trial, const Proposal& proposal, const machine::Allocation& allocation) {
  const place::TrialVerdict verdict = trial.adopted   ? place::TrialVerdict::go
                                      : trial.decided ? place::TrialVerdict::stay
                                                      : place::TrialVerdict::open;
  keep_trial(proposal.file, allocation,
             {.verdict = verdict, .rounds = trial.rounds, .wins = trial.wins, .slot_of = proposal.slot_of});
}

// What the first rank finds; nothing thrown leaves ranks other than where they were.
Proposal first_proposal(const machine::Allocation& allocation, Placing& placing) {
  try {
    const auto ranks = static_cast<std::int32_t>(allocation.slots.size());
    if (runtime.settings.place != "auto")
      return read_slots(runtime.settings.place, ranks);
    const std::string file = pattern_file(runtime.settings.patterns, ranks);
    if (std::filesystem::exists(file))
      return propose(file, allocation);
    placing.records = true;
    return {.why = "no run of this program has been recorded with as many ranks; this one is"};
  } catch (const std::exception& error) {
    return {.why = error.what()};
  }
}

} // namespace

Placing decide_placing(const job::Agreement& everybody, const machine::Allocation& allocation, int nodes) {
  Placing placing;
  if (runtime.settings.place.empty())
    return placing;
  Proposal proposal;
  proposal.why = objection_to_placing(everybody, nodes);
  if (proposal.why.empty() && everybody.own() == 0)
    proposal = first_proposal(allocation, placing);
  everybody.broadcast(placing.records);
  const place::KeptTrial& before = proposal.before;
  Verdict verdict = first_verdict(proposal);
  everybody.broadcast(verdict);
  json document = describe_proposal(proposal);
  std::string line = proposal.why;
  if (before.verdict != place::TrialVerdict::open)
    line += fmt::format(": faster in {} of {} rounds", before.wins, before.rounds);
  place::Slots slots = proposal.slot_of;
  if (verdict == Verdict::attempt) {
    const TrialResult trial =
        try_numbering(everybody, proposal.pattern, proposal.slot_of, trial_part * proposal.seconds,
                      {.rounds = before.rounds, .wins = before.wins});
    verdict = trial.adopted ? Verdict::go : Verdict::stay;
    line += "; " + describe_trial(trial);
    if (everybody.own() == 0)
      keep(trial, proposal, allocation);
    document["trial"] = {{"rounds", trial.rounds},
                         {"wins", trial.wins},
                         {"as_started_s", trial.identity_s},
                         {"placed_s", trial.placed_s}};
  }
  if (verdict == Verdict::go) {
    slots.resize(allocation.slots.size());
    everybody.broadcast(slots.data(), slots.size() * sizeof slots.front());
    placing.old_rank_of = slots;
  }
  document["adopted"] = verdict == Verdict::go;
  document["slots"] = placing.old_rank_of;
  placing.document = document.dump(-1, ' ', false, json::error_handler_t::replace);
  placing.line =
      fmt::format("ranks {}: {}", verdict == Verdict::go ? "placed" : "stay where they were", line);
  return placing;
}

} // namespace thalweg::mpi
