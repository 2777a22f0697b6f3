// SPDX-License-Identifier: BSD-3-Clause
#include "nic/group_watch.hpp"

#include "base/assertion.hpp"
#include "nic/protocol.h"
#include "nic/readable.hpp"

#include <algorithm>
#include <cstring>

namespace thalweg::nic {

thalweg_nic_state as_gathered(const thalweg_nic_relay& relay, const thalweg_nic_group& view,
                              const thalweg_nic_page& page) {
  thalweg_nic_state state{};
  for (const auto& message : relay.messages) {
    const std::uint32_t place = message.epoch % THALWEG_NIC_WINDOW;
    thalweg_nic_slot& slot = state.slots[place];
    std::uint64_t taken = 0;
    for (std::uint32_t local = 0; local < view.locals; ++local)
      if (__atomic_load_n(&page.taken[place][local], __ATOMIC_RELAXED) == message.epoch)
        taken |= std::uint64_t{1} << local;
    slot.epoch = message.epoch;
    slot.arrived = message.asked | (message.acknowledged & thalweg_nic_below(&view)) | taken;
    slot.finished = static_cast<std::uint32_t>(thalweg_nic_is_passed_on(&view, &message) != 0 &&
                                               (taken | (message.acknowledged & thalweg_nic_below(&view))) ==
                                                   thalweg_nic_all(&view));
    state.ended[place] = slot.finished != 0 ? slot.epoch : slot.epoch - THALWEG_NIC_WINDOW;
  }
  return state;
}

StuckEpochs stuck_epochs(const thalweg_nic_state& state, const thalweg_nic_group& view) {
  StuckEpochs found{};
  if (view.has_parent == 0)
    return found;
  for (std::size_t place = 0; place < found.size(); ++place)
    if (state.slots[place].finished == 0 && state.slots[place].arrived == thalweg_nic_all(&view))
      found[place] = state.slots[place].epoch;
  return found;
}

StuckEpochs stuck_epochs(const thalweg_nic_relay& relay, const thalweg_nic_group& view) {
  StuckEpochs found{};
  for (std::size_t place = 0; place < found.size(); ++place)
    if (thalweg_nic_is_passed_on(&view, &relay.messages[place]) == 0)
      found[place] = relay.messages[place].epoch;
  return found;
}

GroupWatch::GroupWatch(const thalweg_nic_group& view, std::span<const std::int32_t> ranks,
                       std::uint32_t address, std::string host)
    : view_(view), ranks_(ranks.begin(), ranks.end()), address_(address), host_(std::move(host)),
      arrived_(view.contributors) {
  THALWEG_ASSERT(light, ranks_.size() >= view.contributors);
}

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
  THALWEG_ASSERT(light, is_neighbor(from) && beat.group == view_.id);
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
  THALWEG_ASSERT(light, local < view_.contributors);
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
