// SPDX-License-Identifier: BSD-3-Clause
#include "nic/agent/registry.hpp"

#include "nic/address.hpp"
#include "nic/protocol.h"

#include <array>
#include <bit>
#include <fmt/format.h>
#include <string_view>

namespace thalweg::nic {

namespace {

// By kind.
constexpr std::array<std::string_view, 4> departures{"", "ended", "silent", "agent ended"};

} // namespace

std::string Registry::describe() {
  const Programs::Counts counts = programs_.counts();
  std::string groups;
  for (auto& [index, group] : groups_) {
    look(index, group, Clock::now());
    groups += (groups.empty() ? "" : ",") + describe(group);
  }
  std::string aggregator = aggregation_.is_offered ? "self" : "";
  if (aggregation_.known != 0)
    aggregator = address_text(aggregation_.known);
  return fmt::format(
      R"({{"address":"{}","hook":"{}","aggregator":"{}","starts":{},"ups":{},"downs":{},"refused":{},"held_back":{},"operators":{},"groups":[{}]}})",
      address_text(address_), programs_.hook() == Hook::tcx ? "tcx" : "clsact", aggregator, counts.starts,
      counts.ups, counts.downs, counts.refused + refused_, counts.held_back, programs_.operators().describe(),
      groups);
}

std::string Registry::describe(const Group& group) const {
  const Clock::time_point now = Clock::now();
  const GroupWatch& watch = group.watch;
  std::string missing;
  for (const Missing& one : watch.missing(now))
    missing += fmt::format(R"({}{{"rank":{},"host":"{}","waited_ms":{}}})", missing.empty() ? "" : ",",
                           one.rank, address_text(one.address), one.waited_ms);
  std::string waiting;
  if (thalweg_nic_later(watch.newest(), watch.ended()) != 0)
    waiting = fmt::format(R"({{"epoch":{},"waited_ms":{},"missing":[{}]}})", watch.newest(),
                          watch.waited_ms(now), missing);
  std::string gone;
  if (const thalweg_nic_departure& departure = watch.departure(); departure.kind != THALWEG_NIC_NOBODY_LEFT)
    gone = fmt::format(R"({{"rank":{},"host":"{}","after":{},"how":"{}"}})", departure.rank, departure.host,
                       departure.after, departures.at(departure.kind));
  return fmt::format(
      R"({{"group":"{:08x}","user":{},"ranks":{},"present":{},"cards":{},"inboxes":{},"ended":{},"waiting":[{}],"gone":[{}]}})",
      group.view.id, group.user, group.view.locals, std::popcount(group.present),
      group.view.contributors - group.view.locals, group.view.width != 0, watch.ended(), waiting, gone);
}

} // namespace thalweg::nic
