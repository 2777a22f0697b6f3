// SPDX-License-Identifier: BSD-3-Clause
#include "team/far_landings.hpp"

#include "base/assertion.hpp"

#include <algorithm>

namespace thalweg::teams {

namespace {

// Of one rank at another, before it waits: the library keeps them there until they are taken in.
constexpr std::uint64_t max_unlanded = 1024;
constexpr std::size_t max_waiting_bytes = std::size_t{4} << 20;

// An owner that has taken in so many tells it, whatever else comes.
constexpr std::uint64_t max_unreported = max_unlanded / 4;

} // namespace

std::uint64_t FarLandings::number(Rank to, std::size_t bytes, bool is_long) {
  Outgoing& outgoing = outgoing_[to];
  ++unlanded_;
  ++outgoing.sent;
  if (is_long) {
    outgoing.last_long = outgoing.sent;
  } else {
    outgoing.waiting_bytes += bytes;
    outgoing.waiting.emplace_back(outgoing.sent, bytes);
  }
  return outgoing.sent;
}

FarOperationPointer FarLandings::await_last(Rank to) {
  Outgoing& outgoing = outgoing_[to];
  auto operation = std::make_shared<FarOperation>();
  outgoing.awaited.emplace_back(outgoing.sent, operation);
  return operation;
}

bool FarLandings::has_room(Rank to) const {
  const auto known = outgoing_.find(to);
  return known == outgoing_.end() || (known->second.sent - known->second.landed < max_unlanded &&
                                      known->second.waiting_bytes < max_waiting_bytes);
}

bool FarLandings::have_long_ones() const {
  return std::ranges::all_of(outgoing_,
                             [](const auto& one) { return one.second.last_long <= one.second.landed; });
}

std::vector<std::pair<Rank, std::uint64_t>> FarLandings::ask() {
  std::vector<std::pair<Rank, std::uint64_t>> unasked;
  for (auto& [rank, outgoing] : outgoing_)
    if (outgoing.landed < outgoing.sent && outgoing.asked < outgoing.sent) {
      outgoing.asked = outgoing.sent;
      unasked.emplace_back(rank, outgoing.sent);
    }
  return unasked;
}

// Long messages tell what was so when they began: others may have told more meanwhile.
void FarLandings::hear(Rank owner, std::uint64_t number) {
  const auto known = outgoing_.find(owner);
  if (known == outgoing_.end() || number <= known->second.landed)
    return;
  Outgoing& outgoing = known->second;
  THALWEG_ASSERT(light, number <= outgoing.sent);
  unlanded_ -= number - outgoing.landed;
  outgoing.landed = number;
  for (; !outgoing.waiting.empty() && outgoing.waiting.front().first <= number; outgoing.waiting.pop_front())
    outgoing.waiting_bytes -= outgoing.waiting.front().second;
  for (; !outgoing.awaited.empty() && outgoing.awaited.front().first <= number; outgoing.awaited.pop_front())
    outgoing.awaited.front().second->has_finished = true;
}

void FarLandings::begin(Rank from, std::uint64_t number) {
  Incoming& incoming = incoming_[from];
  THALWEG_ASSERT(light, number > incoming.come);
  incoming.come = number;
  incoming.pending.insert(number);
}

void FarLandings::land(Rank from, std::uint64_t number) {
  Incoming& incoming = incoming_[from];
  THALWEG_ASSERT(light, number > incoming.come || incoming.pending.contains(number));
  incoming.come = std::max(incoming.come, number);
  incoming.pending.erase(number);
  note_unreported(from);
}

void FarLandings::want(Rank from, std::uint64_t number) {
  Incoming& incoming = incoming_[from];
  incoming.wanted = std::max(incoming.wanted, number);
  note_unreported(from);
}

std::uint64_t FarLandings::report(Rank to) {
  const auto known = incoming_.find(to);
  if (known == incoming_.end())
    return 0;
  known->second.reported = known->second.landed();
  return known->second.reported;
}

std::vector<Rank> FarLandings::due(bool has_time) {
  std::vector<Rank> due;
  std::erase_if(to_report_, [&](Rank rank) {
    const Incoming& incoming = incoming_[rank];
    const std::uint64_t unreported = incoming.landed() - incoming.reported;
    if (unreported == 0)
      return true;
    if (!has_time && incoming.reported >= incoming.wanted && unreported < max_unreported)
      return false;
    due.push_back(rank);
    return true;
  });
  return due;
}

void FarLandings::note_unreported(Rank rank) {
  if (std::ranges::find(to_report_, rank) == to_report_.end())
    to_report_.push_back(rank);
}

} // namespace thalweg::teams
