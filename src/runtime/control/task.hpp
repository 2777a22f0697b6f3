// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Tasks: what waits for messages in its middle, written as if it waited there. A task is a coroutine that
// gives its thread back, and goes on once a look has found what it waits for. One text so serves calls that
// wait and calls that only look.

#include "base/assertion.hpp"
#include "engine/execution.hpp"
#include "wait/policy.hpp"

#include <coroutine>
#include <exception>
#include <optional>
#include <utility>
#include <vector>

namespace thalweg::control {

class TaskContext;

/// What a task waits for at the point where it stands. `co_await` of an object of this kind begins it, and
/// goes on once a look has reached its end. What begin() or look() throws is thrown there.
class Awaitable {
public:
  Awaitable() = default;
  Awaitable(const Awaitable&) = delete;
  Awaitable& operator=(const Awaitable&) = delete;

  virtual void begin(TaskContext& /*context*/) {}
  /// Does what can be done without waiting.
  virtual wait::Look look() = 0;

  bool await_ready() const noexcept { return false; }
  template <typename Promise>
  bool await_suspend(std::coroutine_handle<Promise> task);
  void await_resume() {
    if (failure_)
      std::rethrow_exception(std::exchange(failure_, nullptr));
  }

protected:
  ~Awaitable() = default;

private:
  friend TaskContext;
  std::exception_ptr failure_;
};

/// A task under way with the tasks that it awaits, of which one stands at an awaitable. Its operations follow
/// one another, in the same order on all ranks, so they share the tags of one call (Control's tag space).
class TaskContext {
public:
  /// `number`: of the task on its group.
  TaskContext(engine::Tags tags, std::uint64_t number) : tags_(tags), number_(number) {
    THALWEG_ASSERT(normal, tags.count >= parts);
  }
  TaskContext(const TaskContext&) = delete;
  TaskContext& operator=(const TaskContext&) = delete;

  /// The tags of the next operation's messages. Some operations are under way at once, each with its own.
  engine::Tags next_tags() {
    const std::int32_t count = tags_.count / parts;
    const auto part = static_cast<std::int32_t>(operations_++ % parts);
    return {tags_.first + part * count, count};
  }
  /// A number that no other operation of the group ever has.
  std::uint64_t next_label() {
    constexpr int operation_bits = 32;
    return number_ << operation_bits | operations_++;
  }

  void suspend(Awaitable& awaitable, std::coroutine_handle<> task) {
    awaitable_ = &awaitable;
    task_ = task;
  }
  /// Looks once, and lets the task go on from what it has reached. The task has not ended.
  wait::Look look() {
    THALWEG_ASSERT(normal, awaitable_ != nullptr && !task_.done());
    wait::Look found = wait::Look::reached;
    try {
      found = awaitable_->look();
    } catch (...) {
      awaitable_->failure_ = std::current_exception();
    }
    if (found != wait::Look::reached)
      return found;
    task_.resume();
    return wait::Look::moved;
  }

private:
  static constexpr std::int32_t parts = 8; ///< of the tags

  engine::Tags tags_;
  std::uint64_t number_;
  std::uint64_t operations_ = 0;
  Awaitable* awaitable_ = nullptr;
  std::coroutine_handle<> task_;
};

template <typename Promise>
bool Awaitable::await_suspend(std::coroutine_handle<Promise> task) {
  TaskContext& context = *task.promise().context;
  begin(context);
  if (look() == wait::Look::reached)
    return false;
  context.suspend(*this, task);
  return true;
}

/// co_await Until(looking): goes on once `looking()` has reached what it looks for. It is borrowed.
template <typename Looking>
class Until final : public Awaitable {
public:
  explicit Until(Looking& looking) : looking_(looking) {}
  wait::Look look() override { return looking_(); }

private:
  Looking& looking_;
};

/// Several at once, which begin in their order.
class AllOf final : public Awaitable {
public:
  explicit AllOf(std::vector<Awaitable*> all) : pending_(std::move(all)) {}
  void begin(TaskContext& context) override {
    for (Awaitable* const one : pending_)
      one->begin(context);
  }
  wait::Look look() override {
    wait::Look found = wait::Look::nothing;
    std::erase_if(pending_, [&](Awaitable* one) {
      const wait::Look now = one->look();
      if (now != wait::Look::nothing)
        found = wait::Look::moved;
      return now == wait::Look::reached;
    });
    return pending_.empty() ? wait::Look::reached : found;
  }

private:
  std::vector<Awaitable*> pending_;
};

template <typename Value>
class Task;

namespace detail {

struct PromiseOfAny {
  /// Whoever has awaited the task goes on.
  struct End {
    bool await_ready() noexcept { return false; }
    template <typename Promise>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> ended) noexcept {
      return ended.promise().awaiting;
    }
    void await_resume() noexcept {}
  };

  std::suspend_always initial_suspend() noexcept { return {}; }
  End final_suspend() noexcept { return {}; }
  void unhandled_exception() { failure = std::current_exception(); }
  void rethrow() const {
    if (failure)
      std::rethrow_exception(failure);
  }

  TaskContext* context = nullptr;
  std::coroutine_handle<> awaiting = std::noop_coroutine();
  std::exception_ptr failure;
};

template <typename Value>
struct Promise : PromiseOfAny {
  Task<Value> get_return_object();
  void return_value(Value given) { value.emplace(std::move(given)); }
  Value take() {
    rethrow();
    return std::move(*value);
  }
  std::optional<Value> value;
};

template <>
struct Promise<void> : PromiseOfAny {
  Task<void> get_return_object();
  void return_void() {}
  void take() const { rethrow(); }
};

} // namespace detail

/// Gives a value in the end. It begins where another task awaits it, or with start(). One that is destroyed
/// before its end leaves other ranks waiting for it.
template <typename Value>
class [[nodiscard]] Task {
public:
  using promise_type = detail::Promise<Value>;
  using Handle = std::coroutine_handle<promise_type>;

  explicit Task(Handle handle) : handle_(handle) {}
  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Task& operator=(Task&&) = delete;
  ~Task() {
    if (handle_)
      handle_.destroy();
  }

  void start(TaskContext& context) {
    THALWEG_ASSERT(normal, handle_ && handle_.promise().context == nullptr); // it was not begun before
    handle_.promise().context = &context;
    handle_.resume();
  }
  bool has_ended() const { return handle_.done(); }
  /// Of a task that has ended, once; throws what it has thrown.
  Value result() {
    THALWEG_ASSERT(normal, has_ended());
    return handle_.promise().take();
  }

  bool await_ready() const noexcept { return false; }
  /// Where the task ends at once, its end comes back here: loops of such tasks take no more of the stack.
  template <typename Promise>
  bool await_suspend(std::coroutine_handle<Promise> awaiting) {
    start(*awaiting.promise().context);
    if (has_ended())
      return false;
    handle_.promise().awaiting = awaiting;
    return true;
  }
  Value await_resume() { return result(); }

private:
  Handle handle_;
};

template <typename Value>
Task<Value> detail::Promise<Value>::get_return_object() {
  return Task<Value>(Task<Value>::Handle::from_promise(*this));
}

inline Task<void> detail::Promise<void>::get_return_object() {
  return Task<void>(Task<void>::Handle::from_promise(*this));
}

} // namespace thalweg::control
