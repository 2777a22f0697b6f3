#include "nic/agent/registry.hpp"

#include "nic/protocol.h"

#include <arpa/inet.h>
#include <bit>
#include <fmt/format.h>

namespace thalweg::nic {

namespace {

std::string text_of(std::uint32_t address) {
  char text[INET_ADDRSTRLEN] = {};
  inet_ntop(AF_INET, &address, text, sizeof text);
  return text;
}

} // namespace

std::string Registry::describe() {
  const Programs::Counts counts = programs_.counts();
  std::string groups;
  for (auto& [index, group] : groups_) {
    look(index, group, Clock::now());
    groups += (groups.empty() ? "" : ",") + describe(group);
  }
  return fmt::format(
      R"({{"address":"{}","hook":"{}","starts":{},"ups":{},"downs":{},"refused":{},"held_back":{},"groups":[{}]}})",
      text_of(address_), programs_.hook() == Hook::tcx ? "tcx" : "clsact", counts.starts, counts.ups,
      counts.downs, counts.refused + refused_, counts.held_back, groups);
}

std::string Registry::describe(const Group& group) const {
  const Clock::time_point now = Clock::now();
  const GroupWatch& watch = group.watch;
  std::string missing;
  for (const Missing& one : watch.missing(now))
    missing += fmt::format(R"({}{{"rank":{},"host":"{}","waited_ms":{}}})", missing.empty() ? "" : ",",
                           one.rank, text_of(one.address), one.waited_ms);
  std::string waiting;
  if (thalweg_nic_later(watch.newest(), watch.ended()) != 0)
    waiting = fmt::format(R"({{"epoch":{},"waited_ms":{},"missing":[{}]}})", watch.newest(),
                          watch.waited_ms(now), missing);
  std::string gone;
  if (const thalweg_nic_departure& departure = watch.departure(); departure.kind != THALWEG_NIC_NOBODY_LEFT)
    gone = fmt::format(R"({{"rank":{},"host":"{}","after":{},"is_silent":{}}})", departure.rank,
                       departure.host, departure.after, departure.kind == THALWEG_NIC_HOST_SILENT);
  return fmt::format(
      R"({{"group":"{:08x}","user":{},"ranks":{},"present":{},"inboxes":{},"ended":{},"waiting":[{}],"gone":[{}]}})",
      group.view.id, group.user, group.view.locals, std::popcount(group.present), group.view.width != 0,
      watch.ended(), waiting, gone);
}

} // namespace thalweg::nic
