// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Control: how the ranks of a group agree. Its operations are tasks, which one awaits (`co_await
// control.allreduce(...)`), begins and looks after (TaskRun), or runs to the end (run()).
//
// Collectives are executions of the strategies of the index, whose schedules are proven, on the group's
// transport. Plans are kept by shape. Messages are short, and take ceil(log2 P) rounds: those of recursive
// doubling, Bruck's all-gather and binomial trees. Values are trivially copyable.
//
// Tags. The transport carries control's messages alone, and whoever sends beside it does so by transfer().
// All ranks begin the tasks of a group in the same order. Each task has the tags of one call
// (engine::TagSupply), so tasks under way together never take each other's messages. The operations of a task
// follow one another, and take an eighth of its tags in turn, as messages with one tag keep their order. What
// nobody awaits goes through the group's mailbox, with the number of its operation.
//
// Failures of the transport are thrown as Error. What a combining function throws is thrown at the end of the
// operation, on that rank; no rank waits for it in vain.

#include "control/collective.hpp"
#include "control/quiescence.hpp"

#include <numeric>
#include <type_traits>

namespace thalweg::control {

/// A value of the positions before this one combined in their order, and that of all of them.
template <typename Value>
struct Prefix {
  Value before;
  Value all;
};

class Control {
public:
  /// `waiting` says how run() waits, and who progresses meanwhile. `order`: the rank at each position, the
  /// same on all ranks; empty: the ranks' own.
  Control(std::shared_ptr<transport::Transport> transport, std::unique_ptr<transport::Mailbox> mailbox,
          const wait::Policy& waiting, std::vector<Rank> order = {})
      : endpoint_(std::move(transport), std::move(order)), arrivals_(std::move(mailbox)), waiting_(waiting) {
    waiting_.polls = 1; // each is a look at all that is under way
  }

  std::int32_t ranks() const { return endpoint_.ranks(); }
  std::int32_t position() const { return endpoint_.position(); }
  /// The rank at each position.
  const std::vector<Rank>& order() const { return endpoint_.order(); }
  std::int32_t position_of(Rank rank) const { return endpoint_.position_of(rank); }
  const wait::Policy& waiting() const { return waiting_; }

  /// Every operation is collective, but transfer().
  Task<void> barrier();
  /// All positions' values combined in their order. All ranks get the same bits.
  template <typename Value, typename Combine>
  Task<Value> allreduce(Value own, Combine combine);
  /// The values of the positions before this one, combined in their order; `nothing` at the first.
  template <typename Value, typename Combine>
  Task<Value> exscan(Value own, Value nothing, Combine combine);
  /// Both at once, in the time of one.
  template <typename Value, typename Combine>
  Task<Prefix<Value>> prefix(Value own, Value nothing, Combine combine);
  /// The value of position `root`; others give any.
  template <typename Value>
  Task<Value> broadcast(Value own, std::int32_t root = 0);
  /// The same of values in a row, whose number the root alone knows.
  template <typename Value>
  Task<std::vector<Value>> broadcast(std::vector<Value> own, std::int32_t root = 0);
  /// Every rank's value, by position.
  template <typename Value>
  Task<std::vector<Value>> allgather(Value own);
  /// Every rank's values, behind one another by position. Their numbers may differ.
  template <typename Value>
  Task<std::vector<Value>> allgather(std::vector<Value> own);
  /// The same on the first position alone; nothing elsewhere.
  template <typename Value>
  Task<std::vector<Value>> gather(std::vector<Value> own);
  /// The values that others send to this position, in any order; `messages` are those of this one, by the
  /// position that they are for.
  template <typename Value>
  Task<std::vector<Value>> exchange_sparse(std::vector<std::pair<std::int32_t, Value>> messages);
  /// Messages that both ends know of, at most one from a rank to another. Memory is borrowed until the end.
  Task<void> transfer(std::vector<MessagePart> receives, std::vector<MessagePart> sends);
  /// Waits until no message of the program's is left. A rank takes part in a round when `is_idle()`, with
  /// `count()`. So rounds cost little while ranks compute. Never again().
  template <typename Idle, typename Count>
  Task<Verdict> quiet(Idle is_idle, Count count);

  /// Runs a task to its end. Other work of the process progresses meanwhile.
  template <typename Value>
  Value run(Task<Value> task);

private:
  template <typename Value>
  friend class TaskRun;

  Endpoint endpoint_;
  Arrivals arrivals_;
  wait::Policy waiting_;
  std::uint64_t tasks_ = 0; ///< begun so far
};

/// A task from its beginning on. All ranks begin those of a group in the same order, 255 at a time at most,
/// and bring each to its end.
template <typename Value>
class TaskRun {
public:
  /// Begins it, so that what it sends first leaves at once.
  TaskRun(Control& control, Task<Value> task)
      : waiting_(control.waiting_), context_(control.endpoint_.next_tags(), control.tasks_++),
        task_(std::move(task)) {
    task_.start(context_);
  }
  TaskRun(const TaskRun&) = delete;
  TaskRun& operator=(const TaskRun&) = delete;

  bool has_ended() const { return task_.has_ended(); }
  /// Does what can be done without waiting.
  wait::Look look() {
    const wait::Look found = has_ended() ? wait::Look::reached : context_.look();
    return has_ended() ? wait::Look::reached : found;
  }
  /// Goes on until `is_reached()`, or the end. Other work of the process progresses meanwhile.
  template <typename Reached>
  void wait_until(const Reached& is_reached) {
    const auto looking = [&] {
      const wait::Look found = look();
      return is_reached() ? wait::Look::reached : found;
    };
    wait::until(waiting_, looking);
  }
  void wait() {
    wait_until([] { return false; });
  }
  /// Of a task that has ended, once; throws what it has thrown.
  Value result() { return task_.result(); }

private:
  const wait::Policy& waiting_;
  TaskContext context_;
  Task<Value> task_;
};

template <typename Value>
Value Control::run(Task<Value> task) {
  TaskRun<Value> running(*this, std::move(task));
  running.wait();
  return running.result();
}

inline Task<void> Control::barrier() {
  Collective meeting(endpoint_, {});
  co_await meeting;
}

inline Task<void> Control::transfer(std::vector<MessagePart> receives, std::vector<MessagePart> sends) {
  Transfer messages(endpoint_, std::move(receives), std::move(sends));
  co_await messages;
}

template <typename Value, typename Combine>
Task<Value> Control::allreduce(Value own, Combine combine) {
  static_assert(std::is_trivially_copyable_v<Value>);
  Value all = own;
  FunctionOperator<Value, Combine> combining(combine);
  Collective sum(endpoint_,
                 {.operation = schedule::Operation::allreduce,
                  .element_bytes = sizeof(Value),
                  .elements = 1,
                  .input = &own,
                  .output = &all},
                 &combining);
  co_await sum;
  combining.finish();
  co_return all;
}

template <typename Value, typename Combine>
Task<Value> Control::exscan(Value own, Value nothing, Combine combine) {
  static_assert(std::is_trivially_copyable_v<Value>);
  Value before = nothing;
  FunctionOperator<Value, Combine> combining(combine);
  Collective scan(endpoint_,
                  {.operation = schedule::Operation::exscan,
                   .element_bytes = sizeof(Value),
                   .elements = 1,
                   .input = &own,
                   .output = &before},
                  &combining);
  co_await scan;
  combining.finish();
  co_return position() == 0 ? nothing : before;
}

template <typename Value, typename Combine>
Task<Prefix<Value>> Control::prefix(Value own, Value nothing, Combine combine) {
  static_assert(std::is_trivially_copyable_v<Value>);
  Prefix<Value> result{nothing, own};
  FunctionOperator<Value, Combine> combining(combine);
  CollectiveCall call{.operation = schedule::Operation::exscan,
                      .element_bytes = sizeof(Value),
                      .elements = 1,
                      .input = &own,
                      .output = &result.before};
  Collective scan(endpoint_, call, &combining);
  call.operation = schedule::Operation::allreduce;
  call.output = &result.all;
  Collective sum(endpoint_, call, &combining);
  AllOf both({&scan, &sum});
  co_await both;
  combining.finish();
  if (position() == 0)
    result.before = nothing;
  co_return result;
}

template <typename Value>
Task<Value> Control::broadcast(Value own, std::int32_t root) {
  static_assert(std::is_trivially_copyable_v<Value>);
  Collective telling(endpoint_, {.operation = schedule::Operation::broadcast,
                                 .element_bytes = sizeof(Value),
                                 .elements = 1,
                                 .root = root,
                                 .input = &own,
                                 .output = &own});
  co_await telling;
  co_return own;
}

template <typename Value>
Task<std::vector<Value>> Control::broadcast(std::vector<Value> own, std::int32_t root) {
  static_assert(std::is_trivially_copyable_v<Value>);
  const std::uint64_t size = co_await broadcast(static_cast<std::uint64_t>(own.size()), root);
  own.resize(size);
  Collective telling(endpoint_, {.operation = schedule::Operation::broadcast,
                                 .element_bytes = sizeof(Value),
                                 .elements = static_cast<std::int64_t>(own.size()),
                                 .root = root,
                                 .input = own.data(),
                                 .output = own.data()});
  co_await telling;
  co_return own;
}

template <typename Value>
Task<std::vector<Value>> Control::allgather(Value own) {
  static_assert(std::is_trivially_copyable_v<Value>);
  std::vector<Value> all(order().size(), own);
  Collective gathering(endpoint_, {.operation = schedule::Operation::allgather,
                                   .element_bytes = sizeof(Value),
                                   .elements = 1,
                                   .input = &own,
                                   .output = all.data()});
  co_await gathering;
  co_return all;
}

template <typename Value>
Task<std::vector<Value>> Control::allgather(std::vector<Value> own) {
  static_assert(std::is_trivially_copyable_v<Value>);
  const std::vector<std::int64_t> sizes = co_await allgather(static_cast<std::int64_t>(own.size()));
  std::vector<Value> all(
      static_cast<std::size_t>(std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0})));
  Collective gathering(endpoint_, {.operation = schedule::Operation::allgather,
                                   .element_bytes = sizeof(Value),
                                   .elements = static_cast<std::int64_t>(own.size()),
                                   .input = own.data(),
                                   .output = all.data(),
                                   .are_units_alike = false,
                                   .elements_of_all = sizes});
  co_await gathering;
  co_return all;
}

template <typename Value>
Task<std::vector<Value>> Control::gather(std::vector<Value> own) {
  static_assert(std::is_trivially_copyable_v<Value>);
  const auto size = static_cast<std::int64_t>(own.size());
  std::vector<std::int64_t> sizes(position() == 0 ? order().size() : 0);
  Collective gathering_sizes(endpoint_, {.operation = schedule::Operation::gather,
                                         .element_bytes = sizeof size,
                                         .elements = 1,
                                         .input = &size,
                                         .output = sizes.data()});
  co_await gathering_sizes;
  std::vector<Value> all(
      static_cast<std::size_t>(std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0})));
  Collective gathering(endpoint_, {.operation = schedule::Operation::gather,
                                   .element_bytes = sizeof(Value),
                                   .elements = size,
                                   .input = own.data(),
                                   .output = all.data(),
                                   .are_units_alike = false,
                                   .elements_of_all = sizes});
  co_await gathering;
  co_return all;
}

template <typename Value>
Task<std::vector<Value>> Control::exchange_sparse(std::vector<std::pair<std::int32_t, Value>> messages) {
  static_assert(std::is_trivially_copyable_v<Value>);
  std::vector<std::int32_t> to;
  std::vector<Value> values;
  for (const auto& [position, value] : messages) {
    to.push_back(position);
    values.push_back(value);
  }
  SparseExchange exchange(endpoint_, arrivals_, to, reinterpret_cast<const std::byte*>(values.data()),
                          sizeof(Value));
  co_await exchange;
  const std::vector<std::byte>& received = exchange.received();
  std::vector<Value> found(received.size() / sizeof(Value));
  if (!found.empty())
    std::memcpy(found.data(), received.data(), received.size());
  co_return found;
}

template <typename Idle, typename Count>
Task<Verdict> Control::quiet(Idle is_idle, Count count) {
  bool may_begin = true; // between rounds, the others' messages have their turn
  const auto looking = [&] {
    const bool begins = std::exchange(may_begin, true) && is_idle();
    return begins ? wait::Look::reached : wait::Look::nothing;
  };
  Quiescence rounds;
  Verdict verdict = Verdict::again;
  while (verdict == Verdict::again) {
    Until idle(looking);
    co_await idle;
    const Counts sums = co_await allreduce<Counts>(count(), added);
    verdict = rounds.judge(sums);
    may_begin = false;
  }
  co_return verdict;
}

} // namespace thalweg::control
