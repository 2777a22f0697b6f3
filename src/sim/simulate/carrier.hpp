// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The messages of a program as flows on the links of a network (model/flow_network.hpp). Of two ranks one
// message goes after the other, in order, as they do in the queue that connects them.

#include "model/flow_network.hpp"
#include "simulate/packet/queues.hpp"
#include "simulate/rank_network.hpp"

namespace thalweg::simulate {

/// Whose messages to whom, as the number of a queue.
inline std::uint64_t pair_of(std::uint32_t from, std::uint32_t to) {
  return std::uint64_t{from} << 32 | to;
}

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
    const Waiting one{message, target, cost.transfer, cost.bytes, now};
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
  struct Waiting {
    Message message;
    std::uint32_t target = 0;
    Ticks transfer = 0;
    std::int64_t bytes = 0;
    Ticks since = 0;
  };
  model::FlowNetwork::Flow begin(Ticks now, const Waiting& one) {
    const auto flow = flows_.start(now, network_.nodes[one.message.rank], network_.nodes[one.target],
                                   one.transfer, one.bytes);
    if (flow >= messages_.size())
      messages_.resize(flow + 1);
    messages_[flow] = one.message;
    return flow;
  }

  const RankNetwork& network_;
  model::FlowNetwork flows_;
  std::vector<Message> messages_; // of each flow
  packet::Queues<Waiting> pairs_;
};

} // namespace thalweg::simulate
