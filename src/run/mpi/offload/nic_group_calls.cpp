// SPDX-License-Identifier: BSD-3-Clause

// A group from when all ranks know that their devices run its calls.

#include <algorithm>

#include <fmt/format.h>

#include "mpi/offload/nic_group.hpp"
#include "mpi/offload/nic_watch.hpp"
#include "mpi/state/runtime.hpp"
#include "nic/address.hpp"

namespace thalweg::mpi {

std::uint32_t NicGroup::levels_above() const {
  std::uint32_t levels = 1;
  for (nic::HostView view = view_; !view.is_root(); view = nic::lower(schedule_of_, nodes_, view.parent))
    ++levels;
  return levels;
}

namespace {

// Agents take as long to make a group as some hundred calls gain.
constexpr std::uint32_t calls_before_group = 128;
constexpr std::uint32_t calls_while_changing = 16;

} // namespace

NicGroup::Place NicGroup::begin_blocking() {
  const std::uint32_t call = calls_.fetch_add(1, std::memory_order_seq_cst) + 1;
  if (call == calls_before_group && !is_awaited_ && !is_settled()) {
    is_watched_ = true;
    watch_nics(shared_from_this());
  }
  return place_of_call();
}

NicGroup::Place NicGroup::place_of_call() const {
  const std::uint32_t call = calls_.load(std::memory_order_relaxed);
  if (is_settled())
    return is_on_nics() && call > last_on_engine_.load(std::memory_order_relaxed) ? Place::devices
                                                                                  : Place::engine;
  return !is_awaited_ && call <= last_alone_.load(std::memory_order_seq_cst) ? Place::engine : Place::unknown;
}

// A call may have begun just now, before it is promised how far this rank goes alone; no more than that one.
void NicGroup::agree_on_change() {
  is_changing_ = true;
  own_.calls = calls_.load(std::memory_order_seq_cst);
  last_alone_.store(own_.calls + calls_while_changing, std::memory_order_seq_cst);
  begin_round();
}

void NicGroup::begin_calls() {
  if (is_changing_)
    last_on_engine_ = std::ranges::max(words_, {}, &Word::calls).calls + calls_while_changing;
  constexpr std::uint32_t levels_of_aggregators = 3; // a leaf, the spine, another leaf
  const Word& farthest = *std::ranges::max_element(words_, {}, &Word::levels);
  if (relays_)
    relay_ =
        std::make_unique<nic::RelayMember>(std::move(relay_card_), rank_ == root_,
                                           farthest.levels + (has_aggregators_ ? levels_of_aggregators : 0));
  else
    member_ = std::make_unique<nic::Member>(std::move(card_));
  recovery_ = std::make_unique<NicRecovery>(
      AgreedGroup{rank_, root_, static_cast<std::int32_t>(words_.size()), transport_, tags_, schedule_of_,
                  nodes_, member_.get(), relay_.get()},
      begun_);
  runtime.has_nic_groups = true;
  settled("collectives run on the hosts' network devices" + joined_by());
  if (!is_watched_)
    watch_nics(shared_from_this());
}

std::string NicGroup::joined_by() const {
  if (!has_aggregators_)
    return {};
  const std::int32_t leaves = 1 + std::ranges::max(leaves_);
  if (leaves == 1)
    return fmt::format(", joined by that of {}", nic::address_text(words_.front().aggregator));
  const std::string above = spine_ == 0 ? "" : fmt::format(" and by that of {}", nic::address_text(spine_));
  return fmt::format(", joined by those of {} switches{}", leaves, above);
}

} // namespace thalweg::mpi
