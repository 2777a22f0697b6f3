#include "mpi/run/pending_collective.hpp"

#include "transport/mpi/mpi_transport.hpp"

namespace thalweg::mpi {

PendingCollective::PendingCollective(std::shared_ptr<const engine::Plan> plan, CallBinding bound,
                                     const job::MpiOperator& reduction,
                                     std::shared_ptr<transport::Transport> transport, engine::Tags tags)
    : plan_(std::move(plan)), bound_(std::move(bound)), reduction_(reduction),
      transport_(std::move(transport)), tags_(tags), batch_(transport_->make_batch()),
      execution_(*plan_, *batch_) {
  bound_.input.retain_types();
  bound_.output.retain_types();
}

PendingCollective::~PendingCollective() {
  bound_.input.release_types();
  bound_.output.release_types();
}

int PendingCollective::start() {
  code_ = stage_in(bound_, *plan_, transport_->rank(), storage_, buffers_);
  if (code_ == MPI_SUCCESS)
    execution_.start(buffers_, tags_, &reduction_);
  return code_;
}

void PendingCollective::restart() noexcept {
  try {
    failed_to_start_ = start() != MPI_SUCCESS;
  } catch (const std::exception&) {
    code_ = MPI_ERR_INTERN;
    failed_to_start_ = true;
  }
}

bool PendingCollective::progress() noexcept {
  if (failed_to_start_)
    return true;
  try {
    if (!execution_.progress())
      return false;
    code_ = stage_out(bound_, transport_->rank(), buffers_);
  } catch (const transport::MpiError& error) {
    code_ = error.code();
  } catch (const transport::TruncationError&) {
    code_ = MPI_ERR_TRUNCATE;
  } catch (const std::exception&) {
    code_ = MPI_ERR_INTERN;
  }
  return true;
}

} // namespace thalweg::mpi
