// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What waits for messages in its middle, written as if it waited there: a coroutine that gives its thread
// back, and goes on where a look has found what it waits for. So one text serves calls that wait and calls
// that only look.

#include "wait/policy.hpp"

#include <coroutine>
#include <exception>
#include <optional>
#include <utility>

namespace thalweg::balancing {

/// Where a routine, or one that it awaits, waits for something. One for all of them, as only one waits.
class Parking {
public:
  /// What is looked for, by whom.
  class Place {
  public:
    virtual wait::Look look() = 0;

  protected:
    ~Place() = default;

  private:
    friend Parking;
    std::coroutine_handle<> routine_;
    std::exception_ptr failure_;
  };

  void park(Place& place, std::coroutine_handle<> routine) {
    place.routine_ = routine;
    place_ = &place;
  }
  /// What the look has failed with is thrown in the routine.
  static void leave(Place& place) {
    if (place.failure_)
      std::rethrow_exception(std::exchange(place.failure_, nullptr));
  }

  /// Looks once, and lets the routine go on from what it has reached. Somebody has to wait.
  wait::Look look() {
    wait::Look found = wait::Look::reached;
    try {
      found = place_->look();
    } catch (...) {
      place_->failure_ = std::current_exception();
    }
    if (found != wait::Look::reached)
      return found;
    place_->routine_.resume();
    return wait::Look::moved;
  }

private:
  Place* place_ = nullptr;
};

/// co_await Until(parking, look): goes on once `look` has reached what it looks for.
template <typename Looking>
class Until final : public Parking::Place {
public:
  Until(Parking& parking, Looking& looking) : parking_(parking), looking_(looking) {}

  wait::Look look() override { return looking_(); }
  bool await_ready() { return looking_() == wait::Look::reached; }
  void await_suspend(std::coroutine_handle<> routine) { parking_.park(*this, routine); }
  void await_resume() { Parking::leave(*this); }

private:
  Parking& parking_;
  Looking& looking_;
};

/// Gives a value in the end. It begins where it is awaited, or with start().
template <typename Value>
class Routine {
public:
  struct promise_type;
  using Handle = std::coroutine_handle<promise_type>;

  /// Whoever has awaited it goes on.
  struct End {
    bool await_ready() noexcept { return false; }
    std::coroutine_handle<> await_suspend(Handle ended) noexcept { return ended.promise().awaiting; }
    void await_resume() noexcept {}
  };

  struct promise_type {
    Routine get_return_object() { return Routine(Handle::from_promise(*this)); }
    std::suspend_always initial_suspend() noexcept { return {}; }
    End final_suspend() noexcept { return {}; }
    void unhandled_exception() { failure = std::current_exception(); }
    void return_value(Value given) { value.emplace(std::move(given)); }

    std::coroutine_handle<> awaiting = std::noop_coroutine();
    std::optional<Value> value;
    std::exception_ptr failure;
  };

  Routine() = default;
  Routine(Routine&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Routine& operator=(Routine&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Routine() {
    if (handle_)
      handle_.destroy();
  }

  void start() { handle_.resume(); }
  bool has_ended() const { return handle_.done(); }
  /// Of one that has ended; throws what it has thrown.
  Value result() {
    if (handle_.promise().failure)
      std::rethrow_exception(handle_.promise().failure);
    return std::move(*handle_.promise().value);
  }

  bool await_ready() const noexcept { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> awaiting) noexcept {
    handle_.promise().awaiting = awaiting;
    return handle_;
  }
  Value await_resume() { return result(); }

private:
  explicit Routine(Handle handle) : handle_(handle) {}

  Handle handle_;
};

/// The value of a routine that has none.
struct Nothing {};

} // namespace thalweg::balancing
