// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A communicator's group on the hosts' network cards (room nic), from when it is asked for until it ends; and
// what it runs.

#include "mpi/comm/communicators.hpp"
#include "mpi/offload/nic_arrivals.hpp"
#include "mpi/offload/nic_joining.hpp"
#include "mpi/offload/nic_recovery.hpp"
#include "mpi/offload/nic_turn.hpp"
#include "mpi/offload/nic_watch.hpp"
#include "mpi/run/communicator_plans.hpp"
#include "nic/member.hpp"
#include "strategies/implementation.hpp"
#include "transport/transport.hpp"
#include "wait/policy.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace thalweg::mpi {

/// It outlives the communicator: whoever has finished his calls is still needed by others (nic_recovery.hpp).
class NicGroup final : public WatchedNicGroup, public std::enable_shared_from_this<NicGroup> {
public:
  /// The group of a strategy's schedule at that root; without a name, `combiner` is none. `tags` are for it
  /// alone, for good.
  NicGroup(const strategies::Scheduled& scheduled, Rank root, GroupOperator combiner,
           CommunicatorState& communicator, std::shared_ptr<transport::Transport> transport,
           engine::Tags tags);

  /// A blocking call begins. Whether it is for the cards, the same on all ranks, or whether that has to be
  /// waited for.
  enum class Place : std::uint8_t { engine, cards, unknown };
  Place begin_blocking();
  Place place_of_call() const;
  /// Whether later calls of that kind may be for the cards.
  bool may_change() const { return !is_settled() || is_on_nics(); }

  /// Goes on without waiting; reached once it is known how it ends. Throws what the transport throws.
  wait::Look settle();
  /// Where this host's agent is about to answer; -1: it was not asked. Another thread may close it meanwhile.
  int asked_agent();
  bool is_settled() const { return is_settled_.load(std::memory_order_acquire); }
  /// Once it is settled: whether cards run the calls, or our engine must, the same on all ranks.
  bool is_on_nics() const { return member_ != nullptr || relay_ != nullptr; }
  /// Who brings an operation to its end, and whether it is the engine only from some operation on.
  NicRecovery::Runner runner_of(std::uint32_t epoch) const {
    return is_on_nics() ? recovery_->runner_of(epoch) : NicRecovery::Runner::engine;
  }
  bool is_lost() const { return is_on_nics() && recovery_->is_lost(); }
  /// Then one of these is there: of broadcasts and scatters the relay.
  nic::Member* member() const { return member_.get(); }
  nic::RelayMember* relay() const { return relay_.get(); }
  Rank rank() const { return rank_; }
  /// Notes who came last to a call of that function: a rank that cards count from 1 on, or none.
  /// `waited_us`: how long the first one waited.
  void note_last(const char* function, std::uint32_t counted, std::uint32_t waited_us) {
    last_.note(function, counted, waited_us);
  }
  /// The number of the group's next operation, and of so many together: in the order of calls, which is the
  /// same on all ranks.
  std::uint32_t next_epoch() const { return begun_.load(std::memory_order_relaxed) + 1; }
  std::uint32_t begin_epochs(std::uint32_t count) {
    return begun_.fetch_add(count, std::memory_order_seq_cst) + 1;
  }
  /// Then: what becomes of operations where the cards are lost.
  NicRecovery& recovery() const { return *recovery_; }

  bool go_on(bool is_held, std::uint64_t& pause_ns) noexcept override;
  void close() override;

private:
  void watch();
  void has_joined();
  void begin_calls();
  void settled(const std::string& note);

  Rank rank_;
  control::Endpoint endpoint_;
  engine::Tags tags_;
  NicTurn turn_;
  LastRanks last_;
  std::unique_ptr<NicJoining> joining_; ///< until it is settled
  bool is_changing_ = false;            ///< ranks tell each other how far they are
  bool is_watched_ = false;
  std::unique_ptr<nic::Member> member_;
  std::unique_ptr<nic::RelayMember> relay_;
  std::atomic<std::uint32_t> begun_ = 0; ///< operations
  std::unique_ptr<NicRecovery> recovery_;
  std::mutex mutex_; ///< of who settles
  std::atomic<bool> is_settled_ = false;
};

/// A call as the network devices run it.
class NicOperation {
public:
  virtual ~NicOperation() = default;
  /// Begins it as the group's next operation; its packet leaves now, if the group is there. Returns MPI's
  /// error code.
  virtual int begin(NicGroup& group) = 0;
  /// Goes on without waiting; true once it is done. Devices run the group's calls.
  virtual bool advance(NicGroup& group) = 0;
  /// Waits until it is done, in a way that the device can end. False where the devices are lost before.
  virtual bool run(NicGroup& group, const wait::Policy& policy) = 0;
  /// Of the group that runs it: without a name where packets say how they are combined.
  virtual GroupOperator combiner() const { return {}; }
  /// MPI's error code, once it is done.
  virtual int code() const { return MPI_SUCCESS; }

protected:
  NicOperation() = default;
  NicOperation(const NicOperation&) = delete;
  NicOperation& operator=(const NicOperation&) = delete;
};

/// The groups on network devices that calls on a communicator share, and how blocking calls wait for them.
class NicGroups {
public:
  /// The group that runs a choice's calls at that root, with the operation's combiner, asked for with the
  /// first of them. `id` tells choices apart (Choice::id).
  const std::shared_ptr<NicGroup>& group_for(const strategies::Scheduled& scheduled, std::int64_t id,
                                             Rank root, const GroupOperator& combiner,
                                             CommunicatorState& communicator, CommunicatorPlans& plans);

private:
  struct Entry {
    std::int64_t id;
    Rank root;
    GroupOperator combiner;
    std::shared_ptr<NicGroup> group;
  };
  std::vector<Entry> entries_;
};

/// Waits as the communicator's channels do until it is known whether devices can run the group's calls.
void wait_for_nics(NicGroup& group, const wait::Policy& policy);

/// Runs a blocking call on the devices. Waits like that, but visits the MPI library less often. Returns MPI's
/// error code; nothing where the devices were lost before, and our engine has to run it.
std::optional<int> run_on_nics(NicGroup& group, NicOperation& operation, const wait::Policy& policy);

/// How the report names a choice that offloads where our engine runs it; lives as long as the process.
const char* name_on_engine(const char* text);

} // namespace thalweg::mpi
