// SPDX-License-Identifier: BSD-3-Clause

// Workloads of chapter 8 as messages.

#include "simulate/packet/messages.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace thalweg::simulate::packet {

MessageTimes run_reduction(const Fabric& fabric, const Routing& routing, const RouterOptions& options,
                           const Interface& interface, std::span<const std::uint32_t> members,
                           std::uint32_t root, std::uint64_t bytes, std::uint32_t reductions) {
  const auto first = std::ranges::find(members, root);
  if (members.size() < 2 || first == members.end())
    throw Error("a reduction of fewer than 2 nodes, or to a node that is none of them",
                "choose members, and one of them as the root");
  if (reductions == 0 || reductions > members.size())
    throw Error(fmt::format("{} reductions of {} nodes at once", reductions, members.size()),
                fmt::format("choose 1 to {}", members.size()));
  GroupTables groups(fabric);
  std::vector<Message> messages;
  for (std::uint32_t each = 0; each < reductions; ++each) {
    const std::uint32_t group = groups.add(members);
    const std::size_t place =
        static_cast<std::size_t>(first - members.begin()) + each * (members.size() / reductions);
    const std::uint32_t to = members[place % members.size()];
    for (const std::uint32_t member : members)
      if (member != to)
        messages.push_back(
            {.from = member, .to = to, .group = group, .kind = Kind::reduction, .bytes = bytes});
  }
  return run_messages(fabric, routing, options, interface, &groups, messages);
}

MessageTimes run_molecular_dynamics(const Fabric& fabric, const Routing& routing,
                                    const RouterOptions& options, const Interface& interface,
                                    const MolecularDynamics& work) {
  const std::uint32_t nodes = fabric.nodes();
  if (work.senders == 0 || work.senders > nodes || work.fanout == 0 || work.fanout >= nodes ||
      work.rounds == 0)
    throw Error(fmt::format("{} senders to {} nodes each of {}, {} times", work.senders, work.fanout, nodes,
                            work.rounds),
                "choose 1 or more of each, and fewer receivers than nodes");
  Random random(options.seed);
  std::vector<std::uint32_t> order(nodes);
  std::iota(order.begin(), order.end(), 0U);
  const auto draw = [&](std::uint32_t first, std::uint32_t count) {
    for (std::uint32_t place = first; place < first + count; ++place)
      std::swap(order[place], order[place + random.below(nodes - place)]);
  };
  draw(0, work.senders);
  const std::vector<std::uint32_t> senders(order.begin(), order.begin() + work.senders);
  std::unique_ptr<GroupTables> groups;
  if (work.is_in_switches)
    groups = std::make_unique<GroupTables>(fabric);
  std::vector<Message> messages;
  for (std::uint32_t round = 0; round < work.rounds; ++round)
    for (const std::uint32_t sender : senders) {
      std::iter_swap(order.begin(), std::ranges::find(order, sender));
      draw(1, work.fanout);
      const std::span<const std::uint32_t> members{order.data(), work.fanout + 1};
      if (groups != nullptr) {
        messages.push_back(
            {.from = sender, .group = groups->add(members), .kind = Kind::multicast, .bytes = work.bytes});
        continue;
      }
      for (const std::uint32_t member : members.subspan(1))
        messages.push_back({.from = sender, .to = member, .bytes = work.bytes});
    }
  return run_messages(fabric, routing, options, interface, groups.get(), messages);
}

} // namespace thalweg::simulate::packet
