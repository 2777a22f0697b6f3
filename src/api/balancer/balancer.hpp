// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Balancing in a job: finds who sends how much to whom, and moves it, in one call or beside the program.

#include "balancer/finder.hpp"
#include "balancer/mover.hpp"
#include "job/library/group.hpp"
#include "thalweg/balance.h"

#include <optional>

namespace thalweg::balancing {

class Balancer {
public:
  /// Collective. Throws Error on all ranks for an order that is none, or is not the same on all.
  Balancer(MPI_Comm communicator, const thalweg_balancer_options& options);
  ~Balancer();
  Balancer(const Balancer&) = delete;
  Balancer& operator=(const Balancer&) = delete;

  const job::Group& group() const { return group_; }

  /// Collective. This rank's messages. Throws Error on all ranks where a load is below 0, or their sum over
  /// tasks_max. Throws it where a move goes on.
  const std::vector<thalweg_transfer>& flow(thalweg_balance_scheme scheme, Tasks load);

  /// Collective. Begins to move tasks; `tasks` has to live until then.
  void start(const thalweg_tasks& tasks, const thalweg_balance_options& options);
  /// Of the move with that number: goes on, without waiting. Has it ended? Throws what it has failed with.
  bool test(std::uint64_t move);
  void wait(std::uint64_t move);
  std::uint64_t moves() const { return moves_; }
  /// Waits until it is known.
  std::size_t kept();
  /// Of the last move; waits for its end.
  thalweg_moved moved();

private:
  control::Task<void> run(thalweg_tasks tasks, Report report, Settings settings);
  void must_be_free() const;
  /// Goes on with the move until `is_reached`.
  template <typename Reached>
  void go_on(const Reached& is_reached);
  template <typename Work>
  void timed(const Work& work);
  void learn_cost();

  job::Group group_;
  control::Control control_;
  Finder finder_;
  Mover mover_;
  std::optional<control::TaskRun<void>> move_; ///< the last one
  bool is_open_ = false;                       ///< a move goes on, or its failure was not told
  std::uint64_t moves_ = 0;
  std::uint64_t moving_ns_ = 0; ///< in calls, since what is kept is known
  double cost_factor_ = 0;
  OwnFlow found_;
};

} // namespace thalweg::balancing
