// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/exchange.hpp"

#include "base/error.hpp"
#include "simulate/program_builder.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace thalweg::simulate {

namespace {

using Order = std::vector<std::uint32_t>; // of messages

Order order_by(std::span<const RoundMessage> messages, Rank RoundMessage::*end) {
  Order order(messages.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t i) {
    return std::uint64_t{static_cast<std::uint32_t>(messages[i].*end)} << 32 | messages[i].round;
  });
  return order;
}

void check(std::int64_t ranks, std::span<const RoundMessage> messages) {
  for (const RoundMessage& one : messages) {
    if (one.from < 0 || one.to < 0 || one.from >= ranks || one.to >= ranks)
      throw Error(fmt::format("a message from rank {} to rank {} of {}", one.from, one.to, ranks),
                  "count ranks from 0");
    if (one.bytes < 0)
      throw Error(fmt::format("a message of {} bytes", one.bytes), "choose 0 or more");
  }
}

/// Writes the rounds of a rank.
class RoundWriter {
public:
  RoundWriter(ProgramBuilder& builder, std::span<const RoundMessage> messages, const CostBetween& cost)
      : builder_(builder), messages_(messages), cost_(cost) {}

  void write(std::span<const std::uint32_t> received, std::span<const std::uint32_t> sent) {
    before_.clear();
    has_join_ = false;
    while (!received.empty() || !sent.empty()) {
      const std::uint32_t round = std::min(received.empty() ? any : messages_[received.front()].round,
                                           sent.empty() ? any : messages_[sent.front()].round);
      begin_round();
      for (; !received.empty() && messages_[received.front()].round == round; received = received.subspan(1))
        if (const RoundMessage& one = messages_[received.front()]; one.from != one.to)
          add(builder_.receive(one.from, round));
      for (; !sent.empty() && messages_[sent.front()].round == round; sent = sent.subspan(1))
        if (const RoundMessage& one = messages_[sent.front()]; one.from != one.to)
          add(builder_.send(one.to, round, priced(one)));
    }
    builder_.end_rank();
  }

private:
  /// What comes next requires all of the round before, by an operation that takes no time.
  void begin_round() {
    if (before_.empty())
      return;
    has_join_ = true;
    join_ = builder_.compute(0);
    for (const std::uint32_t operation : before_)
      builder_.require(join_, operation);
    before_.clear();
  }

  void add(std::uint32_t operation) {
    if (has_join_)
      builder_.require(operation, join_);
    before_.push_back(operation);
  }

  MessageCost priced(const RoundMessage& one) const {
    return cost_(one.bytes, static_cast<std::uint32_t>(one.from), static_cast<std::uint32_t>(one.to));
  }

  ProgramBuilder& builder_;
  std::span<const RoundMessage> messages_;
  const CostBetween& cost_;
  std::vector<std::uint32_t> before_; // operations of the round at hand
  std::uint32_t join_ = 0;
  bool has_join_ = false;
};

} // namespace

Program exchange_program(std::int64_t ranks, std::span<const RoundMessage> messages,
                         const CostBetween& cost) {
  check(ranks, messages);
  const Order sent = order_by(messages, &RoundMessage::from);
  const Order received = order_by(messages, &RoundMessage::to);
  ProgramBuilder builder(ranks);
  RoundWriter writer(builder, messages, cost);
  auto next_sent = sent.begin();
  auto next_received = received.begin();
  for (Rank rank = 0; rank < ranks; ++rank) {
    const auto of_rank = [&](const Order& order, auto& next, Rank RoundMessage::*end) {
      const auto first = next;
      next = std::find_if(first, order.end(), [&](std::uint32_t i) { return messages[i].*end != rank; });
      return std::span(first, next);
    };
    const auto come = of_rank(received, next_received, &RoundMessage::to);
    writer.write(come, of_rank(sent, next_sent, &RoundMessage::from));
  }
  return builder.finish();
}

} // namespace thalweg::simulate
