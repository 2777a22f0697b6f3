// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What tasks do on a group: collectives as executions of proven schedules, messages between ranks that both
// know of them, and messages to ranks that do not expect them.

#include "base/assertion.hpp"
#include "base/rank.hpp"
#include "control/task.hpp"
#include "engine/plan.hpp"
#include "schedule/problem.hpp"
#include "transport/transport.hpp"

#include <cstring>
#include <map>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

namespace thalweg::control {

/// What the engine is asked for. Ranks count as positions in the group's order.
struct CollectiveCall {
  schedule::Operation operation = schedule::Operation::barrier;
  std::int64_t element_bytes = 1;
  std::int64_t elements = 0; ///< of a unit; of this rank's own where they differ
  std::int32_t root = 0;
  const void* input = nullptr;
  void* output = nullptr;    ///< of broadcasts the root's input as well
  bool connects_few = false; ///< of all-gathers: along trees, so that few ranks are connected for it
  bool are_units_alike = true;
  /// Of gathers whose units differ: the elements of each position, on ranks that have an output.
  std::span<const std::int64_t> elements_of_all = {};
};

/// Every position's value, in `all`, along trees.
template <typename Value>
CollectiveCall allgather_along_trees(const Value& own, std::vector<Value>& all) {
  static_assert(std::is_trivially_copyable_v<Value>);
  return {.operation = schedule::Operation::allgather,
          .element_bytes = sizeof(Value),
          .elements = 1,
          .input = &own,
          .output = all.data(),
          .connects_few = true};
}

/// A rank's end of a group: the transport, the order of the ranks, and the plans made so far.
class Endpoint {
public:
  /// `order`: the rank at each position, the same on all ranks; empty: the ranks' own.
  Endpoint(std::shared_ptr<transport::Transport> transport, std::vector<Rank> order);

  std::int32_t ranks() const { return static_cast<std::int32_t>(order_.size()); }
  std::int32_t position() const { return position_; }
  const std::vector<Rank>& order() const { return order_; }
  Rank rank_at(std::int32_t position) const { return order_[static_cast<std::size_t>(position)]; }
  std::int32_t position_of(Rank rank) const { return positions_[static_cast<std::size_t>(rank)]; }
  engine::Tags next_tags() { return tags_.for_call(); }

  /// This rank's part, with the transport's ranks as peers.
  schedule::Schedule schedule_of(const CollectiveCall& call) const;
  /// Plans are kept by shape, but those of units that differ.
  std::shared_ptr<const engine::Plan> plan_of(const CollectiveCall& call);

  /// Batches on which nothing is under way are kept for the next operation.
  std::unique_ptr<transport::Batch> take_batch();
  void give_back(std::unique_ptr<transport::Batch> batch) { batches_.push_back(std::move(batch)); }

private:
  std::shared_ptr<const engine::Plan> make_plan(const CollectiveCall& call) const;

  std::shared_ptr<transport::Transport> transport_;
  std::vector<Rank> order_;
  std::vector<std::int32_t> positions_; ///< of each rank
  std::int32_t position_;
  engine::TagSupply tags_;
  engine::PlanCache<const engine::Plan> plans_;
  std::vector<std::unique_ptr<transport::Batch>> batches_;
};

class Collective final : public Awaitable {
public:
  /// The endpoint, the buffers and the operator outlive it.
  Collective(Endpoint& endpoint, const CollectiveCall& call, engine::Operator* combine = nullptr)
      : endpoint_(endpoint), call_(call), combine_(combine) {}

  void begin(TaskContext& context) override { begin_with(context.next_tags()); }
  void begin_with(engine::Tags tags);
  wait::Look look() override;

private:
  void begin_plan(engine::Tags tags);
  /// Where units differ and ranks pass on what they do not know the size of.
  void begin_self_describing(engine::Tags tags);

  Endpoint& endpoint_;
  CollectiveCall call_;
  engine::Operator* combine_;
  std::shared_ptr<const engine::Plan> plan_; ///< or a schedule
  std::optional<schedule::Schedule> schedule_;
  std::vector<std::byte> scratch_;
  std::vector<std::byte> staging_;
  std::unique_ptr<transport::Batch> batch_; ///< ends before the memory that it works on
  std::unique_ptr<engine::Runnable> execution_;
};

/// One end of a message. Both ends give the same bytes; where these are 0, there is no message.
struct MessagePart {
  Rank rank = -1; ///< of the transport
  std::byte* data = nullptr;
  std::size_t bytes = 0;
};

/// Messages that both ends know of, at most one from a rank to another.
class Transfer final : public Awaitable {
public:
  /// The memory outlives it; that of sends is not written.
  Transfer(Endpoint& endpoint, std::vector<MessagePart> receives, std::vector<MessagePart> sends)
      : endpoint_(endpoint), receives_(std::move(receives)), sends_(std::move(sends)) {}

  void begin(TaskContext& context) override;
  wait::Look look() override;

private:
  Endpoint& endpoint_;
  std::vector<MessagePart> receives_;
  std::vector<MessagePart> sends_;
  std::unique_ptr<transport::Batch> batch_;
};

/// Combines values by a function, which may throw: what it throws is kept until the schedule has come to its
/// end, since a rank that left it in the middle would hold up others.
template <typename Value, typename Combine>
class FunctionOperator final : public engine::Operator {
public:
  explicit FunctionOperator(Combine& combine) : combine_(combine) {}

  void combine(std::byte* source, const std::byte* own, std::byte* target, std::int64_t bytes,
               schedule::Side source_stands, bool /*spent*/) override {
    const auto end = static_cast<std::size_t>(bytes);
    THALWEG_ASSERT(normal, end % sizeof(Value) == 0);
    try {
      for (std::size_t at = 0; at < end && !failure_; at += sizeof(Value))
        combine_one(source + at, own + at, target + at, source_stands == schedule::Side::left);
    } catch (...) {
      failure_ = std::current_exception();
    }
  }
  /// At the schedule's end: throws what the function has thrown.
  void finish() const {
    if (failure_)
      std::rethrow_exception(failure_);
  }

private:
  /// Bytes need not be aligned.
  void combine_one(const std::byte* source, const std::byte* own, std::byte* target, bool is_source_left) {
    Value one;
    Value other;
    std::memcpy(&one, source, sizeof one);
    std::memcpy(&other, own, sizeof other);
    const Value result = is_source_left ? combine_(one, other) : combine_(other, one);
    std::memcpy(target, &result, sizeof result);
  }

  Combine& combine_;
  std::exception_ptr failure_;
};

/// What has come from ranks that sent it unasked, by the operation that it belongs to. A message may come
/// before this rank has begun that operation.
class Arrivals {
public:
  explicit Arrivals(std::unique_ptr<transport::Mailbox> mailbox) : mailbox_(std::move(mailbox)) {}

  transport::Mailbox& mailbox() { return *mailbox_; }
  /// Takes a message in, if one has come.
  bool take_in();
  /// The bytes for that operation behind one another, in any order of senders.
  std::vector<std::byte>& of(std::uint64_t label) { return by_label_[label]; }
  void forget(std::uint64_t label) { by_label_.erase(label); }

private:
  std::unique_ptr<transport::Mailbox> mailbox_;
  std::vector<std::byte> message_;
  std::map<std::uint64_t, std::vector<std::byte>> by_label_;
};

/// A few small messages to ranks that do not expect them, in O(log P) time beside the messages. Source:
/// Hoefler, Siebert and Lumsdaine 2010, "Scalable communication protocols for dynamic sparse data exchange"
/// (its nonblocking consensus). Whoever has seen all its messages received comes to a barrier. Once all have
/// come, nothing is on its way.
class SparseExchange final : public Awaitable {
public:
  /// Sends `values[i * value_bytes]` to position `to[i]`. Everything outlives it.
  SparseExchange(Endpoint& endpoint, Arrivals& arrivals, std::span<const std::int32_t> to,
                 const std::byte* values, std::size_t value_bytes)
      : endpoint_(endpoint), arrivals_(arrivals), to_(to), values_(values), value_bytes_(value_bytes),
        barrier_(endpoint, {}) {}
  ~SparseExchange();

  void begin(TaskContext& context) override;
  wait::Look look() override;
  /// At its end: what others have sent to this rank.
  const std::vector<std::byte>& received() const { return arrivals_.of(label_); }

private:
  Endpoint& endpoint_;
  Arrivals& arrivals_;
  std::span<const std::int32_t> to_;
  const std::byte* values_;
  std::size_t value_bytes_;
  std::uint64_t label_ = 0;
  std::vector<std::uint64_t> sent_; ///< not seen received yet
  Collective barrier_;
  engine::Tags tags_;     ///< of the barrier
  bool has_come_ = false; ///< to the barrier
};

} // namespace thalweg::control
