// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/offload/nic_group.hpp"

#include <algorithm>
#include <exception>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "mpi/offload/nic_notes.hpp"
#include "mpi/state/runtime.hpp"

namespace thalweg::mpi {

NicGroup::NicGroup(const strategies::Scheduled& scheduled, Rank root, GroupOperator combiner,
                   CommunicatorState& communicator, std::shared_ptr<transport::Transport> transport,
                   engine::Tags tags)
    : rank_(communicator.rank), endpoint_(std::move(transport), {}), tags_(tags),
      turn_(communicator.handle == runtime.world.communicator) {
  if (communicator.group().node_count() <= 1) {
    settled("collectives for network devices are run by our engine: all ranks are on one host");
    return;
  }
  if (tags_.count == 0) {
    settled("collectives for network devices are run by our engine: more groups than there are tags for");
    return;
  }
  NicShape shape = NicShape::of(scheduled, root, std::move(combiner), communicator);
  if (runtime.world.rank == 0)
    last_ = LastRanks(shape.world_ranks);
  joining_ = std::make_unique<NicJoining>(std::move(shape), endpoint_, tags_);
}

void NicGroup::watch() {
  if (!std::exchange(is_watched_, true))
    watch_nics(shared_from_this());
}

NicGroup::Place NicGroup::begin_blocking() {
  if (turn_.begin_call() && !is_settled())
    watch();
  return place_of_call();
}

NicGroup::Place NicGroup::place_of_call() const {
  if (is_settled())
    return is_on_nics() && turn_.has_come() ? Place::cards : Place::engine;
  return turn_.goes_alone() ? Place::engine : Place::unknown;
}

int NicGroup::asked_agent() {
  const std::scoped_lock lock(mutex_);
  return joining_ ? joining_->asked_agent() : -1;
}

wait::Look NicGroup::settle() {
  if (is_settled())
    return wait::Look::reached;
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock() || is_settled())
    return is_settled() ? wait::Look::reached : wait::Look::nothing;
  switch (joining_->progress()) {
  case NicJoining::State::open:
    return wait::Look::nothing;
  case NicJoining::State::moved:
    return wait::Look::moved;
  case NicJoining::State::refused:
    settled(
        fmt::format("collectives for network devices are run by our engine: {}", joining_->why_refused()));
    break;
  case NicJoining::State::joined:
    has_joined();
    break;
  }
  return is_settled() ? wait::Look::reached : wait::Look::moved;
}

bool NicGroup::go_on(bool is_held, std::uint64_t& pause_ns) noexcept {
  constexpr std::uint64_t pause_of_new_ns = 100'000; // agents take much longer
  try {
    if (settle() != wait::Look::reached) {
      pause_ns = std::min(pause_ns, pause_of_new_ns);
      return false;
    }
    if (!is_on_nics())
      return true;
    if (!is_held)
      recovery_->close();
    const bool is_over = recovery_->progress();
    if (is_lost() && !is_over)
      pause_ns = 0;
    return is_over;
  } catch (const std::exception& error) {
    log_line(std::string("network devices are lost, and ranks do not reach each other: ") + error.what());
    return true;
  }
}

void NicGroup::close() {
  if (is_settled() && is_on_nics())
    recovery_->close();
}

void NicGroup::has_joined() {
  if (!turn_.is_awaited() && !std::exchange(is_changing_, true))
    joining_->share_call_count(turn_.promise());
  else
    begin_calls();
}

// All ranks know that their cards run its calls.
void NicGroup::begin_calls() {
  if (is_changing_)
    turn_.change_behind(joining_->largest_call_count());
  const NicShape& shape = joining_->shape();
  if (shape.relays)
    relay_ = std::make_unique<nic::RelayMember>(joining_->take_relay_card(), rank_ == shape.root,
                                                joining_->farthest_levels());
  else
    member_ = std::make_unique<nic::Member>(joining_->take_card());
  recovery_ =
      std::make_unique<NicRecovery>(AgreedGroup{rank_, shape.root, shape.ranks(), endpoint_, tags_,
                                                shape.schedule_of, shape.nodes, member_.get(), relay_.get()},
                                    begun_);
  runtime.has_nic_groups = true;
  settled("collectives run on the hosts' network devices" + joining_->joined_by());
  watch();
}

// Where our engine runs the calls, the agent gets back what it gave.
void NicGroup::settled(const std::string& note) {
  note_nic(note);
  joining_.reset();
  is_settled_.store(true, std::memory_order_release);
}

} // namespace thalweg::mpi
