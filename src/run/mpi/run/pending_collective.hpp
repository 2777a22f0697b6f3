// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "mpi/run/bound_run.hpp"
#include "mpi/run/communicator_plans.hpp"
#include "mpi/run/requests.hpp"

namespace thalweg::mpi {

/// A nonblocking or persistent collective on the engine, with all that it needs of its own.
class PendingCollective : public BackgroundCall {
public:
  ~PendingCollective() override;

  /// Begins the run; a persistent one is begun by MPI_Start. Returns MPI's error code.
  int start();
  bool progress() noexcept override;
  void finish() noexcept override;
  bool calls_library() const noexcept override;
  std::size_t stage() const noexcept override { return execution().stage(); }
  void restart() noexcept override;
  int code() const noexcept override { return code_; }

protected:
  /// Keeps datatypes alive that the program may free before the collective has finished.
  PendingCollective(CallBinding bound, std::shared_ptr<transport::Transport> transport, engine::Tags tags);
  const CallBinding& bound() const { return bound_; }
  transport::Batch& batch() { return *batch_; }
  RunStorage& storage() { return storage_; }

private:
  virtual void start_execution(const engine::Buffers& buffers, engine::Tags tags) = 0;
  virtual engine::Runnable& execution() = 0;
  virtual const engine::Runnable& execution() const = 0;
  /// Does what combines call the library?
  virtual bool combines_in_library() const { return false; }
  /// Behind the execution: throws what it has failed with.
  virtual void check_operator() {}
  template <typename Work>
  bool guard(Work work) noexcept;

  CallBinding bound_;
  std::shared_ptr<transport::Transport> transport_; ///< its communicator may be freed meanwhile
  engine::Tags tags_;
  std::unique_ptr<transport::Batch> batch_;
  RunStorage storage_;
  engine::Buffers buffers_;
  int code_ = MPI_SUCCESS;
  bool has_failed_ = false; ///< `code_` says how, and nothing is left to do
};

/// By a plan.
class PlannedCollective final : public PendingCollective {
public:
  PlannedCollective(std::shared_ptr<const engine::Plan> plan, CallBinding bound,
                    const job::MpiOperator& reduction, std::shared_ptr<transport::Transport> transport,
                    engine::Tags tags);

private:
  void start_execution(const engine::Buffers& buffers, engine::Tags tags) override;
  engine::Runnable& execution() override { return execution_; }
  const engine::Runnable& execution() const override { return execution_; }
  bool combines_in_library() const override;
  void check_operator() override;

  std::shared_ptr<const engine::Plan> plan_;
  job::MpiOperator reduction_;
  engine::Execution execution_;
};

/// By messages that describe themselves.
class SelfDescribingCollective final : public PendingCollective {
public:
  SelfDescribingCollective(std::shared_ptr<const schedule::Schedule> schedule, CallBinding bound,
                           std::shared_ptr<transport::Transport> transport, engine::Tags tags);

private:
  void start_execution(const engine::Buffers& buffers, engine::Tags tags) override;
  engine::Runnable& execution() override { return execution_; }
  const engine::Runnable& execution() const override { return execution_; }

  std::shared_ptr<const schedule::Schedule> schedule_;
  engine::SelfDescribingExecution execution_;
};

/// A bound call by what was found for it.
std::unique_ptr<PendingCollective> make_pending(CommunicatorPlans& plans,
                                                const CommunicatorPlans::Lookup& found, CallBinding bound,
                                                engine::Tags tags);

} // namespace thalweg::mpi
