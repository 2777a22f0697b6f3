// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/offload/nic_group.hpp"

#include <algorithm>
#include <exception>
#include <fmt/format.h>
#include <map>
#include <random>
#include <set>
#include <string_view>

#include "base/error.hpp"
#include "mpi/offload/nic_notes.hpp"
#include "mpi/state/runtime.hpp"
#include "nic/address.hpp"
#include "nic/datagram.hpp"
#include "nic/kernel_card.hpp"
#include "nic/kernel_relay.hpp"
#include "schedule/buffers.hpp"
#include "strategies/host_tree.hpp"

namespace thalweg::mpi {

namespace {

// On its way down alone, a message is kept by the cards.
bool is_relayed(schedule::Operation operation) {
  return operation == schedule::Operation::broadcast || operation == schedule::Operation::scatter;
}

// A packet with a whole segment, and all that is before it.
constexpr std::uint32_t mtu_of_broadcasts =
    THALWEG_NIC_SEGMENT_BYTES + sizeof(nic::PartHead) + 8 + 20; // UDP, IP

nic::ScheduleOf schedules_of(const strategies::Scheduled& scheduled, Rank root,
                             CommunicatorState& communicator) {
  schedule::Problem problem;
  problem.operation = scheduled.strategy().operation;
  problem.ranks = communicator.size;
  problem.root = root;
  problem.parameters = scheduled.parameters();
  communicator.put_places_into(problem);
  return [&strategy = scheduled.strategy(), problem = std::move(problem)](Rank rank) {
    return strategies::build(strategy, problem, rank);
  };
}

void check_contributors(const nic::HostView& view, std::string_view whose) {
  if (view.contributors() > THALWEG_NIC_CONTRIBUTORS)
    throw Error(fmt::format("{} has {} ranks and cards below it", whose, view.contributors()),
                fmt::format("{} are possible: choose a smaller radix", int{THALWEG_NIC_CONTRIBUTORS}));
}

std::int32_t world_rank(Rank rank, const CommunicatorState& communicator) {
  const std::int32_t world = communicator.world_rank_of(rank);
  return world >= 0 ? world : rank;
}

// By contributor, as agents name them; -1 for a card without ranks.
std::vector<std::int32_t> names_in(const nic::HostView& view, const std::vector<std::int32_t>& world_ranks) {
  std::vector<std::int32_t> ranks;
  for (std::int32_t contributor = 0; contributor < view.contributors(); ++contributor) {
    const Rank rank = view.rank_of(contributor);
    ranks.push_back(rank < 0 ? -1 : world_ranks[static_cast<std::size_t>(rank)]);
  }
  return ranks;
}

bool wants_aggregator(const strategies::Scheduled& scheduled) {
  const schedule::Parameters& all = scheduled.parameters();
  return std::ranges::find(
             all, std::pair{std::string(strategies::host_tree_where().name), std::int64_t{0}}) != all.end();
}

template <std::size_t size>
void set_reason(std::array<char, size>& reason, const std::exception& error) {
  const std::string_view text = error.what();
  reason = {};
  text.copy(reason.data(), reason.size() - 1);
}

} // namespace

NicGroup::NicGroup(const strategies::Scheduled& scheduled, Rank root, GroupOperator combiner,
                   CommunicatorState& communicator, std::shared_ptr<transport::Transport> transport,
                   engine::Tags tags)
    : rank_(communicator.rank), root_(root), relays_(is_relayed(scheduled.strategy().operation)),
      combiner_(std::move(combiner)), wants_aggregator_(wants_aggregator(scheduled)),
      transport_(std::move(transport)), tags_(tags), words_(static_cast<std::size_t>(communicator.size)),
      is_awaited_(communicator.handle == runtime.world.communicator) {
  if (communicator.node_count() <= 1) {
    settled("collectives for network devices are run by our engine: all ranks are on one host");
    return;
  }
  if (tags_.count == 0) {
    settled("collectives for network devices are run by our engine: more groups than there are tags for");
    return;
  }
  if (runtime.world.rank == 0)
    last_ = std::vector<std::atomic<LastArrivals*>>(static_cast<std::size_t>(communicator.size));
  for (Rank rank = 0; rank < communicator.size; ++rank)
    world_ranks_.push_back(world_rank(rank, communicator));
  plan_ = plan_of_round(communicator.size, rank_, sizeof(Word));
  nodes_ = communicator.nodes();
  leaves_ = communicator.leaves();
  leaves_.resize(nodes_.size());
  try {
    schedule_of_ = schedules_of(scheduled, root, communicator);
    view_ = nic::lower(schedule_of_, nodes_, rank_);
    check_contributors(view_, "a host");
    own_.levels = relays_ ? levels_above() : 0;
  } catch (const std::exception& error) {
    set_reason(own_.reason, error);
  }
}

void NicGroup::begin_round() {
  round_ = std::make_unique<NicRound>(*plan_, *transport_);
  round_->execution.start({.input = reinterpret_cast<std::byte*>(&own_),
                           .output = reinterpret_cast<std::byte*>(words_.data()),
                           .scratch = round_->scratch.data(),
                           .staging = round_->staging.data()},
                          tags_, nullptr);
}

void NicGroup::find_agent() {
  is_asking_ = true;
  if (own_.reason.front() != 0)
    return;
  try {
    agent_ = std::make_unique<nic::AgentConnection>();
    agent_->greet(combiner_.name);
  } catch (const std::exception& error) {
    fail(error);
  }
}

void NicGroup::take_greeting() {
  if (relays_ && agent_->mtu() < mtu_of_broadcasts)
    throw Error(fmt::format("the device's MTU is {}, and messages down a tree need {}", agent_->mtu(),
                            mtu_of_broadcasts),
                "give the device a larger one, on all hosts", thalweg_error_system);
  if (!combiner_.name.empty())
    own_.operator_digest = agent_->operator_digest(combiner_.name, combiner_.words);
  own_.address = agent_->address();
  own_.aggregator = wants_aggregator_ ? agent_->aggregator() : 0;
  own_.spine = agent_->spine();
  std::random_device random;
  own_.id = random();
  own_.key = std::uint64_t{random()} << 32 | random();
}

// What this rank has to tell then matters more than what became of an aggregator.
void NicGroup::fail(const std::exception& error) {
  agent_.reset();
  joining_.reset();
  own_.is_aggregators = false;
  set_reason(own_.reason, error);
}

// Agents may have been started anew since ranks were told where they are.
bool NicGroup::are_aggregators_agreed() const {
  std::map<std::int32_t, std::uint32_t> of_leaves;
  std::set<std::uint32_t> different;
  for (std::size_t rank = 0; rank < words_.size(); ++rank) {
    const std::uint32_t named = words_[rank].aggregator;
    if (named == 0 || of_leaves.try_emplace(leaves_[rank], named).first->second != named)
      return false;
    different.insert(named);
  }
  return different.size() == of_leaves.size();
}

std::uint32_t NicGroup::agreed_spine() const {
  const auto named = [this](const Word& word) { return word.spine == words_.front().spine; };
  const bool is_one_leaf = std::ranges::max(leaves_) == 0;
  return !is_one_leaf && std::ranges::all_of(words_, named) ? words_.front().spine : 0;
}

// Where joining fails too, that matters more.
void NicGroup::set_aggregators_reason(std::string_view reason) {
  if (reason.empty() || own_.reason.front() != 0)
    return;
  reason.copy(own_.reason.data(), own_.reason.size() - 1);
  own_.is_aggregators = true;
}

void NicGroup::ask_aggregator(std::uint32_t address, const nic::HostView& view) {
  check_contributors(view, "an aggregator");
  enrolling_.push_back(std::make_unique<nic::AgentConnection>());
  enrolling_.back()->enroll(address, group_of(view), names_in(view, world_ranks_));
}

void NicGroup::ask_aggregators() {
  try {
    const nic::AggregatedTree all = tree();
    if (all.leader(rank_) != rank_)
      return;
    const Rank leaf = nic::aggregator_of(leaves_[static_cast<std::size_t>(rank_)]);
    ask_aggregator(address_of(leaf), all.leaf(leaf));
    if (spine_ != 0 && view_.is_root())
      ask_aggregator(spine_, all.top());
  } catch (const std::exception& error) {
    enrolling_.clear();
    set_aggregators_reason(error.what());
  }
}

bool NicGroup::has_own_answer() {
  try {
    if (joining_) {
      std::optional<nic::KernelGroup> joined = joining_->look();
      if (!joined)
        return false;
      joining_.reset();
      enter(std::move(*joined));
    } else if (agent_) {
      if (!agent_->has_greeted())
        return false;
      take_greeting();
    }
  } catch (const std::exception& error) {
    fail(error);
  }
  return true;
}

bool NicGroup::has_answers() {
  has_own_answer_ = has_own_answer_ || has_own_answer();
  std::erase_if(enrolling_, [this](const std::unique_ptr<nic::AgentConnection>& one) {
    const std::optional<std::string> answer = one->enrolled();
    set_aggregators_reason(answer.value_or(""));
    return answer.has_value();
  });
  if (!has_own_answer_ || !enrolling_.empty())
    return false;
  is_asking_ = has_own_answer_ = false;
  begin_round();
  return true;
}

nic::HostView NicGroup::view() const {
  return has_aggregators_ ? tree().host(rank_) : view_;
}

std::uint32_t NicGroup::address_of(Rank card) const {
  if (card == nic::spine)
    return spine_;
  if (card >= 0)
    return words_[static_cast<std::size_t>(card)].address;
  const auto on_leaf = std::ranges::find(leaves_, card, &nic::aggregator_of) - leaves_.begin();
  return words_[static_cast<std::size_t>(on_leaf)].aggregator;
}

thalweg_nic_group NicGroup::group_of(const nic::HostView& view) const {
  const auto place_at = [&](Rank card) {
    return thalweg_nic_place{address_of(card), thalweg_nic_order16(THALWEG_NIC_PORT), 0};
  };
  thalweg_nic_group group{};
  group.segment_bytes = relays_ ? THALWEG_NIC_SEGMENT_BYTES : 0;
  group.operator_digest = own_.operator_digest;
  group.id = words_.front().id + times_joined_; // agents know the one before for a while
  group.key = words_.front().key;
  group.locals = static_cast<std::uint16_t>(view.locals.size());
  group.contributors = static_cast<std::uint16_t>(view.contributors());
  for (std::size_t below = 0; below < view.below.size(); ++below)
    group.below[view.locals.size() + below] = place_at(view.below[below]);
  if (view.is_root())
    return group;
  group.has_parent = 1;
  group.own = static_cast<std::uint16_t>(view.number_above);
  group.parent = place_at(view.parent);
  return group;
}

void NicGroup::ask_to_join() {
  try {
    if (!agent_)
      agent_ = std::make_unique<nic::AgentConnection>();
    const nic::HostView joins = view();
    const auto local = static_cast<std::uint32_t>(joins.own_number);
    joining_.emplace(std::move(agent_), group_of(joins), local, names_in(joins, world_ranks_));
  } catch (const std::exception& error) {
    fail(error);
  }
}

void NicGroup::enter(nic::KernelGroup joined) {
  if (relays_)
    relay_card_ = std::make_unique<nic::KernelRelay>(std::move(joined));
  else
    card_ = std::make_unique<nic::KernelCard>(std::move(joined));
}

// Where our engine runs the calls, the agent gets back what it gave.
void NicGroup::settled(std::string note) {
  note_nic(note);
  round_.reset();
  agent_.reset();
  card_.reset();
  relay_card_.reset();
  is_settled_.store(true, std::memory_order_release);
}

std::string NicGroup::objection(bool is_aggregators) const {
  for (std::size_t rank = 0; rank < words_.size(); ++rank)
    if (words_[rank].reason.front() != 0 && words_[rank].is_aggregators == is_aggregators)
      return fmt::format("rank {}: {}", rank, words_[rank].reason.data());
  return {};
}

std::string NicGroup::difference() const {
  for (std::size_t rank = 1; rank < words_.size(); ++rank)
    if (words_[rank].operator_digest != words_.front().operator_digest)
      return fmt::format("rank {}: its agent has another version of the operator {} than that of rank 0",
                         rank, combiner_.name);
  return {};
}

int NicGroup::asked_agent() {
  const std::scoped_lock lock(mutex_);
  if (!is_asking_ || has_own_answer_)
    return -1;
  return joining_ ? joining_->asked() : agent_ ? agent_->asked() : -1;
}

wait::Look NicGroup::settle() {
  if (is_settled())
    return wait::Look::reached;
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock() || is_settled())
    return is_settled() ? wait::Look::reached : wait::Look::nothing;
  if (!round_ && !is_asking_)
    find_agent();
  const bool was_asking = is_asking_;
  if (is_asking_ && !has_answers())
    return wait::Look::nothing;
  if (!round_->execution.progress())
    return was_asking ? wait::Look::moved : wait::Look::nothing;
  go_on();
  return is_settled() ? wait::Look::reached : wait::Look::moved;
}

void NicGroup::go_on() {
  std::string why_not = objection(false);
  if (why_not.empty())
    why_not = difference();
  if (!why_not.empty()) {
    settled(fmt::format("collectives for network devices are run by our engine: {}", why_not));
  } else if (times_joined_ == 0) {
    has_aggregators_ = are_aggregators_agreed();
    if (!has_aggregators_ && std::ranges::find(words_, 0U, &Word::aggregator) == words_.end())
      note_nic("no aggregator joins the hosts: when MPI began, agents named others or none yet");
    spine_ = has_aggregators_ ? agreed_spine() : 0;
    join_all();
  } else if (const std::string why_alone = objection(true); !why_alone.empty()) {
    note_nic(fmt::format("no aggregator joins the hosts: {}", why_alone));
    has_aggregators_ = false;
    own_.reason = {};
    own_.is_aggregators = false;
    card_.reset();
    relay_card_.reset();
    join_all();
  } else if (!is_awaited_ && !is_changing_) {
    agree_on_change();
  } else {
    begin_calls();
  }
}

void NicGroup::join_all() {
  ++times_joined_;
  is_asking_ = true;
  if (has_aggregators_)
    ask_aggregators();
  ask_to_join();
}

} // namespace thalweg::mpi
