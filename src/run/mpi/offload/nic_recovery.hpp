// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What a group on network devices does when these are lost amid its calls: an agent was stopped, and its
// programs are gone. All ranks are still there, and messages reach them.
//
// Each rank gives the devices up as soon as it hears of it, and tells all others how many calls it has begun,
// and which of them are complete for it. So all know the last call that any rank has begun. That one and
// those before it are brought to their end by messages, in their order. What some rank has got from its
// device, it gives the others: a device keeps a result until all ranks have it. What came out nowhere is made
// from what all ranks bring. A broadcast's root has kept its messages. Calls behind that one are our
// engine's.
//
// A rank that has its results, and goes on, is still needed. So groups are looked after in all calls of MPI
// (nic_watch.hpp), and they end in the same way where nothing was lost.

#include "mpi/offload/nic_ballot.hpp"
#include "nic/lowering.hpp"
#include "nic/member.hpp"
#include "nic/tree_result.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace thalweg::mpi {

/// A group as it was agreed on. One of the members is there.
struct AgreedGroup {
  Rank rank = 0;
  Rank root = 0; ///< of broadcasts and scatters
  std::int32_t ranks = 0;
  control::Endpoint& endpoint; ///< outlives the group's recovery
  engine::Tags tags;           ///< for it alone, as long as the group is there
  nic::ScheduleOf schedule_of;
  std::vector<std::int32_t> nodes; ///< of all ranks
  nic::Member* member = nullptr;
  nic::RelayMember* relay = nullptr;
};

class NicRecovery {
public:
  /// `begun`: the group's operations so far.
  NicRecovery(AgreedGroup group, const std::atomic<std::uint32_t>& begun);

  /// Whether the devices were given up here. Asked behind the beginning of an operation: where they were not,
  /// all ranks count it among those that belong to the group.
  bool is_lost() const { return is_lost_.load(std::memory_order_seq_cst); }
  enum class Runner : std::uint8_t { group, engine, unknown };
  /// Who brings an operation to its end, by its number; unknown until all ranks have been heard.
  Runner runner_of(std::uint32_t epoch) const;

  /// Looks whether the devices are lost, or goes on with what is to be done then. True once nothing more is.
  /// Throws what the transport throws.
  bool progress();
  /// This rank begins no more operations.
  void close();

  /// Once they are lost, of operations that are the group's: brings one to its end. False while it has none.
  bool ends(nic::MemberOperation& operation, const nic::ElementOperator& by);
  bool ends(nic::MemberBroadcast& broadcast);
  /// Takes what this rank brings to one whose result it does not want.
  bool takes(const nic::MemberOperation& operation);

private:
  struct Word {
    std::array<char, 120> reason{}; ///< empty: it has only closed the group
    nic::WindowEpochs satisfied{};
    std::uint32_t begun = 0;
  };
  struct EpochWord {
    nic::Knowledge known = nic::Knowledge::nothing;
    thalweg_nic_content content{};
  };

  void give_up(const std::string& reason);
  void hear_all();
  bool go_on();
  bool has_own_word();
  void take_epoch();
  const std::vector<Word>& words() const { return ballot_->words(); }
  void count_messages();
  bool send_messages();
  bool lacks(Rank rank, std::uint32_t epoch) const;

  AgreedGroup group_;
  const std::atomic<std::uint32_t>& begun_;
  std::mutex mutex_;
  std::atomic<bool> is_lost_ = false;
  std::atomic<bool> is_limit_known_ = false;
  bool is_over_ = false;
  std::uint32_t limit_ = 0;               ///< the last epoch that is the group's
  std::uint32_t next_ = 0;                ///< the first one that is not complete
  std::optional<NicBallot<Word>> ballot_; ///< once the cards are lost
  /// Of groups that gather.
  std::optional<NicBallot<EpochWord>> epochs_ballot_; ///< one epoch after the other
  std::map<std::uint32_t, thalweg_nic_content> brought_;
  std::map<std::uint32_t, std::vector<thalweg_nic_content>> results_; ///< one alone is the result
  /// Of broadcasts: messages are numbered, the root's by epoch and rank.
  std::unique_ptr<transport::Batch> batch_;
  std::uint32_t first_ = 0;
  std::uint32_t messages_ = 0;
  std::uint32_t begun_messages_ = 0;
  std::uint32_t ended_messages_ = 0;
  std::map<std::uint32_t, std::vector<std::byte>> given_; ///< by epoch
  std::map<std::uint32_t, bool> received_;                ///< by epoch, from when it is awaited
  std::vector<std::uint32_t> epochs_;                     ///< by message
};

} // namespace thalweg::mpi
