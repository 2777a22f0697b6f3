// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// How a communicator's group on network cards comes to be.
//
// All ranks ask for it in the same call. They tell each other in two rounds whether they have an agent, and
// whether it has taken them, so that all come to the same end. Where all know of an aggregator, they join
// groups with those of all leaves while these are asked. Only if one refuses, they join others and have a
// third round. All goes on in the background, as calls that do not block may ask for several groups in any
// order. Nor does anybody wait for an agent: a round begins once those that were asked have answered.

#include "base/assertion.hpp"
#include "mpi/comm/communicators.hpp"
#include "mpi/offload/nic_ballot.hpp"
#include "nic/agent_connection.hpp"
#include "nic/aggregated_tree.hpp"
#include "nic/card.hpp"
#include "nic/kernel_group.hpp"
#include "nic/lowering.hpp"
#include "strategies/implementation.hpp"

#include <array>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace thalweg::mpi {

/// What this rank asks agents for: its host's to name itself and then to take it into a group, and those that
/// aggregate for other hosts to take these. Nobody waits for an answer.
class NicAgents {
public:
  /// Has its host's agent name itself, and what it knows of the operator; `combiner` may be empty.
  void greet(const std::string& combiner) {
    agent_ = std::make_unique<nic::AgentConnection>();
    agent_->greet(combiner);
  }
  /// Has it take this rank into the group, as one of its ranks here: `ranks` are named by contributor.
  void join(const thalweg_nic_group& group, std::uint32_t local, std::vector<std::int32_t> ranks) {
    if (!agent_)
      agent_ = std::make_unique<nic::AgentConnection>();
    joining_.emplace(std::move(agent_), group, local, std::move(ranks));
  }
  /// Has the one at that address aggregate for the group.
  void enroll(std::uint32_t address, const thalweg_nic_group& group, std::vector<std::int32_t> ranks) {
    enrolling_.push_back(std::make_unique<nic::AgentConnection>());
    enrolling_.back()->enroll(address, group, std::move(ranks));
  }
  /// Nothing more is wanted of the host's own one, or of those that aggregate.
  void leave_own() {
    agent_.reset();
    joining_.reset();
  }
  void leave_aggregators() { enrolling_.clear(); }

  /// Looks for answers; true once nothing is asked any more. `greeted(agent)`, `joined(group)` and
  /// `enrolled(why_not)` hear each one; `failed(error)`, what went wrong with the host's own.
  template <typename Greeted, typename Joined, typename Enrolled, typename Failed>
  bool have_answered(Greeted greeted, Joined joined, Enrolled enrolled, Failed failed) {
    try {
      has_own_answer_ = has_own_answer_ || look_at_own(greeted, joined);
    } catch (const std::exception& error) {
      failed(error);
      has_own_answer_ = true;
    }
    std::erase_if(enrolling_, [&](const std::unique_ptr<nic::AgentConnection>& one) {
      const std::optional<std::string> answer = one->enrolled();
      if (answer)
        enrolled(*answer);
      return answer.has_value();
    });
    if (!has_own_answer_ || !enrolling_.empty())
      return false;
    has_own_answer_ = false;
    return true;
  }

  /// Where the host's own is about to answer; -1: it was not asked.
  int asked() const {
    return has_own_answer_ ? -1 : joining_ ? joining_->asked() : agent_ ? agent_->asked() : -1;
  }

private:
  template <typename Greeted, typename Joined>
  bool look_at_own(Greeted greeted, Joined joined) {
    if (joining_) {
      std::optional<nic::KernelGroup> group = joining_->look();
      if (!group)
        return false;
      joining_.reset();
      joined(std::move(*group));
    } else if (agent_) {
      if (!agent_->has_greeted())
        return false;
      greeted(*agent_);
    }
    return true;
  }

  std::unique_ptr<nic::AgentConnection> agent_;
  std::optional<nic::GroupRequest> joining_;
  std::vector<std::unique_ptr<nic::AgentConnection>> enrolling_;
  bool has_own_answer_ = false;
};

/// An operator of the program's own that a group combines all its words by (thalweg/nic.h).
struct GroupOperator {
  std::string name{};
  std::uint32_t words = 0; ///< of an element
  bool operator==(const GroupOperator&) const = default;
};

/// A group as its ranks know it before they have agents: the same on all but for `rank` and `view`.
struct NicShape {
  Rank rank = 0;
  Rank root = 0;
  bool relays = false; ///< broadcasts and scatters
  GroupOperator combiner;
  bool wants_aggregator = false;
  nic::ScheduleOf schedule_of;
  std::vector<std::int32_t> nodes;       ///< of all ranks
  std::vector<std::int32_t> leaves;      ///< of all ranks; all 0 where not known
  std::vector<std::int32_t> world_ranks; ///< of all ranks
  nic::HostView view;                    ///< its host's, without aggregators
  std::uint32_t levels = 0;              ///< of hosts' cards, from its own up to the root's; of broadcasts
  std::string why_none;                  ///< this rank cannot take part; empty: it can

  /// Of a strategy's schedule at that root.
  static NicShape of(const strategies::Scheduled& scheduled, Rank root, GroupOperator combiner,
                     CommunicatorState& communicator);

  std::int32_t ranks() const { return static_cast<std::int32_t>(nodes.size()); }
  std::int32_t leaf_count() const;
  /// By contributor, as agents name them; -1 for a card without ranks.
  std::vector<std::int32_t> names_in(const nic::HostView& of) const;
  nic::AggregatedTree tree(bool has_spine) const { return {schedule_of, nodes, leaves, relays, has_spine}; }
};

class NicJoining {
public:
  /// `tags` are for it alone; the endpoint outlives it.
  NicJoining(NicShape shape, control::Endpoint& endpoint, engine::Tags tags);

  enum class State : std::uint8_t { open, moved, joined, refused };
  /// Goes on without waiting. Joined or refused is the same on all ranks, and comes once a round. Throws what
  /// the transport throws.
  State progress();
  /// Of all ranks; for who has refused.
  const std::string& why_refused() const { return why_refused_; }

  /// One more round of those that have joined: how many blocking calls each has begun.
  void share_call_count(std::uint32_t calls);
  std::uint32_t largest_call_count() const;

  /// What came out; of broadcasts and scatters the relay.
  std::unique_ptr<nic::Card> take_card() { return std::move(card_); }
  std::unique_ptr<nic::RelayCard> take_relay_card() { return std::move(relay_card_); }
  /// Cards between the root and the rank that is farthest below it.
  std::uint32_t farthest_levels() const;
  /// For people: the aggregators, if any.
  std::string joined_by() const;

  /// Where this host's agent is about to answer; -1: it was not asked.
  int asked_agent() const { return is_asking_ ? agents_.asked() : -1; }

  const NicShape& shape() const { return shape_; }

private:
  /// What ranks tell each other. Without a reason all is well.
  struct Word {
    std::array<char, 152> reason{};
    bool is_aggregators = false; ///< the reason: all can do without it
    std::uint32_t address = 0;
    std::uint32_t aggregator = 0;
    std::uint32_t spine = 0;
    std::uint32_t calls = 0; ///< blocking ones so far
    std::uint32_t levels = 0;
    std::uint32_t id = 0;
    std::uint64_t key = 0;
    std::uint64_t operator_digest = 0; ///< 0: of no operator
  };
  const std::vector<Word>& words() const { return ballot_.words(); }
  Word& own() { return ballot_.own(); }

  void find_agent();
  void take_greeting(nic::AgentConnection& agent);
  void fail(const std::exception& error);
  bool has_answers();
  /// What follows a round.
  State go_on();
  void join_all();
  void ask_to_join();
  /// Of ranks that have aggregators asked: begins that.
  void ask_aggregators();
  void ask_aggregator(std::uint32_t address, const nic::HostView& view);
  void set_aggregators_reason(std::string_view reason);
  void enter(nic::KernelGroup joined);
  /// Whether all hosts have an aggregator, those of a leaf the same; and one above all, or 0.
  bool are_aggregators_agreed() const;
  std::uint32_t agreed_spine() const;
  std::uint32_t address_of(Rank card) const;
  thalweg_nic_group group_of(const nic::HostView& view) const;
  /// Of the first rank that has one; or that of the aggregator.
  std::string objection(bool is_aggregators) const;
  /// Where the agent of some rank has another version of the operator than that of the first one.
  std::string difference() const;

  NicShape shape_;
  NicBallot<Word> ballot_;
  NicAgents agents_;
  bool is_asking_ = false; ///< agents, and the round begins when they have answered
  std::uint32_t times_joined_ = 0;
  bool has_aggregators_ = false;
  std::uint32_t spine_ = 0; ///< 0: none
  std::unique_ptr<nic::Card> card_;
  std::unique_ptr<nic::RelayCard> relay_card_;
  std::string why_refused_;
};

} // namespace thalweg::mpi
