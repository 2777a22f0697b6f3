// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// How messages get from rank to rank: at once but for their costs, as flows that share links, or as packets.

#include "base/assertion.hpp"
#include "model/flow_network.hpp"
#include "simulate/loggp.hpp"
#include "simulate/loggp_events.hpp"
#include "simulate/packet/live_messages.hpp"
#include "simulate/packet/queues.hpp"
#include "simulate/rank_network.hpp"
#include "simulate/trace.hpp"

#include <memory>
#include <optional>
#include <span>

namespace thalweg::simulate {

/// Whose messages to whom, as the number of a queue.
inline std::uint64_t pair_of(std::uint32_t from, std::uint32_t to) {
  return std::uint64_t{from} << 32 | to;
}

/// The messages of a program as flows on the links of a network (model/flow_network.hpp). Of two ranks one
/// message goes after the other, in order, as they do in the queue that connects them.
class Carrier {
public:
  struct Message {
    std::uint32_t number = 0; ///< of its send
    std::uint32_t rank = 0;   ///< the sender
  };

  Carrier(const RankNetwork& network, bool has_history)
      : network_(network), flows_(*network.interconnect, has_history) {}

  /// A message's first byte leaves its rank, or waits for the one before it to the same rank.
  void start(Ticks now, const Message& message, std::uint32_t target, const MessageCost& cost) {
    THALWEG_ASSERT(normal, cost.transfer > 0 && cost.bytes >= 0);
    const QueuedMessage one{message, target, cost.transfer, cost.bytes, now};
    if (pairs_.enter(pair_of(message.rank, target), one))
      begin(now, one);
  }

  /// Shares the links anew. Calls what it is given for flows whose end is to be looked at: with the message,
  /// the flow and the time.
  template <typename Call>
  void share(Ticks now, Call call) {
    flows_.share(now, [&](model::FlowNetwork::Flow flow, Ticks time) { call(messages_[flow], flow, time); });
  }

  enum class Answer : std::uint8_t { outdated, later, over };
  /// What became of a flow at a time that was said before. A flow that is over gives its links back; next()
  /// has to follow.
  Answer look(Ticks now, std::uint32_t flow, std::uint32_t number) {
    THALWEG_ASSERT(normal, flow < messages_.size());
    if (messages_[flow].number != number || flows_.announced(flow) != now)
      return Answer::outdated;
    if (!flows_.is_over(now, flow))
      return Answer::later;
    flows_.end(now, flow);
    return Answer::over;
  }
  /// Begins the message behind the one of a flow that is over.
  void next(Ticks now, std::uint32_t flow, std::uint32_t target) {
    const std::uint32_t last = flows_.last_span(flow);
    const auto one = pairs_.leave(pair_of(messages_[flow].rank, target));
    if (one)
      flows_.note_wait(one->since, now, begin(now, *one),
                       last == model::FlowNetwork::none ? -1 : flows_.spans()[last].link);
  }
  /// When a flow that is not over is to be looked at again.
  Ticks announced(std::uint32_t flow) const { return flows_.announced(flow); }
  const Message& message(std::uint32_t flow) const { return messages_[flow]; }
  const model::FlowNetwork& flows() const { return flows_; }

private:
  struct QueuedMessage {
    Message message;
    std::uint32_t target = 0;
    Ticks transfer = 0;
    std::int64_t bytes = 0;
    Ticks since = 0;
  };
  model::FlowNetwork::Flow begin(Ticks now, const QueuedMessage& one) {
    const auto flow = flows_.start(now, network_.nodes[one.message.rank], network_.nodes[one.target],
                                   one.transfer, one.bytes);
    if (flow >= messages_.size())
      messages_.resize(flow + 1);
    messages_[flow] = one.message;
    return flow;
  }

  const RankNetwork& network_;
  model::FlowNetwork flows_;
  std::vector<Message> messages_; ///< of each flow
  packet::Queues<QueuedMessage> pairs_;
};

/// Level `packet`: the messages of a program as packets in a network of routers (packet/network.hpp). The
/// program's events are whole nanoseconds, the network's whole picoseconds: a message is there at the
/// nanosecond that begins when its last byte has come, or later.
class PacketCarrier {
public:
  struct Arrival {
    Carrier::Message message;
    Ticks time = 0; ///< when its last byte is at its node
    /// Where there is a history:
    Ticks latency = 0; ///< of that time, what delays a message that never waits
    std::uint32_t span = model::FlowNetwork::none;
  };

  /// Keeps a reference to the network, which has packets. `progress` is called now and then; an exception of
  /// it ends advance(). Throws Error for routers or a routing that the network cannot have.
  PacketCarrier(const RankNetwork& network, bool has_history, std::function<void()> progress);

  /// A message's first byte leaves its rank.
  void start(Ticks now, const Carrier::Message& message, std::uint32_t target, const MessageCost& cost);
  /// Goes on up to a time, or until the next message has come; nothing if none does.
  std::optional<Arrival> advance(std::optional<Ticks> until);
  /// Throws Error with a list of what waits if a packet is left.
  void require_empty() const { messages_.network().require_empty(); }
  /// What links add to a message's latency between two nodes.
  Ticks latency(topology::Place from, topology::Place to) const;
  /// What links carried.
  std::vector<model::LinkLoad> loads() const;
  const std::vector<model::FlowSpan>& spans() const { return spans_; }
  std::uint64_t packets() const { return messages_.packets(); }
  std::uint64_t hops() const { return messages_.network().hops(); }

private:
  std::uint32_t note(const packet::LiveMessages::Arrival& found, Ticks begin, Ticks end);

  const RankNetwork& network_;
  bool has_history_;
  packet::Fabric fabric_;
  std::unique_ptr<packet::Routing> routing_;
  packet::LiveMessages messages_;
  std::vector<model::FlowSpan> spans_;
};

class Transfers {
public:
  /// Keeps references to all; the network may be null. `states` has the order of each send, `progress` is
  /// called now and then while packets go on.
  Transfers(const Program& program, const RankNetwork* network, const CostTable& costs,
            std::span<const OperationState> states, LoggpEvents& events, Recorder& recorder,
            std::function<void()> progress);

  /// Adds the event that a message arrives or leaves, which its processor would have begun at that time if it
  /// had not been away in between.
  void send(std::uint32_t rank, std::uint32_t number, const Operation& one, Ticks begun);
  /// A message's first byte goes onto the network.
  void leave(const LoggpEvent& event);
  /// A flow may be over: its message arrives then.
  void look_at_flow(const LoggpEvent& event);
  /// All flows of this moment have begun and ended.
  void share_links(Ticks now);
  /// Lets packets go on up to the next event, or until a message has come before it.
  void carry_packets() {
    if (packets_)
      advance_packets();
  }

  /// Throws Error with a list of what waits if a packet stands still, once there are no events any more.
  void require_empty() const {
    if (packets_)
      packets_->require_empty();
  }
  /// Nothing is under way any more: fills in what the network carried.
  void fill(Result& result) const;

private:
  void advance_packets();
  void arrive(std::uint32_t rank, std::uint32_t number, Ticks time) {
    events_.add({time, states_[number].order, number, rank, EventKind::arrival});
  }
  void share_links_later(Ticks now);

  const Program& program_;
  const RankNetwork* network_;
  const CostTable& costs_;
  std::span<const OperationState> states_;
  LoggpEvents& events_;
  Recorder& recorder_;
  std::optional<Carrier> flows_;         ///< on level flow
  std::optional<PacketCarrier> packets_; ///< on level packet
  bool shares_later_ = false;            ///< is there an event for it?
};

} // namespace thalweg::simulate
