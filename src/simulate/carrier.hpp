#pragma once

// The messages of a program as flows on the links of a network (model/flow_network.hpp).

#include "model/flow_network.hpp"
#include "simulate/rank_network.hpp"

namespace thalweg::simulate {

class Carrier {
public:
  struct Message {
    std::uint32_t number = 0; ///< of its send
    std::uint32_t rank = 0;   ///< the sender
  };

  Carrier(const RankNetwork& network, bool has_history)
      : network_(network), flows_(*network.interconnect, has_history) {}

  /// A message's first byte leaves its rank.
  void start(Ticks now, const Message& message, std::uint32_t target, const MessageCost& cost) {
    const auto flow =
        flows_.start(now, network_.nodes[message.rank], network_.nodes[target], cost.transfer, cost.bytes);
    if (flow >= messages_.size())
      messages_.resize(flow + 1);
    messages_[flow] = message;
  }

  /// Shares the links anew. Calls what it is given for flows whose end is to be looked at: with the message,
  /// the flow and the time.
  template <typename Call>
  void share(Ticks now, Call call) {
    flows_.share(now, [&](model::FlowNetwork::Flow flow, Ticks time) { call(messages_[flow], flow, time); });
  }

  enum class Answer : std::uint8_t { outdated, later, over };
  /// What became of a flow at a time that was said before. A flow that is over gives its links back.
  Answer look(Ticks now, std::uint32_t flow, std::uint32_t number) {
    if (messages_[flow].number != number || flows_.announced(flow) != now)
      return Answer::outdated;
    if (!flows_.is_over(now, flow))
      return Answer::later;
    flows_.end(now, flow);
    return Answer::over;
  }
  /// When a flow that is not over is to be looked at again.
  Ticks announced(std::uint32_t flow) const { return flows_.announced(flow); }
  const Message& message(std::uint32_t flow) const { return messages_[flow]; }
  const model::FlowNetwork& flows() const { return flows_; }

private:
  const RankNetwork& network_;
  model::FlowNetwork flows_;
  std::vector<Message> messages_; // of each flow
};

} // namespace thalweg::simulate
