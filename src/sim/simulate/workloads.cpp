// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/workloads.hpp"

#include "base/assertion.hpp"
#include "base/error.hpp"
#include "simulate/program_builder.hpp"
#include "topology/virtual_mesh.hpp"

#include <algorithm>
#include <cmath>
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

namespace {

constexpr double stream_operations_max = 1 << 28;

/// What a rank does along a dimension, to each of its peers.
struct Leg {
  double items = 0; ///< that a rank puts into buffers or delivers, in all
  double bytes = 0; ///< of an item there
  std::int64_t buffers = 0;
  std::int64_t buffer_bytes = 0; ///< of each: the last is not fuller than the others
};

std::vector<Leg> legs_of(const StreamLoad& load, const topology::VirtualMesh& mesh) {
  std::vector<Leg> legs;
  for (std::int32_t d = 0; d < mesh.dimensions(); ++d) {
    const bool is_last = d + 1 == mesh.dimensions();
    Leg leg{.items = static_cast<double>(load.items),
            .bytes = static_cast<double>(load.item_bytes + (is_last ? 0 : load.tag_bytes))};
    const double link_bytes = leg.items / mesh.side(d) * leg.bytes;
    leg.buffers = std::max<std::int64_t>(
        1, static_cast<std::int64_t>(std::ceil(link_bytes / static_cast<double>(load.buffer_bytes))));
    leg.buffer_bytes = std::llround(link_bytes / static_cast<double>(leg.buffers));
    legs.push_back(leg);
  }
  return legs;
}

void check(std::int64_t ranks, const StreamLoad& load) {
  const bool is_possible = ranks >= 1 && ranks <= std::int64_t{1} << 30 && load.items >= 1 &&
                           load.items <= std::int64_t{1} << 40 && load.item_bytes >= 1 &&
                           load.item_bytes <= std::int64_t{1} << 30 && load.tag_bytes >= 0 &&
                           load.buffer_bytes >= load.item_bytes + load.tag_bytes &&
                           load.item_nanoseconds >= 0 && load.item_nanoseconds <= 1e9;
  if (!is_possible)
    throw Error(fmt::format("a stream of {} ranks with {} items of {} bytes each, in buffers of {}", ranks,
                            load.items, load.item_bytes, load.buffer_bytes),
                "choose at least one of each, and buffers that hold an item");
  std::int64_t places = 1;
  for (const std::int32_t side : load.sides)
    places = side < 1 ? 0 : std::min(places * side, std::int64_t{1} << 31);
  if (load.sides.empty() || places < ranks)
    throw Error(fmt::format("{} ranks on a mesh of {} places", ranks, places), "choose a larger mesh");
}

class StreamWriter {
public:
  StreamWriter(ProgramBuilder& builder, const topology::VirtualMesh& mesh, const StreamLoad& load,
               const CostBetween& cost)
      : builder_(builder), mesh_(mesh), load_(load), cost_(cost), legs_(legs_of(load, mesh)) {}

  double operations() const {
    double sum = 1;
    for (std::int32_t d = 0; d < mesh_.dimensions(); ++d)
      sum += static_cast<double>(leg(d).buffers) * (2 * (mesh_.side(d) - 1) + 1);
    return sum;
  }

  void write(Rank rank) {
    come_.clear();
    for (std::int32_t d = 0; d < mesh_.dimensions(); ++d)
      write_leg(rank, d);
    const std::uint32_t delivered = builder_.compute(handling(legs_.back()));
    require_all(delivered, 0, come_.size());
    builder_.end_rank();
  }

private:
  const Leg& leg(std::int32_t dimension) const { return legs_[static_cast<std::size_t>(dimension)]; }
  /// Of a part of a leg's items.
  Ticks handling(const Leg& one, std::int64_t parts = 1) const {
    return std::llround(load_.item_nanoseconds * one.items / static_cast<double>(parts));
  }

  /// Buffers are filled from what has come so far, sent, and those of the dimension's senders awaited.
  void write_leg(Rank rank, std::int32_t dimension) {
    const Leg& one = leg(dimension);
    const std::vector<Rank> receivers = mesh_.receivers(rank, dimension);
    const std::vector<Rank> senders = mesh_.senders(rank, dimension);
    std::vector<std::vector<std::uint32_t>> coming;
    std::size_t taken = 0;
    for (std::int64_t k = 1; k <= one.buffers; ++k) {
      const std::uint32_t filled = builder_.compute(handling(one, one.buffers));
      const auto needed = static_cast<std::size_t>(std::ceil(
          static_cast<double>(come_.size()) * static_cast<double>(k) / static_cast<double>(one.buffers)));
      require_all(filled, taken, needed);
      taken = needed;
      for (const Rank peer : receivers)
        builder_.require(builder_.send(peer, static_cast<std::uint32_t>(dimension),
                                       cost_(one.buffer_bytes, static_cast<std::uint32_t>(rank),
                                             static_cast<std::uint32_t>(peer))),
                         filled);
      coming.emplace_back();
      for (const Rank peer : senders)
        coming.back().push_back(builder_.receive(peer, static_cast<std::uint32_t>(dimension)));
    }
    come_ = std::move(coming);
  }

  void require_all(std::uint32_t later, std::size_t begin, std::size_t end) {
    THALWEG_ASSERT(normal, begin <= end && end <= come_.size());
    for (std::size_t k = begin; k < end; ++k)
      for (const std::uint32_t receive : come_[k])
        builder_.require(later, receive);
  }

  ProgramBuilder& builder_;
  const topology::VirtualMesh& mesh_;
  const StreamLoad& load_;
  const CostBetween& cost_;
  std::vector<Leg> legs_;
  std::vector<std::vector<std::uint32_t>> come_; // receives of the dimension before, by buffer
};

} // namespace

Program stream_program(std::int64_t ranks, const StreamLoad& load, const CostBetween& cost) {
  check(ranks, load);
  const topology::VirtualMesh mesh(static_cast<std::int32_t>(ranks), load.sides);
  ProgramBuilder builder(ranks);
  StreamWriter writer(builder, mesh, load, cost);
  if (writer.operations() * static_cast<double>(ranks) > stream_operations_max)
    throw Error(
        fmt::format("a stream with {:.2g} operations", writer.operations() * static_cast<double>(ranks)),
        "choose a mesh of more dimensions, larger buffers or fewer items");
  for (Rank rank = 0; rank < ranks; ++rank)
    writer.write(rank);
  return builder.finish();
}

} // namespace thalweg::simulate
