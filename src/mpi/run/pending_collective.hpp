#pragma once

#include "mpi/run/bound_run.hpp"
#include "mpi/run/communicator_plans.hpp"
#include "mpi/run/requests.hpp"

namespace thalweg::mpi {

// A nonblocking or persistent collective on the engine, with all that it needs of its own.
class PendingCollective final : public BackgroundCall {
public:
  // Keeps datatypes alive that the program may free before the collective has finished.
  PendingCollective(std::shared_ptr<const engine::Plan> plan, CallBinding bound,
                    const job::MpiOperator& reduction, std::shared_ptr<transport::Transport> transport,
                    engine::Tags tags);
  ~PendingCollective() override;

  // Begins the run; a persistent one is begun by MPI_Start. Returns MPI's error code.
  int start();
  bool progress() noexcept override;
  void restart() noexcept override;
  int code() const noexcept override { return code_; }

private:
  std::shared_ptr<const engine::Plan> plan_;
  CallBinding bound_;
  job::MpiOperator reduction_;
  std::shared_ptr<transport::Transport> transport_; // its communicator may be freed meanwhile
  engine::Tags tags_;
  std::unique_ptr<transport::Batch> batch_;
  engine::Execution execution_;
  RunStorage storage_;
  engine::Buffers buffers_;
  int code_ = MPI_SUCCESS;
  bool failed_to_start_ = false;
};

} // namespace thalweg::mpi
