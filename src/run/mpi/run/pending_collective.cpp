// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/run/pending_collective.hpp"

#include "base/assertion.hpp"
#include "transport/mpi/mpi_transport.hpp"

namespace thalweg::mpi {

PendingCollective::PendingCollective(CallBinding bound, std::shared_ptr<transport::Transport> transport,
                                     engine::Tags tags)
    : bound_(std::move(bound)), transport_(std::move(transport)), tags_(tags),
      batch_(transport_->make_batch()) {
  bound_.input.retain_types();
  bound_.output.retain_types();
}

PendingCollective::~PendingCollective() {
  bound_.input.release_types();
  bound_.output.release_types();
}

int PendingCollective::start() {
  THALWEG_ASSERT(light, transport_->rank() < bound_.problem.ranks);
  code_ = stage_in(bound_, transport_->rank(), storage_, buffers_);
  if (code_ == MPI_SUCCESS)
    start_execution(buffers_, tags_);
  return code_;
}

void PendingCollective::restart() noexcept {
  try {
    has_failed_ = start() != MPI_SUCCESS;
  } catch (const std::exception&) {
    code_ = MPI_ERR_INTERN;
    has_failed_ = true;
  }
}

// True where the work has come to its end, by a failure too.
template <typename Work>
bool PendingCollective::guard(Work work) noexcept {
  if (has_failed_)
    return true;
  try {
    return work();
  } catch (const transport::MpiError& error) {
    code_ = error.code();
  } catch (const transport::TruncationError&) {
    code_ = MPI_ERR_TRUNCATE;
  } catch (const std::exception&) {
    code_ = job::MpiOperator::was_left_by_exception() ? MPI_ERR_OTHER : MPI_ERR_INTERN;
  } catch (...) {
    job::MpiOperator::was_left_by_exception();
    code_ = MPI_ERR_OTHER; // what an operator of the program has thrown
  }
  has_failed_ = true;
  return true;
}

bool PendingCollective::progress() noexcept {
  return guard([this] { return execution().progress(); });
}

void PendingCollective::finish() noexcept {
  guard([this] {
    check_operator();
    code_ = stage_out(bound_, transport_->rank(), buffers_);
    return true;
  });
}

bool PendingCollective::calls_library() const noexcept {
  return transport_->calls_library() || combines_in_library();
}

PlannedCollective::PlannedCollective(std::shared_ptr<const engine::Plan> plan, CallBinding bound,
                                     const job::MpiOperator& reduction,
                                     std::shared_ptr<transport::Transport> transport, engine::Tags tags)
    : PendingCollective(std::move(bound), std::move(transport), tags), plan_(std::move(plan)),
      reduction_(reduction), execution_(*plan_, batch()) {}

void PlannedCollective::start_execution(const engine::Buffers& buffers, engine::Tags tags) {
  mpi::start(execution_, *plan_, storage(), buffers, tags, reduction_);
}

bool PlannedCollective::combines_in_library() const {
  return schedule::is_reduction(bound().problem.operation) && reduction_.calls_library();
}

void PlannedCollective::check_operator() {
  reduction_.finish();
}

SelfDescribingCollective::SelfDescribingCollective(std::shared_ptr<const schedule::Schedule> schedule,
                                                   CallBinding bound,
                                                   std::shared_ptr<transport::Transport> transport,
                                                   engine::Tags tags)
    : PendingCollective(std::move(bound), std::move(transport), tags), schedule_(std::move(schedule)),
      execution_(*schedule_, batch()) {}

void SelfDescribingCollective::start_execution(const engine::Buffers& buffers, engine::Tags tags) {
  mpi::start(execution_, *schedule_, bound(), buffers, tags);
}

std::unique_ptr<PendingCollective> make_pending(CommunicatorPlans& plans,
                                                const CommunicatorPlans::Lookup& found, CallBinding bound,
                                                engine::Tags tags) {
  THALWEG_ASSERT(light, tags.count > 0 && (found.plan != nullptr) != (found.self_describing != nullptr));
  if (found.plan)
    return std::make_unique<PlannedCollective>(found.plan, std::move(bound), plans.reduction,
                                               plans.shared_transport(), tags);
  std::shared_ptr<const schedule::Schedule> schedule(found.self_describing, &found.self_describing->schedule);
  return std::make_unique<SelfDescribingCollective>(std::move(schedule), std::move(bound),
                                                    plans.shared_transport(), tags);
}

} // namespace thalweg::mpi
