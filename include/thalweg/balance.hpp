// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Balancing for C++: thalweg/balance.h with an owner, tasks in a std::vector, and exceptions
// (thalweg/error.hpp).
//
//     thalweg::balancer balancer(communicator);
//     balancer.move(walkers);                                                 // all ranks have as many
//     balancer.move(cells, [](const Cell& cell) { return cell.particles; });  // or as much to do
//
// Tasks are copied byte by byte, or have a thalweg::serializer (thalweg/stream_formats.hpp).

#include "thalweg/balance.h"
#include "thalweg/balance_tasks.hpp"
#include "thalweg/error.hpp"
#include "thalweg/request.hpp"

#include <concepts>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace thalweg {

/// The effect of a move.
struct balance_outcome {
  bool was_worth = true;       ///< false: nothing has moved on any rank, as it would not have paid
  double imbalance = 1;        ///< before: time of the slowest rank over that of even loads
  double gain_seconds = 0;     ///< the time that moving was predicted to save; 0 without load_seconds
  double exchange_seconds = 0; ///< and to take
};

/// See thalweg_balance_options.
struct balance_options : thalweg_balance_options {};

template <typename Task>
class movement;

class balancer {
public:
  /// Collective. `order`: as in thalweg_balancer_options; empty: Thalweg's.
  explicit balancer(MPI_Comm communicator, std::span<const int> order = {}) {
    thalweg_balancer_options options{};
    options.order = order.empty() ? nullptr : order.data();
    make(communicator, options);
  }
  balancer(MPI_Comm communicator, const thalweg_balancer_options& options) { make(communicator, options); }

  /// Collective. This rank's messages, valid until the next call. The program sends its tasks itself.
  std::span<const thalweg_transfer> flow(std::int64_t tasks,
                                         thalweg_balance_scheme scheme = thalweg_balance_alias) {
    const thalweg_transfer* transfers = nullptr;
    std::size_t count = 0;
    detail::check(thalweg_balancer_flow(handle_.get(), tasks, scheme, &transfers, &count));
    return {transfers, count};
  }

  /// Collective. Moves tasks from the vector's end; those that come are appended. An exception of a
  /// serializer or of `weight` on this rank is thrown here, and as thalweg::error on the other ranks: then no
  /// task has moved.
  template <typename Task>
  balance_outcome move(std::vector<Task>& tasks, const balance_options& options = {}) {
    return start(tasks, options).finish();
  }
  /// `weight(task)`: the work of a task, from 0, in any unit.
  template <typename Task, std::invocable<const Task&> Weight>
  balance_outcome move(std::vector<Task>& tasks, Weight&& weight, const balance_options& options = {}) {
    return start(tasks, std::forward<Weight>(weight), options).finish();
  }

  /// The same, begun. The balancer and the vector outlive the movement.
  template <typename Task>
  [[nodiscard]] movement<Task> start(std::vector<Task>& tasks, const balance_options& options = {}) {
    return {handle_.get(), std::make_unique<detail::task_row<Task>>(tasks), options};
  }
  template <typename Task, std::invocable<const Task&> Weight>
  [[nodiscard]] movement<Task> start(std::vector<Task>& tasks, Weight&& weight,
                                     const balance_options& options = {}) {
    return {handle_.get(), std::make_unique<detail::task_row<Task>>(tasks, weight), options};
  }

private:
  struct free {
    void operator()(thalweg_balancer* balancer) const { thalweg_balancer_free(&balancer); }
  };
  void make(MPI_Comm communicator, const thalweg_balancer_options& options) {
    thalweg_balancer* made = nullptr;
    detail::check(thalweg_balancer_create(communicator, &options, &made));
    handle_.reset(made);
  }

  std::unique_ptr<thalweg_balancer, free> handle_;
};

/// Tasks that are moving. Until finish() the vector keeps its length, and its tasks may be read. Tasks that
/// are kept may be written. The destructor finishes the move if need be, and ignores failures.
template <typename Task>
class movement {
public:
  /// Begins the move; balancer::start() is the usual way to one.
  movement(thalweg_balancer* balancer, std::unique_ptr<detail::task_row<Task>> row,
           const balance_options& options)
      : balancer_(balancer), row_(std::move(row)) {
    const thalweg_tasks given = row_->given();
    thalweg_request* started = nullptr;
    detail::check(thalweg_balance_start(balancer_, &given, &options, &started));
    request_ = request(started);
  }
  movement(movement&&) noexcept = default;
  movement& operator=(movement&&) = delete;
  ~movement() {
    try {
      if (row_)
        finish();
    } catch (...) { // nothing has moved then
    }
  }

  /// Goes on, without waiting. Have all tasks arrived?
  bool test() {
    return checked([&] { return request_.test(); });
  }
  /// Waits until ranks have agreed, but not until tasks have moved: the first so many stay here.
  std::size_t kept() {
    std::size_t count = 0;
    checked([&] { detail::check(thalweg_balance_kept(balancer_, &count)); });
    return count;
  }
  /// Waits, removes the tasks that have left from the vector, and appends those that have come. Once.
  balance_outcome finish() {
    checked([&] { request_.wait(); });
    thalweg_moved moved{};
    detail::check(thalweg_balance_moved(balancer_, &moved));
    if (const auto row = std::exchange(row_, nullptr))
      row->accept(moved);
    return {moved.was_worth != 0, moved.imbalance, moved.gain_seconds, moved.exchange_seconds};
  }

private:
  /// Exceptions of the program's functions precede Thalweg's own message.
  template <typename Call>
  auto checked(Call&& call) {
    try {
      return call();
    } catch (const error&) {
      if (const auto row = std::exchange(row_, nullptr))
        row->rethrow();
      throw;
    }
  }

  thalweg_balancer* balancer_;
  std::unique_ptr<detail::task_row<Task>> row_; ///< at an address that stays
  request request_;
};

/// Collective. As balancer::move(), by a balancer that lives as long as the call: for programs that balance
/// once. Making one takes longer than moving few tasks.
template <typename Task, typename... Arguments>
balance_outcome balance(MPI_Comm communicator, std::vector<Task>& tasks, Arguments&&... arguments) {
  return balancer(communicator).move(tasks, std::forward<Arguments>(arguments)...);
}

} // namespace thalweg
