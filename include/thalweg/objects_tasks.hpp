// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Entry methods that wait: coroutines. While one waits, other messages run.
//
//   thalweg::task Block::run() {
//     for (int step = 0; step < steps; ++step) {
//       ..
//       Row row = co_await rows_.take(step);             // a thalweg::inbox<Row>, into which messages put
//       double sum = co_await array().reduce(thalweg::sum(), mine);
//     }
//   }

#include "thalweg/error.hpp"

#include <algorithm>
#include <coroutine>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace thalweg {

namespace detail {
class array_base;
struct element_record;
} // namespace detail

/// The return type of an entry method that waits. Its parameters are values: messages do not outlive the
/// first wait.
class [[nodiscard]] task {
public:
  struct promise_type {
    task get_return_object() { return task(std::coroutine_handle<promise_type>::from_promise(*this)); }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { failure = std::current_exception(); }

    detail::array_base* array = nullptr;
    detail::element_record* element = nullptr;
    std::size_t place = 0;    ///< among those of the array
    const char* name = "";    ///< of the entry method
    bool is_in_inbox = false; ///< the awaited value may still come after messages were lost
    std::exception_ptr failure;
  };
  using handle = std::coroutine_handle<promise_type>;

  task(task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  task& operator=(task&&) = delete;
  ~task() {
    if (handle_)
      handle_.destroy();
  }
  /// To whom runs it.
  handle release() { return std::exchange(handle_, nullptr); }

private:
  explicit task(handle of) : handle_(of) {}
  handle handle_;
};

namespace detail {

/// An array's tasks that have begun and not ended. They end with it.
class task_list {
public:
  task_list() = default;
  ~task_list() {
    for (task::promise_type* const waiting : all_)
      task::handle::from_promise(*waiting).destroy();
  }
  task_list(const task_list&) = delete;
  task_list& operator=(const task_list&) = delete;

  void add(task::promise_type& begun) {
    begun.place = all_.size();
    all_.push_back(&begun);
  }
  /// Destroys a task, and gives its element.
  element_record& remove(task::handle of) {
    const task::promise_type& gone = of.promise();
    element_record& element = *gone.element;
    all_.back()->place = gone.place;
    all_[gone.place] = all_.back();
    all_.pop_back();
    of.destroy();
    return element;
  }
  /// Null where there is none.
  const task::promise_type* first() const { return all_.empty() ? nullptr : all_.front(); }
  /// Those that wait for a message that is lost; `use` may remove its task.
  template <typename Use>
  void each_lost(Use&& use) {
    for (std::size_t place = all_.size(); place-- > 0;) // the last one takes the place of one that is removed
      if (!all_[place]->is_in_inbox)
        use(task::handle::from_promise(*all_[place]));
  }

private:
  std::vector<task::promise_type*> all_;
};

/// Runs a task that waits again, as a message of its own. Defined where arrays are.
void resume_soon(task::handle waiting);

} // namespace detail

/// Values that messages leave for the tasks of an element, by tag; with one tag, in the order of arrival.
template <typename T>
class inbox {
public:
  class taking {
  public:
    taking(inbox& from, std::uint64_t tag) : from_(from), tag_(tag) {}
    bool await_ready() {
      const auto found = std::ranges::find(from_.values_, tag_, &std::pair<std::uint64_t, T>::first);
      if (found == from_.values_.end())
        return false;
      value_.emplace(std::move(found->second));
      from_.values_.erase(found);
      return true;
    }
    void await_suspend(task::handle waiting) {
      waiting_ = waiting;
      waiting.promise().is_in_inbox = true;
      from_.takers_.push_back(this);
    }
    T await_resume() { return std::move(*value_); }

  private:
    friend class inbox;
    inbox& from_;
    std::uint64_t tag_;
    task::handle waiting_;
    std::optional<T> value_;
  };

  /// Adds a value, and lets the first task that waits for its tag go on.
  void put(std::uint64_t tag, T value) {
    const auto taker = std::ranges::find(takers_, tag, &taking::tag_);
    if (taker == takers_.end()) {
      values_.emplace_back(tag, std::move(value));
      return;
    }
    taking& first = **taker;
    takers_.erase(taker);
    first.value_.emplace(std::move(value));
    first.waiting_.promise().is_in_inbox = false;
    detail::resume_soon(first.waiting_);
  }
  /// co_await it.
  taking take(std::uint64_t tag = 0) { return {*this, tag}; }
  /// The number of values that nobody has taken yet.
  std::size_t size() const { return values_.size(); }

private:
  std::vector<std::pair<std::uint64_t, T>> values_;
  std::vector<taking*> takers_;
};

} // namespace thalweg
