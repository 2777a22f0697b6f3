#include "mpi/place/proposal.hpp"

#include <fmt/format.h>
#include <fstream>
#include <numeric>

#include "core/error.hpp"
#include "mpi/place/trial_store.hpp"
#include "pattern/recording.hpp"
#include "place/pinned.hpp"

namespace thalweg::mpi {

namespace {

constexpr double search_s = 0.1;
// What is asked for, by parts: few bytes on few links, and no link that all wait for.
constexpr place::Goal goal{.hop_bytes = 1, .contention = 1};
constexpr double predicted_gain_min = 0.02;

bool is_better(const pattern::Pattern& pattern, const machine::Allocation& allocation,
               const place::Slots& slot_of) {
  place::Slots identity(slot_of.size());
  std::iota(identity.begin(), identity.end(), 0);
  return place::value(goal, place::metrics(pattern, allocation, slot_of),
                      place::metrics(pattern, allocation, identity)) <= 1 - predicted_gain_min;
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

void propose(Proposal& proposal, const machine::Allocation& allocation) {
  // Links may be busy that were not when it was tried.
  if (auto known = kept_trial(proposal.file, allocation);
      known && is_better(proposal.pattern, allocation, known->slot_of)) {
    proposal.slot_of = known->slot_of;
    proposal.before = std::move(*known);
    proposal.why = "a numbering that earlier runs tried";
    return;
  }
  proposal.mapped = place::map_pinned(proposal.pattern, allocation, {.goal = goal, .seconds = search_s});
  const double after = place::value(goal, proposal.mapped.placed, proposal.mapped.identity);
  if (proposal.mapped.is_identity() || after > 1 - predicted_gain_min) {
    proposal.why = "no other numbering is better by the pattern";
    return;
  }
  proposal.slot_of = proposal.mapped.slot_of;
  proposal.why = fmt::format("{:.1f} hops a byte instead of {:.1f}", proposal.mapped.placed.hops_per_byte,
                             proposal.mapped.identity.hops_per_byte);
}

Proposal read_slots(const std::string& file, std::int32_t ranks) {
  std::ifstream stream(file);
  if (!stream)
    throw Error(fmt::format("{} cannot be read", file), "name a file with the slot of each rank, or auto");
  Proposal proposal{.is_by_order = true, .why = "by " + file};
  std::vector<bool> taken(static_cast<std::size_t>(ranks));
  for (std::int32_t slot = 0; stream >> slot;) {
    if (slot < 0 || slot >= ranks || taken[static_cast<std::size_t>(slot)])
      throw Error(fmt::format("{}: rank {} has slot {}", file, proposal.slot_of.size(), slot),
                  fmt::format("give each of the slots 0 to {} to one rank", ranks - 1));
    taken[static_cast<std::size_t>(slot)] = true;
    proposal.slot_of.push_back(slot);
  }
  if (!stream.eof() || proposal.slot_of.size() != taken.size())
    throw Error(fmt::format("{} has {} slots for {} ranks", file, proposal.slot_of.size(), ranks),
                "write one whole number for each rank");
  return proposal;
}

} // namespace thalweg::mpi
