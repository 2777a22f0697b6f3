// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/packet/messages.hpp"

#include "base/arithmetic.hpp"
#include "base/assertion.hpp"
#include "base/error.hpp"

#include <algorithm>
#include <bit>
#include <deque>
#include <fmt/format.h>
#include <map>
#include <numeric>
#include <tuple>

namespace thalweg::simulate::packet {

namespace {

/// Messages that are combined on their way are one delivery.
struct Delivery {
  std::uint32_t first_packet = 0;
  std::uint32_t packets = 0;
  std::uint64_t missing = 0; ///< packets at nodes, or copies of them
  Ticks end = 0;
};

class MessageSource final : public Source {
public:
  MessageSource(const Fabric& fabric, const RouterOptions& options, const Interface& interface,
                const GroupTables* groups, std::span<const Message> messages)
      : fabric_(fabric), options_(options), interface_(interface), groups_(groups), messages_(messages),
        senders_(fabric.nodes()), receive_free_(fabric.nodes(), 0) {
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>, std::uint32_t> reductions;
    for (std::uint32_t index = 0; index < messages.size(); ++index) {
      const Message& message = messages[index];
      check(message);
      senders_[message.from].waiting.push_back(index);
      if (message.kind == Kind::reduction) {
        const auto [found, is_new] = reductions.try_emplace({message.group, message.to, message.bytes},
                                                            static_cast<std::uint32_t>(deliveries_.size()));
        delivery_of_.push_back(found->second);
        if (!is_new)
          continue;
      } else {
        delivery_of_.push_back(static_cast<std::uint32_t>(deliveries_.size()));
      }
      add_delivery(message);
    }
  }

  bool next(std::uint32_t node, Ticks /*now*/, Packet& packet, Ticks& ready) override {
    Sender& sender = senders_[node];
    if (sender.waiting.empty())
      return false;
    const std::uint32_t index = sender.waiting.front();
    const Message& message = messages_[index];
    const Delivery& delivery = deliveries_[delivery_of_[index]];
    if (sender.sent == 0)
      begin(sender, message);
    const std::uint64_t left = message.bytes - std::uint64_t{sender.sent} * options_.packet_bytes;
    const std::uint64_t bytes = std::min<std::uint64_t>(left, options_.packet_bytes);
    packet.born = message.ready;
    packet.bytes = static_cast<std::uint32_t>(std::max<std::uint64_t>(bytes, 1));
    packet.from = node;
    packet.to = message.to;
    packet.group = message.group;
    packet.kind = message.kind;
    packet.message = delivery.first_packet + sender.sent;
    ready = sender.ready;
    if (++sender.sent == delivery.packets) {
      sender.sent = 0;
      sender.waiting.pop_front();
    }
    return true;
  }

  void deliver(const Packet& packet, std::uint32_t node, Ticks now) override {
    ++packets;
    Delivery& delivery = deliveries_[owners_[packet.message]];
    std::uint32_t& at_node = missing_at_[{owners_[packet.message], node}];
    if (at_node == 0)
      at_node = delivery.packets;
    THALWEG_ASSERT(normal, delivery.missing > 0);
    --delivery.missing;
    if (--at_node > 0)
      return;
    const Ticks begin = interface_.is_occupied ? std::max(now, receive_free_[node]) : now;
    receive_free_[node] = begin + interface_.receive;
    delivery.end = std::max(delivery.end, receive_free_[node]);
  }

  void fill(MessageTimes& times) const {
    times.packets = packets;
    for (const std::uint32_t delivery : delivery_of_) {
      times.ends.push_back(deliveries_[delivery].end);
      times.finish = std::max(times.finish, times.ends.back());
      times.fingerprint = Random(times.fingerprint ^ times.ends.back()).next();
    }
  }
  bool is_complete() const {
    return std::ranges::all_of(deliveries_, [](const Delivery& one) { return one.missing == 0; });
  }

  std::uint64_t packets = 0;

private:
  struct Sender {
    std::deque<std::uint32_t> waiting;
    std::uint32_t sent = 0; // packets of the first
    Ticks ready = 0;        // when the interface has done its part for it
    Ticks free = 0;         // when it may begin with the next
  };

  void check(const Message& message) const {
    const bool has_group = message.group != none;
    if (message.from >= fabric_.nodes() ||
        (message.kind != Kind::multicast && (message.to >= fabric_.nodes() || message.to == message.from)))
      throw Error(fmt::format("a message from node {} to node {}", message.from, message.to),
                  fmt::format("choose two different nodes of 0 to {}", fabric_.nodes() - 1));
    if (has_group != (message.kind != Kind::unicast) ||
        (has_group && (groups_ == nullptr || !groups_->has(message.group))))
      throw Error("a multicast or reduction without a group, or a message with one", "add the group first");
    if (message.kind == Kind::reduction && options_.combine_units == 0)
      throw Error("a reduction in switches without combine units", "give them 1 or more");
  }

  void add_delivery(const Message& message) {
    const std::int64_t packets_of = std::max<std::int64_t>(
        1, ceil_divide(static_cast<std::int64_t>(message.bytes), options_.packet_bytes));
    constexpr std::size_t max_packets = std::size_t{1} << 28;
    if (owners_.size() + static_cast<std::size_t>(packets_of) > max_packets)
      throw Error("messages of more than 2^28 packets", "choose fewer, or shorter ones");
    Delivery delivery;
    delivery.first_packet = static_cast<std::uint32_t>(owners_.size());
    delivery.packets = static_cast<std::uint32_t>(packets_of);
    delivery.missing = delivery.packets;
    if (message.kind == Kind::multicast)
      delivery.missing *= groups_->members(message.group) - 1;
    owners_.resize(owners_.size() + delivery.packets, static_cast<std::uint32_t>(deliveries_.size()));
    deliveries_.push_back(delivery);
  }

  void begin(Sender& sender, const Message& message) const {
    const Ticks start = interface_.is_occupied ? std::max(message.ready, sender.free) : message.ready;
    sender.ready = start + interface_.send;
    sender.free = sender.ready;
  }

  const Fabric& fabric_;
  const RouterOptions& options_;
  Interface interface_;
  const GroupTables* groups_;
  std::span<const Message> messages_;
  std::vector<Sender> senders_;
  std::vector<Ticks> receive_free_;
  std::vector<std::uint32_t> delivery_of_; // of each message
  std::vector<Delivery> deliveries_;
  std::vector<std::uint32_t> owners_; // of each packet's number, the delivery
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t>
      missing_at_; // packets of a delivery at a node
};

} // namespace

MessageTimes run_messages(const Fabric& fabric, const Routing& routing, const RouterOptions& options,
                          const Interface& interface, const GroupTables* groups,
                          std::span<const Message> messages, const std::function<void()>& progress) {
  MessageSource source(fabric, options, interface, groups, messages);
  Network network(fabric, routing, options, groups, source);
  network.progress = progress;
  for (std::uint32_t node = 0; node < fabric.nodes(); ++node)
    network.offer(node, 0);
  network.run();
  network.require_empty();
  THALWEG_ASSERT(light, network.credits_are_whole());
  if (!source.is_complete())
    throw Error("messages that did not come", "please report this");
  MessageTimes times;
  source.fill(times);
  times.hops = network.hops();
  times.events = network.events();
  return times;
}

// Workloads of chapter 8 as messages.

MessageTimes run_reduction(const Fabric& fabric, const Routing& routing, const RouterOptions& options,
                           const Interface& interface, std::span<const std::uint32_t> members,
                           std::uint32_t root, std::uint64_t bytes, std::uint32_t reductions,
                           const std::function<void()>& progress) {
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
  return run_messages(fabric, routing, options, interface, &groups, messages, progress);
}

MessageTimes run_molecular_dynamics(const Fabric& fabric, const Routing& routing,
                                    const RouterOptions& options, const Interface& interface,
                                    const MolecularDynamics& work, const std::function<void()>& progress) {
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
  return run_messages(fabric, routing, options, interface, groups.get(), messages, progress);
}

} // namespace thalweg::simulate::packet
