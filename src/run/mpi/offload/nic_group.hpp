// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A communicator's group on the hosts' network devices (room nic), from when it is asked for until it ends.

#include <array>
#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "mpi/comm/communicators.hpp"
#include "mpi/offload/nic_arrivals.hpp"
#include "mpi/offload/nic_recovery.hpp"
#include "mpi/offload/nic_round.hpp"
#include "nic/agent_connection.hpp"
#include "nic/aggregating.hpp"
#include "nic/card.hpp"
#include "nic/joining.hpp"
#include "nic/lowering.hpp"
#include "nic/member.hpp"
#include "nic/relay_member.hpp"
#include "strategies/implementation.hpp"
#include "transport/batch.hpp"
#include "wait/policy.hpp"

namespace thalweg::mpi {

// An operator of the program's own that a group combines all its words by (thalweg/nic.h).
struct GroupOperator {
  std::string name{};
  std::uint32_t words = 0; // of an element
  bool operator==(const GroupOperator&) const = default;
};

// All ranks ask for it in the same call. They tell each other in two rounds whether they have an agent, and
// whether it has taken them, so that all come to the same end. Where all know of an aggregator, they join
// groups with those of all leaves while these are asked. Only if one refuses, they join others and have a
// third round. All goes on in the background, as calls that do not block may ask for several groups in any
// order. Nor does anybody wait for an agent: a round begins once those that were asked have answered.
//
// On the world, the first blocking call waits for all that. Programs make other communicators for a few
// calls, so there the first calls are our engine's, and those after them too while the group is made. Then
// ranks tell each other how far they are, and go over to the devices with a call that none can have come to.
class NicGroup : public std::enable_shared_from_this<NicGroup> {
public:
  // The group of a strategy's schedule at that root; without a name, `combiner` is none. `tags` are for it
  // alone, for good. It outlives the communicator.
  NicGroup(const strategies::Scheduled& scheduled, Rank root, GroupOperator combiner,
           CommunicatorState& communicator, std::shared_ptr<transport::Transport> transport,
           engine::Tags tags);

  // A blocking call begins. Whether it is for the devices, the same on all ranks, or whether that has to be
  // waited for.
  enum class Place : std::uint8_t { engine, devices, unknown };
  Place begin_blocking();
  Place place_of_call() const;
  // Whether later calls of that kind may be for the devices.
  bool may_change() const { return !is_settled() || is_on_nics(); }

  // Goes on without waiting; reached once it is known how it ends. Throws what the transport throws.
  wait::Look settle();
  // Where this host's agent is about to answer; -1: it was not asked. Another thread may close it meanwhile.
  int asked_agent();
  bool is_settled() const { return is_settled_.load(std::memory_order_acquire); }
  // Once it is settled: whether devices run the calls, or our engine must, the same on all ranks.
  bool is_on_nics() const { return member_ != nullptr || relay_ != nullptr; }
  // Who brings an operation to its end, and whether it is the engine only from some operation on.
  NicRecovery::Runner runner_of(std::uint32_t epoch) const {
    return is_on_nics() ? recovery_->runner_of(epoch) : NicRecovery::Runner::engine;
  }
  bool is_lost() const { return is_on_nics() && recovery_->is_lost(); }
  // Then one of these is there: of broadcasts and scatters the relay.
  nic::Member* member() const { return member_.get(); }
  nic::RelayMember* relay() const { return relay_.get(); }
  Rank rank() const { return rank_; }
  // Notes who came last to a call of that function: a rank that devices count from 1 on, or none.
  // `waited_us`: how long the first one waited.
  void note_last(const char* function, std::uint32_t counted, std::uint32_t waited_us) {
    if (counted - 1 >= last_.size()) // where this process has nothing to tell, all are
      return;
    std::atomic<LastArrivals*>& known = last_[counted - 1];
    LastArrivals* last = known.load(std::memory_order_relaxed);
    if (last == nullptr || last->function != function)
      known.store(last = &last_arrivals(function, world_ranks_[counted - 1]), std::memory_order_relaxed);
    last->note(waited_us);
  }
  // The number of the group's next operation, and of so many together: in the order of calls, which is the
  // same on all ranks.
  std::uint32_t next_epoch() const { return begun_.load(std::memory_order_relaxed) + 1; }
  std::uint32_t begin_epochs(std::uint32_t count) {
    return begun_.fetch_add(count, std::memory_order_seq_cst) + 1;
  }
  // Then: what becomes of operations where the devices are lost.
  NicRecovery& recovery() const { return *recovery_; }

private:
  // What ranks tell each other. Without a reason all is well.
  struct Word {
    std::array<char, 152> reason{};
    bool is_aggregators = false; // the reason: all can do without it
    std::uint32_t address = 0;
    std::uint32_t aggregator = 0;
    std::uint32_t spine = 0;
    std::uint32_t calls = 0;  // blocking ones so far
    std::uint32_t levels = 0; // of hosts' cards, from its own up to the root's
    std::uint32_t id = 0;
    std::uint64_t key = 0;
    std::uint64_t operator_digest = 0; // 0: of no operator
  };
  void begin_round();
  void agree_on_change();
  void find_agent();
  void take_greeting();
  void fail(const std::exception& error);
  // Whether all hosts have an aggregator, those of a leaf the same; and one above all, or 0.
  bool are_aggregators_agreed() const;
  std::uint32_t agreed_spine() const;
  // Of ranks that have aggregators asked: begins that.
  void ask_aggregators();
  void ask_aggregator(std::uint32_t address, const nic::HostView& view);
  // Whether all agents have answered what they were asked; begins the round then.
  bool has_answers();
  bool has_own_answer();
  nic::AggregatedTree tree() const { return {schedule_of_, nodes_, leaves_, relays_, spine_ != 0}; }
  std::uint32_t address_of(Rank card) const;
  void set_aggregators_reason(std::string_view reason);
  nic::HostView view() const;
  void ask_to_join();
  void enter(nic::KernelGroup joined);
  void join_all();
  // Where the agent of some rank has another version of the operator than that of the first one.
  std::string difference() const;
  // Of the first rank that has one; or that of the aggregator.
  std::string objection(bool is_aggregators) const;
  // What follows a round.
  void go_on();
  std::uint32_t levels_above() const;
  void begin_calls();
  std::string joined_by() const;
  void settled(std::string note);
  thalweg_nic_group group_of(const nic::HostView& view) const;

  Rank rank_;
  Rank root_;
  bool relays_; // broadcasts and scatters
  GroupOperator combiner_;
  bool wants_aggregator_;
  std::shared_ptr<transport::Transport> transport_;
  engine::Tags tags_;
  nic::ScheduleOf schedule_of_;
  std::vector<std::int32_t> nodes_;  // of all ranks
  std::vector<std::int32_t> leaves_; // all 0 where not known
  nic::HostView view_;
  std::vector<std::int32_t> world_ranks_;        // of all ranks
  std::vector<std::atomic<LastArrivals*>> last_; // of all ranks, where this process writes the report
  std::unique_ptr<engine::Plan> plan_;
  std::unique_ptr<NicRound> round_;
  std::uint32_t times_joined_ = 0;
  bool has_aggregators_ = false;
  std::uint32_t spine_ = 0; // 0: none
  Word own_;
  std::vector<Word> words_;
  bool is_asking_ = false; // agents, and the round begins when they have answered
  bool has_own_answer_ = false;
  std::unique_ptr<nic::AgentConnection> agent_;
  std::optional<nic::Joining> joining_;
  std::vector<std::unique_ptr<nic::AgentConnection>> enrolling_;
  std::unique_ptr<nic::Card> card_;
  std::unique_ptr<nic::RelayCard> relay_card_;
  std::unique_ptr<nic::Member> member_;
  std::unique_ptr<nic::RelayMember> relay_;
  std::atomic<std::uint32_t> begun_ = 0; // operations
  bool is_awaited_;                      // by the first blocking call
  bool is_watched_ = false;
  bool is_changing_ = false;
  std::atomic<std::uint32_t> calls_ = 0; // blocking ones, on whatever
  // The last one that may be our engine's while it is not known which is the last that is.
  std::atomic<std::uint32_t> last_alone_ = ~0U;
  std::atomic<std::uint32_t> last_on_engine_ = 0; // once it is settled
  std::unique_ptr<NicRecovery> recovery_;
  std::mutex mutex_;
  std::atomic<bool> is_settled_ = false;
};

} // namespace thalweg::mpi
