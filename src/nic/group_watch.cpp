// SPDX-License-Identifier: BSD-3-Clause
#include "nic/group_watch.hpp"

#include "nic/address.hpp"
#include "nic/protocol.h"

#include <algorithm>
#include <cstring>

namespace thalweg::nic {

GroupWatch::GroupWatch(const thalweg_nic_group& view, std::span<const std::int32_t> ranks,
                       std::uint32_t address, std::string host)
    : view_(view), ranks_(ranks.begin(), ranks.end()), address_(address), host_(std::move(host)),
      arrived_(view.contributors) {}

void GroupWatch::look(const thalweg_nic_state& state, Clock::time_point now) {
  for (const std::uint32_t epoch : state.ended)
    if (thalweg_nic_later(epoch, ended_) != 0)
      ended_ = epoch;
  note(ended_, now);
  for (const thalweg_nic_slot& slot : state.slots) {
    if (slot.arrived == 0)
      continue;
    note(slot.epoch, now);
    for (std::uint32_t one = 0; one < view_.contributors; ++one)
      if ((slot.arrived >> one & 1) != 0 && thalweg_nic_later(slot.epoch, arrived_[one]) != 0)
        arrived_[one] = slot.epoch;
  }
}

void GroupWatch::note(std::uint32_t epoch, Clock::time_point now) {
  if (thalweg_nic_later(epoch, newest_) == 0)
    return;
  newest_ = epoch;
  since_ = now;
}

bool GroupWatch::hear(std::uint32_t from, const Beat& beat, Clock::time_point now) {
  note(beat.newest, now);
  heard_[from] = {beat.newest, beat.missing, beat.host};
  return take(beat.departure);
}

// The one that is gone earliest counts: all wait for it.
bool GroupWatch::take(const thalweg_nic_departure& departure) {
  const bool is_news = departure.kind != THALWEG_NIC_NOBODY_LEFT &&
                       (departure_.kind == THALWEG_NIC_NOBODY_LEFT ||
                        thalweg_nic_later(departure_.after, departure.after) != 0);
  if (is_news)
    departure_ = departure;
  return is_news;
}

bool GroupWatch::leave(std::uint32_t local) {
  thalweg_nic_departure departure{THALWEG_NIC_PROCESS_ENDED, ranks_[local], arrived_[local], 0, {}};
  std::strncpy(departure.host, host_.c_str(), sizeof departure.host - 1);
  return take(departure);
}

bool GroupWatch::lose(std::uint32_t address, thalweg_nic_departure_kind kind) {
  thalweg_nic_departure departure{static_cast<std::uint32_t>(kind), -1, ended_, 0, {}};
  for (std::uint32_t below = 0; below < view_.contributors; ++below)
    if (thalweg_nic_is_here(&view_, below, address_) == 0 && view_.below[below].address == address)
      departure.rank = ranks_[below];
  const std::string& name = heard_[address].host;
  if (name.empty())
    std::strncpy(departure.host, address_text(address).c_str(), sizeof departure.host - 1);
  else
    std::strncpy(departure.host, name.c_str(), sizeof departure.host - 1);
  return take(departure);
}

std::vector<std::uint32_t> GroupWatch::neighbors() const {
  std::vector<std::uint32_t> found;
  if (view_.has_parent != 0)
    found.push_back(view_.parent.address);
  for (std::uint32_t below = 0; below < view_.contributors; ++below)
    if (thalweg_nic_is_here(&view_, below, address_) == 0 &&
        std::ranges::find(found, view_.below[below].address) == found.end())
      found.push_back(view_.below[below].address);
  return found;
}

bool GroupWatch::is_neighbor(std::uint32_t address) const {
  const std::vector<std::uint32_t> all = neighbors();
  return std::ranges::find(all, address) != all.end();
}

std::uint32_t GroupWatch::waited_ms(Clock::time_point now) const {
  return static_cast<std::uint32_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(now - since_).count());
}

// A card below that has not arrived has those missing that its agent tells of, or, where it tells nothing of
// this epoch, at least the rank that it is known by.
std::vector<Missing> GroupWatch::missing_without(std::uint32_t neighbor, Clock::time_point now) const {
  std::vector<Missing> found;
  for (std::uint32_t one = 0; one < view_.contributors; ++one) {
    const std::uint32_t address =
        thalweg_nic_is_here(&view_, one, address_) != 0 ? address_ : view_.below[one].address;
    const auto heard = heard_.find(address);
    const bool knows_epoch = heard != heard_.end() && heard->second.newest == newest_;
    if (thalweg_nic_later(newest_, arrived_[one]) != 0 && !knows_epoch && address != neighbor)
      found.push_back({ranks_[one], address, waited_ms(now)});
  }
  for (const auto& [from, heard] : heard_)
    if (from != neighbor && heard.newest == newest_)
      found.insert(found.end(), heard.missing.begin(), heard.missing.end());
  return found;
}

std::vector<Missing> GroupWatch::missing(Clock::time_point now) const {
  if (thalweg_nic_later(newest_, ended_) == 0)
    return {};
  return missing_without(0, now);
}

Beat GroupWatch::beat_for(std::uint32_t neighbor, Clock::time_point now) const {
  Beat beat{view_.id, view_.key, {}, newest_, departure_, missing_without(neighbor, now)};
  std::strncpy(beat.host, host_.c_str(), sizeof beat.host - 1);
  return beat;
}

} // namespace thalweg::nic
