// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A vector of tasks as thalweg/balance.h takes them. Not for programs: see thalweg/balance.hpp.

#include "thalweg/balance.h"
#include "thalweg/stream_formats.hpp"

#include <exception>
#include <limits>
#include <type_traits>
#include <vector>

namespace thalweg::detail {

template <typename Task>
class task_row {
  static constexpr bool is_copied = std::is_trivially_copyable_v<Task>;
  static_assert(!std::is_same_v<Task, bool>, "a std::vector<bool> has no tasks: give one of char");
  static_assert(alignof(Task) <= 64, "tasks arrive aligned to 64");

public:
  explicit task_row(std::vector<Task>& tasks) : tasks_(tasks) {}
  /// A weight that throws is told to the other ranks as one that cannot be.
  template <typename Weight>
  task_row(std::vector<Task>& tasks, Weight& weight) : tasks_(tasks), is_weighted_(true) {
    weights_.reserve(tasks.size() + 1);
    try {
      for (const Task& task : tasks)
        weights_.push_back(static_cast<double>(weight(task)));
    } catch (...) {
      failure_ = std::current_exception();
      weights_.assign(tasks.size(), std::numeric_limits<double>::quiet_NaN());
    }
  }

  thalweg_tasks given() {
    thalweg_tasks given{};
    given.count = tasks_.size();
    given.weights = is_weighted_ ? weights_.data() : nullptr;
    given.context = this;
    if constexpr (is_copied) {
      given.tasks = tasks_.data();
      given.task_bytes = sizeof(Task);
    } else {
      given.pack = pack;
    }
    return given;
  }

  void accept(const thalweg_moved& moved) {
    tasks_.erase(tasks_.begin() + static_cast<std::ptrdiff_t>(moved.kept), tasks_.end());
    if constexpr (is_copied) {
      const auto* const arrived = static_cast<const Task*>(moved.tasks);
      tasks_.insert(tasks_.end(), arrived, arrived + moved.arrived);
    } else {
      tasks_.reserve(tasks_.size() + moved.arrived);
      byte_reader from(static_cast<const char*>(moved.tasks), moved.bytes);
      for (std::size_t task = 0; task < moved.arrived; ++task)
        tasks_.push_back(serializer<Task>::read(from));
    }
  }

  void rethrow() {
    if (failure_)
      std::rethrow_exception(std::exchange(failure_, nullptr));
  }

private:
  static std::size_t pack(void* context, std::size_t first, std::size_t end, void* to, std::size_t room) {
    auto& self = *static_cast<task_row*>(context);
    try {
      byte_writer all(static_cast<char*>(to), room);
      for (std::size_t task = first; task < end; ++task)
        serializer<Task>::write(self.tasks_[task], all);
      return all.needed();
    } catch (...) {
      self.failure_ = std::current_exception();
      return SIZE_MAX;
    }
  }

  std::vector<Task>& tasks_;
  bool is_weighted_ = false;
  std::vector<double> weights_;
  std::exception_ptr failure_;
};

} // namespace thalweg::detail
