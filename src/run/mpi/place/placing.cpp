// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/place/placing.hpp"

#include "evidence/evidence.hpp"
#include "mpi/place/busy_links.hpp"
#include "mpi/place/proposal.hpp"
#include "mpi/place/run_times.hpp"
#include "mpi/place/trial.hpp"
#include "mpi/record/pattern_store.hpp"
#include "mpi/state/runtime.hpp"
#include "topology/interconnect.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <dlfcn.h>
#include <exception>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>

namespace thalweg::mpi {

namespace {

// extern "C" of src/run/mpi/world: takes the bits of both handles.
using SwapFunction = void (*)(std::uintptr_t from, std::uintptr_t to);

SwapFunction swap_function() {
  static const auto function = reinterpret_cast<SwapFunction>(dlsym(RTLD_DEFAULT, "thalweg_swap_world"));
  return function;
}

std::uintptr_t bits_of(MPI_Comm comm) {
  return (std::uintptr_t)(comm);
}

void join(MPI_Comm world) {
  runtime.world.communicator = world;
  native.Comm_rank(world, &runtime.world.rank);
  native.Group_free(&runtime.world.group);
  native.Comm_group(world, &runtime.world.group);
}

} // namespace

bool can_swap_world() {
  return swap_function() != nullptr;
}

bool swap_world(int rank) {
  MPI_Comm world = MPI_COMM_NULL;
  if (native.Comm_split(MPI_COMM_WORLD, 0, rank, &world) != MPI_SUCCESS)
    return false;
  native.Comm_set_name(world, "MPI_COMM_WORLD");
  join(world);
  swap_function()(bits_of(MPI_COMM_WORLD), bits_of(world));
  return true;
}

void restore_world() {
  MPI_Comm world = runtime.world.communicator;
  end_timed_run(world != MPI_COMM_WORLD && world != MPI_COMM_NULL);
  if (world == MPI_COMM_WORLD || world == MPI_COMM_NULL)
    return;
  swap_function()(bits_of(MPI_COMM_WORLD), bits_of(MPI_COMM_WORLD));
  join(MPI_COMM_WORLD);
  native.Comm_free(&world);
}

namespace {

// What a trial may cost, of the time that the program ran when it was recorded, and what the search for links
// that others use. That is not worth a beginning below so many seconds. The recorded run tried nothing: the
// first trial has its part too.
constexpr double trial_part = 0.05;
constexpr double links_part = 0.05;
constexpr double links_min_s = 0.03;

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

std::string describe_rounds(const std::vector<double>& ratios) {
  if (ratios.empty())
    return "no round was tried yet";
  return fmt::format("{:.2f}x the speed, faster in {} of {} rounds", evidence::median(ratios),
                     evidence::wins(ratios), ratios.size());
}

std::string describe_trial(const TrialResult& trial) {
  if (trial.placed_s > 0)
    return "tried: " + describe_rounds(trial.ratios);
  return describe_rounds(trial.ratios) + "; this run is too brief to try one, later ones have its time too";
}

enum class Verdict : std::uint8_t { fallback, go, attempt };

// Before anything is tried in this run.
Verdict first_verdict(Proposal& proposal) {
  if (proposal.runs)
    return is_next(*proposal.runs) ? Verdict::go : Verdict::fallback;
  if (proposal.slot_of.empty() || proposal.before.verdict == evidence::Decision::surely_not)
    return Verdict::fallback;
  const bool is_sure = proposal.is_by_order || proposal.before.verdict == evidence::Decision::surely_faster;
  return is_sure ? Verdict::go : Verdict::attempt;
}

// For later runs on the same slots. What cannot be kept is found again.
void keep(const TrialResult& trial, const Proposal& proposal, const machine::Allocation& allocation) {
  keep_trial(proposal.file, allocation, proposal.fallback,
             {.verdict = evidence::decide_rounds(trial.ratios),
              .saved_s = trial.saved_s,
              .ratios = trial.ratios,
              .slot_of = proposal.slot_of});
}

// What the first rank knows of the program; nothing thrown leaves ranks other than where they were.
Proposal known_proposal(std::int32_t ranks, PlacingDecision& placing) {
  try {
    if (runtime.settings.place != "auto")
      return read_slots(runtime.settings.place, ranks);
    const std::string file = pattern_file(runtime.settings.patterns, ranks);
    if (std::filesystem::exists(file))
      return read_recorded(file, ranks);
    placing.records = true;
    return {.why = "no run of this program has been recorded with as many ranks; this one is"};
  } catch (const std::exception& error) {
    return {.why = error.what()};
  }
}

void search(Proposal& proposal, const machine::Allocation& allocation, const machine::Allocation* quiet) {
  try {
    propose(proposal, allocation, quiet);
  } catch (const std::exception& error) {
    proposal.why = error.what();
  }
}

struct LinkUse {
  machine::Allocation allocation; // with what is left of links that other jobs use
  std::vector<std::string> busy;  // the names of these links
};

// Looks for busy links where there is time for it. The same on all ranks.
LinkUse look_at_links(const job::Agreement& everybody, const Proposal& proposal,
                      const machine::Allocation& allocation) {
  LinkUse seen{allocation, {}};
  double seconds = proposal.file.empty() ? 0 : links_part * proposal.seconds;
  everybody.broadcast(seconds);
  if (seconds < links_min_s || runtime.world.node_places.network.empty())
    return seen;
  std::vector<double> parts = free_parts_of_links(everybody, allocation, seconds);
  for (std::size_t link = 0; link < parts.size(); ++link)
    if (parts[link] < 1)
      seen.busy.push_back(allocation.interconnect->link_name(static_cast<topology::Link>(link)));
  if (!parts.empty())
    seen.allocation.interconnect = topology::with_busy_links(allocation.interconnect, std::move(parts));
  return seen;
}

// Tries what is not decided yet. The same on all ranks.
Verdict attempt(const job::Agreement& everybody, const Proposal& proposal,
                const machine::Allocation& allocation, std::optional<TrialResult>& trial) {
  const place::KeptTrial& before = proposal.before;
  const double runs = before.slot_of.empty() && proposal.fallback.empty() ? 2 : 1;
  trial = try_numbering(everybody, {.pattern = proposal.pattern,
                                    .slot_of = proposal.slot_of,
                                    .against = proposal.fallback,
                                    .recorded_s = proposal.seconds,
                                    .seconds = before.saved_s + runs * trial_part * proposal.seconds,
                                    .ratios = before.ratios});
  if (everybody.own() == 0)
    keep(*trial, proposal, allocation);
  return evidence::decide_rounds(trial->ratios) == evidence::Decision::surely_faster ? Verdict::go
                                                                                     : Verdict::fallback;
}

// The slots that ranks get, from the first one, which alone has a proposal. Empty where they stay. The same
// on all ranks.
place::Slots agreed_slots(const job::Agreement& everybody, const Proposal& proposal, Verdict verdict,
                          std::size_t ranks) {
  place::Slots slots = verdict == Verdict::go ? proposal.slot_of : proposal.fallback;
  bool moves = !slots.empty();
  everybody.broadcast(moves);
  if (!moves)
    return {};
  slots.resize(ranks);
  everybody.broadcast(slots.data(), slots.size() * sizeof slots.front());
  return slots;
}

} // namespace

PlacingDecision decide_placing(const job::Agreement& everybody, const machine::Allocation& allocation,
                               int nodes) {
  PlacingDecision placing;
  if (runtime.settings.place.empty())
    return placing;
  Proposal proposal;
  proposal.why = objection_to_placing(everybody, nodes);
  if (proposal.why.empty() && everybody.own() == 0)
    proposal = known_proposal(static_cast<std::int32_t>(allocation.slots.size()), placing);
  everybody.broadcast(placing.records);
  if (!proposal.file.empty())
    proposal.runs = kept_runs(proposal.file, allocation);
  const LinkUse seen = look_at_links(everybody, proposal, allocation);
  if (!proposal.file.empty())
    search(proposal, seen.allocation, seen.busy.empty() ? nullptr : &allocation);
  Verdict verdict = first_verdict(proposal);
  everybody.broadcast(verdict);
  std::string line = proposal.why;
  if (!seen.busy.empty())
    line += fmt::format("; others use {}", fmt::join(seen.busy, ", "));
  if (proposal.runs)
    line += "; " + describe_runs(*proposal.runs);
  else if (proposal.before.verdict != evidence::Decision::open)
    line += ": " + describe_rounds(proposal.before.ratios);
  std::optional<TrialResult> trial;
  if (verdict == Verdict::attempt) {
    verdict = attempt(everybody, proposal, seen.allocation, trial);
    line += "; " + describe_trial(*trial);
  }
  placing.old_rank_of = agreed_slots(everybody, proposal, verdict, allocation.slots.size());
  if (proposal.runs)
    begin_timed_run(proposal.file, *proposal.runs);
  const bool is_placed = !placing.old_rank_of.empty();
  if (is_placed && verdict != Verdict::go)
    line += "; as where no link is busy";
  placing.document = placing_document({.proposal = proposal,
                                       .network = allocation.interconnect->name(),
                                       .busy_links = seen.busy,
                                       .trial = trial,
                                       .adopted = is_placed,
                                       .slots = placing.old_rank_of});
  placing.line = fmt::format("ranks {}: {}", is_placed ? "placed" : "stay where they were", line);
  return placing;
}

} // namespace thalweg::mpi
