// SPDX-License-Identifier: BSD-3-Clause

// The parts of a network, each alone against a simple model of it, with random calls.

#include "simulate/packet/network.hpp"

#include <algorithm>
#include <bit>
#include <deque>
#include <gtest/gtest.h>
#include <map>
#include <numeric>
#include <set>

namespace thalweg::simulate::packet {
namespace {

TEST(PacketParts, AnAgendaCountsNoStopsAndKeepsTheOrderOfOneTime) {
  Agenda agenda;
  agenda.add(5, What::wake, 1);
  agenda.add(3, What::stop, 0);
  agenda.add(5, What::inject, 2);
  EXPECT_EQ(agenda.next_time(), 3U);
  EXPECT_EQ(agenda.take().what, What::stop);
  EXPECT_EQ(agenda.now(), 3U);
  EXPECT_EQ(agenda.take().index, 1U);
  EXPECT_EQ(agenda.take().index, 2U);
  EXPECT_EQ(agenda.now(), 5U);
  EXPECT_EQ(agenda.taken(), 2U);
  EXPECT_EQ(agenda.next_time(), never);
}

TEST(PacketParts, ChannelsEndAtInputsOfTheirOwn) {
  for (const char* name : {"tree:4^3", "torus:4x4", "dragonfly:2x4x2"})
    for (const std::uint32_t units : {0U, 3U}) {
      const Fabric fabric(topology::parse_interconnect(name));
      const Channels channels(fabric, units);
      std::set<std::pair<std::uint32_t, std::uint32_t>> inputs;
      std::set<std::pair<std::uint32_t, std::uint32_t>> outputs;
      for (std::uint32_t channel = 0; channel < channels.size(); ++channel) {
        const Channel& one = channels[channel];
        EXPECT_TRUE(inputs.emplace(one.to, one.input).second) << name;
        EXPECT_TRUE(outputs.emplace(one.from, one.output).second) << name;
        if (!one.is_of_node) {
          EXPECT_LT(one.output, fabric.outputs(one.from) + units);
          EXPECT_EQ(channels.inputs_before(channel), fabric.inputs(one.from) + units);
        }
        if (one.is_unit()) {
          EXPECT_EQ(channels.unit(one.from, one.unit), channel);
        }
      }
      const std::uint32_t switches = fabric.vertices() - fabric.nodes();
      EXPECT_EQ(channels.size(), fabric.wires().size() + std::size_t{switches} * units);
    }
}

/// What waits for one channel, in plain queues.
class PlainCrosspoints {
public:
  PlainCrosspoints(const Pool<Packet>& packets, std::uint32_t queues) : packets_(packets), queues_(queues) {}

  void add(std::uint32_t index) { queues_[packets_[index].input].push_back(index); }
  std::uint32_t select(Arbitration arbitration, std::uint32_t open) const {
    std::uint32_t found = none;
    for (std::uint32_t step = 1; step <= queues_.size(); ++step) {
      // The oldest is the first in the order of queues, of those that came together.
      const std::uint32_t turn = arbitration == Arbitration::oldest ? step - 1 : served_ + step;
      const auto queue = static_cast<std::uint32_t>(turn % queues_.size());
      if (queues_[queue].empty() || (open >> first(queue).next_channel & 1) == 0)
        continue;
      if (arbitration != Arbitration::oldest)
        return queue;
      if (found == none || first(queue).came < first(found).came)
        found = queue;
    }
    return found;
  }
  std::uint32_t take(std::uint32_t queue) {
    const std::uint32_t index = queues_[queue].front();
    queues_[queue].pop_front();
    served_ = queue;
    return index;
  }
  void pass(std::uint32_t queue) { served_ = queue; }

private:
  const Packet& first(std::uint32_t queue) const { return packets_[queues_[queue].front()]; }

  const Pool<Packet>& packets_;
  std::vector<std::deque<std::uint32_t>> queues_;
  std::uint32_t served_ = 0;
};

TEST(PacketParts, CrosspointsTakeTurns) {
  constexpr std::uint32_t counts[] = {1, 7, 64, 65, 200};
  for (const Arbitration arbitration : {Arbitration::round_robin, Arbitration::oldest}) {
    Random random(3);
    Pool<Packet> packets;
    std::vector<ChannelLine> lines(std::size(counts));
    Crosspoints crosspoints(packets, lines, arbitration, 3, counts);
    std::vector<PlainCrosspoints> plain;
    for (const std::uint32_t count : counts)
      plain.emplace_back(packets, count);
    std::vector<std::uint32_t> waiting(plain.size(), 0);
    for (Ticks now = 0; now < 30'000; ++now) {
      const std::uint32_t channel = random.below(static_cast<std::uint32_t>(plain.size()));
      PlainCrosspoints& model = plain[channel];
      if (random.below(2) == 0) {
        Packet packet;
        packet.came = now - random.below(2) * (now % 7);
        packet.input = random.below(counts[channel]);
        packet.next_channel = static_cast<std::uint8_t>(random.below(3));
        if (waiting[channel] == 0 && random.below(2) == 0) {
          crosspoints.pass(channel, packet.input);
          model.pass(packet.input);
          continue;
        }
        const std::uint32_t index = packets.take(packet);
        crosspoints.add(channel, index);
        model.add(index);
        ++waiting[channel];
      } else {
        const std::uint32_t open = random.below(8);
        const std::uint32_t queue = crosspoints.select(channel, open);
        ASSERT_EQ(queue, model.select(arbitration, open));
        if (queue == none)
          continue;
        const std::uint32_t index = crosspoints.take(channel, queue);
        ASSERT_EQ(index, model.take(queue));
        packets.give_back(index);
        --waiting[channel];
      }
      ASSERT_TRUE(std::ranges::equal(crosspoints.waiting(), waiting));
    }
  }
}

TEST(PacketParts, QueuesOfInputsHaveOnePacketAtACrosspoint) {
  Random random(4);
  Pool<Packet> packets;
  InputQueues queues(5, 2);
  std::map<std::uint32_t, std::deque<std::uint32_t>> model;
  for (int step = 0; step < 10'000; ++step) {
    const std::uint32_t queue = queues.number(random.below(5), random.below(2));
    std::deque<std::uint32_t>& items = model[queue];
    if (items.empty() || random.below(2) == 0) {
      items.push_back(packets.take({}));
      ASSERT_EQ(queues.enter(queue, items.back(), packets), items.size() == 1);
    } else {
      packets.give_back(items.front());
      items.pop_front();
      ASSERT_EQ(queues.leave(queue, packets), items.empty() ? none : items.front());
    }
  }
  EXPECT_EQ(model.size(), 10U);
}

/// A sender's credits as their definition has them: all that it has been told by now, added up.
struct PlainCredits {
  struct Change {
    Ticks time;
    std::uint32_t crosspoint;
    int in_flight;
    int held;
  };
  std::vector<Change> changes;
  int sent = 0;

  int used(Ticks now) const {
    int in_flight = sent;
    std::map<std::uint32_t, int> held;
    for (const Change& one : changes)
      if (one.time <= now) {
        in_flight += one.in_flight;
        held[one.crosspoint] += one.held;
      }
    int peak = 0;
    for (const auto& [crosspoint, count] : held)
      peak = std::max(peak, count);
    return in_flight + peak;
  }
};

// Packets stay at a crosspoint for a random time, and each end of it is known a random time later.
TEST(PacketParts, CreditsAreWhatTheirSenderHasBeenTold) {
  constexpr std::uint32_t buffers = 3;
  Random random(5);
  Credits credits(buffers, 2);
  for (int channel = 0; channel < 3; ++channel)
    credits.add(4);
  std::map<std::pair<std::uint32_t, std::uint32_t>, PlainCredits> model;
  for (Ticks now = 0; now < 3000; ++now) {
    const std::uint32_t channel = random.below(3);
    std::uint32_t open = 0;
    for (std::uint32_t each = 0; each < 2; ++each)
      open |= (model[{channel, each}].used(now) < static_cast<int>(buffers) ? 1U : 0U) << each;
    ASSERT_EQ(credits.open(channel, now), open);
    const std::uint32_t virtual_channel = random.below(2);
    if ((open >> virtual_channel & 1) == 0)
      continue;
    PlainCredits& plain = model[{channel, virtual_channel}];
    const std::uint32_t crosspoint = random.below(4);
    const Ticks there = now + 1 + random.below(9);
    const Ticks gone = there + random.below(20);
    credits.send(channel, virtual_channel);
    ++plain.sent;
    plain.changes.push_back({there, crosspoint, -1, 1});
    plain.changes.push_back({gone, crosspoint, 0, -1});
    const auto number = static_cast<std::uint16_t>(crosspoint);
    credits.insert(channel, virtual_channel, {there, none, number, -1, 1});
    credits.insert(channel, virtual_channel, {gone, none, number, 0, -1});
    ASSERT_LE(credits.next_time(channel), there);
    ASSERT_GT(credits.next_time(channel), now);
  }
  EXPECT_TRUE(credits.are_whole());
  credits.send(1, 1);
  EXPECT_FALSE(credits.are_whole());
}

TEST(PacketParts, TheLastCopyOfAMulticastGivesTheCreditBack) {
  Random random(6);
  Multicasts multicasts;
  std::map<std::uint32_t, std::pair<std::uint64_t, int>> model; // outputs, and copies left
  for (int step = 0; step < 10'000; ++step) {
    if (model.empty() || random.below(4) == 0) {
      const std::uint64_t outputs = random.next() | 1;
      const std::uint32_t number = multicasts.begin(outputs);
      ASSERT_TRUE(model.emplace(number, std::pair(outputs, std::popcount(outputs))).second);
    }
    const auto one = std::next(model.begin(), random.below(static_cast<std::uint32_t>(model.size())));
    auto& [outputs, left] = one->second;
    ASSERT_EQ(multicasts.leave(one->first), --left == 0 ? outputs : 0);
    if (left == 0)
      model.erase(one);
    ASSERT_EQ(multicasts.under_way(), model.size());
  }
}

/// Every node has so many packets, each of which it may send so long after the one before.
class Paced final : public Source {
public:
  Paced(std::uint32_t nodes, std::uint32_t packets, Ticks pause) : left_(nodes, packets), pause_(pause) {}

  bool next(std::uint32_t node, Ticks now, Packet& packet, Ticks& ready) override {
    if (left_[node] == 0)
      return false;
    --left_[node];
    packet.bytes = 256;
    packet.from = node;
    ready = now + pause_;
    return true;
  }
  void deliver(const Packet& /*packet*/, std::uint32_t /*node*/, Ticks /*now*/) override {}

private:
  std::vector<std::uint32_t> left_;
  Ticks pause_;
};

TEST(PacketParts, NodesHoldPacketsUntilTheirTime) {
  for (const Ticks pause : {0U, 1000U}) {
    Pool<Packet> packets;
    Agenda agenda;
    Paced source(3, 5, pause);
    const RouterOptions options;
    Injection injection(3, options, source, packets, agenda);
    std::vector<std::uint32_t> sent(3, 0);
    for (std::uint32_t node = 0; node < 3; ++node)
      agenda.add(0, What::inject, node);
    while (!agenda.is_empty()) {
      const Event event = agenda.take();
      const std::uint32_t index = injection.next(event.index);
      if (index == none)
        continue;
      EXPECT_EQ(packets[index].came, agenda.now());
      EXPECT_EQ(packets[index].time, transfer_ticks(options, 256));
      EXPECT_EQ(agenda.now(), ++sent[event.index] * pause);
      packets.give_back(index);
      agenda.add(agenda.now(), What::inject, event.index);
    }
    EXPECT_EQ(sent, std::vector<std::uint32_t>(3, 5));
    EXPECT_EQ(packets.used(), 0U);
  }
}

/// The output of node 0, and its switch, where packets stay for a while.
class LoneOutput {
public:
  LoneOutput(const Fabric& fabric, const RouterOptions& options)
      : channel_(fabric.first_channel(0)), buffers_(options.buffers), channels_(fabric, 0),
        outputs_(channels_, options, 1, packets_, agenda_) {}

  void offer(Ticks time) { agenda_.add(time, What::inject, 0); }
  void run() {
    while (!agenda_.is_empty())
      handle(agenda_.take());
  }
  void expect_all_gone(std::uint64_t count) {
    EXPECT_EQ(packets_.used(), 0U) << "all have left";
    EXPECT_EQ(outputs_.waiting(channel_), 0U);
    EXPECT_TRUE(outputs_.credits_are_whole());
    EXPECT_EQ(channels_.bytes(channel_), count * 256);
    EXPECT_EQ(channels_.busy(channel_), count * 100);
  }

private:
  void handle(const Event& event) {
    if (event.what == What::inject) {
      come();
    } else if (event.what == What::arrive) {
      outputs_.note_arrival(packets_[event.index], 2, true);
      agenda_.add(agenda_.now() + random_.below(900), What::deliver, event.index);
    } else if (event.what == What::deliver) {
      --inside_;
      outputs_.note_departure(packets_[event.index], 2, 0, agenda_.now());
      packets_.give_back(event.index);
    } else if (outputs_.is_woken(event.index)) {
      try_send();
    }
  }
  void come() {
    Packet packet;
    packet.born = offered_++;
    const std::uint32_t index = packets_.take(packet);
    if (outputs_.pass(channel_, packet))
      send(index);
    else if (outputs_.add(channel_, index))
      try_send();
  }
  void try_send() {
    const std::uint32_t index = outputs_.next(channel_);
    if (index == none)
      return;
    send(index);
    outputs_.go_on(channel_);
  }
  void send(std::uint32_t index) {
    Packet& packet = packets_[index];
    EXPECT_EQ(packet.born, sent_++) << "not in their order";
    EXPECT_LT(inside_++, buffers_);
    EXPECT_LE(channels_.free_at(channel_), agenda_.now());
    channels_.occupy(channel_, agenda_.now(), 100, 256);
    packet.channel = channel_;
    outputs_.use_credit(channel_, 0);
    agenda_.add(agenda_.now() + 50, What::arrive, index);
  }

  std::uint32_t channel_;
  std::uint32_t buffers_;
  Random random_{7};
  Agenda agenda_;
  Pool<Packet> packets_;
  Channels channels_;
  Outputs outputs_;
  std::uint32_t offered_ = 0;
  std::uint32_t sent_ = 0;
  std::uint32_t inside_ = 0;
};

TEST(PacketParts, AnOutputSendsOneAtATimeAndNeverMoreThanThereIsRoomFor) {
  const Fabric fabric(topology::parse_interconnect("star:4"));
  for (const CreditRule rule : {CreditRule::crosspoint, CreditRule::link}) {
    RouterOptions options{.buffers = 3};
    options.credits = rule;
    Random random(8);
    LoneOutput output(fabric, options);
    for (Ticks at = 0; at < 500; ++at)
      output.offer(at * 90 + random.below(80));
    output.run();
    output.expect_all_gone(500);
  }
}

} // namespace
} // namespace thalweg::simulate::packet
