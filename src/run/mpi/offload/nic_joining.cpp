// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/offload/nic_joining.hpp"

#include "base/assertion.hpp"
#include "base/error.hpp"
#include "mpi/offload/nic_watch.hpp"
#include "nic/datagram.hpp"
#include "nic/kernel_card.hpp"
#include "nic/readable.hpp"
#include "strategies/host_tree.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <random>
#include <set>

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
  communicator.group().put_places_into(problem);
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

bool wants_aggregator(const strategies::Scheduled& scheduled) {
  const schedule::Parameters& all = scheduled.parameters();
  return std::ranges::find(
             all, std::pair{std::string(strategies::host_tree_where().name), std::int64_t{0}}) != all.end();
}

std::uint32_t levels_above(const NicShape& shape) {
  std::uint32_t levels = 1;
  for (nic::HostView view = shape.view; !view.is_root();
       view = nic::lower(shape.schedule_of, shape.nodes, view.parent))
    ++levels;
  return levels;
}

template <std::size_t size>
void set_reason(std::array<char, size>& reason, std::string_view text) {
  reason = {};
  text.copy(reason.data(), reason.size() - 1);
}

} // namespace

NicShape NicShape::of(const strategies::Scheduled& scheduled, Rank root, GroupOperator combiner,
                      CommunicatorState& communicator) {
  NicShape shape;
  shape.rank = communicator.rank;
  shape.root = root;
  shape.relays = is_relayed(scheduled.strategy().operation);
  shape.combiner = std::move(combiner);
  shape.wants_aggregator = mpi::wants_aggregator(scheduled);
  const job::GroupPlaces& places = communicator.group().places();
  shape.nodes = *places.nodes;
  if (places.leaves)
    shape.leaves = *places.leaves;
  shape.leaves.resize(shape.nodes.size());
  for (Rank rank = 0; rank < communicator.size; ++rank)
    shape.world_ranks.push_back(world_rank(rank, communicator));
  try {
    shape.schedule_of = schedules_of(scheduled, root, communicator);
    shape.view = nic::lower(shape.schedule_of, shape.nodes, shape.rank);
    check_contributors(shape.view, "a host");
    shape.levels = shape.relays ? levels_above(shape) : 0;
  } catch (const std::exception& error) {
    shape.why_none = error.what();
  }
  return shape;
}

std::int32_t NicShape::leaf_count() const {
  return 1 + std::ranges::max(leaves);
}

std::vector<std::int32_t> NicShape::names_in(const nic::HostView& of) const {
  std::vector<std::int32_t> ranks;
  for (std::int32_t contributor = 0; contributor < of.contributors(); ++contributor) {
    const Rank rank_of = of.rank_of(contributor);
    ranks.push_back(rank_of < 0 ? -1 : world_ranks[static_cast<std::size_t>(rank_of)]);
  }
  return ranks;
}

NicJoining::NicJoining(NicShape shape, control::Endpoint& endpoint, engine::Tags tags)
    : shape_(std::move(shape)), ballot_(endpoint, tags) {
  set_reason(own().reason, shape_.why_none);
  own().levels = shape_.levels;
}

NicJoining::State NicJoining::progress() {
  THALWEG_ASSERT(light, words().size() == shape_.nodes.size());
  if (!ballot_.is_open() && !is_asking_)
    find_agent();
  const bool was_asking = is_asking_;
  if (is_asking_ && !has_answers())
    return State::open;
  if (!ballot_.has_heard_all())
    return was_asking ? State::moved : State::open;
  return go_on();
}

void NicJoining::share_call_count(std::uint32_t calls) {
  own().calls = calls;
  ballot_.begin();
}

std::uint32_t NicJoining::largest_call_count() const {
  return std::ranges::max(words(), {}, &Word::calls).calls;
}

std::uint32_t NicJoining::farthest_levels() const {
  constexpr std::uint32_t levels_of_aggregators = 3; // a leaf, the spine, another leaf
  return std::ranges::max(words(), {}, &Word::levels).levels + (has_aggregators_ ? levels_of_aggregators : 0);
}

std::string NicJoining::joined_by() const {
  if (!has_aggregators_)
    return {};
  const std::int32_t leaves = shape_.leaf_count();
  if (leaves == 1)
    return fmt::format(", joined by that of {}", nic::address_text(words().front().aggregator));
  const std::string above = spine_ == 0 ? "" : fmt::format(" and by that of {}", nic::address_text(spine_));
  return fmt::format(", joined by those of {} switches{}", leaves, above);
}

// --- agents ---

void NicJoining::find_agent() {
  is_asking_ = true;
  if (own().reason.front() != 0)
    return;
  try {
    agents_.greet(shape_.combiner.name);
  } catch (const std::exception& error) {
    fail(error);
  }
}

void NicJoining::take_greeting(nic::AgentConnection& agent) {
  if (shape_.relays && agent.mtu() < mtu_of_broadcasts)
    throw Error(fmt::format("the device's MTU is {}, and messages down a tree need {}", agent.mtu(),
                            mtu_of_broadcasts),
                "give the device a larger one, on all hosts", thalweg_error_system);
  if (!shape_.combiner.name.empty())
    own().operator_digest = agent.operator_digest(shape_.combiner.name, shape_.combiner.words);
  own().address = agent.address();
  own().aggregator = shape_.wants_aggregator ? agent.aggregator() : 0;
  own().spine = agent.spine();
  std::random_device random;
  own().id = random();
  own().key = std::uint64_t{random()} << 32 | random();
}

// What this rank has to tell then matters more than what became of an aggregator.
void NicJoining::fail(const std::exception& error) {
  agents_.leave_own();
  own().is_aggregators = false;
  set_reason(own().reason, error.what());
}

bool NicJoining::has_answers() {
  const bool all =
      agents_.have_answered([this](nic::AgentConnection& agent) { take_greeting(agent); },
                            [this](nic::KernelGroup joined) { enter(std::move(joined)); },
                            [this](const std::string& why_not) { set_aggregators_reason(why_not); },
                            [this](const std::exception& error) { fail(error); });
  if (all) {
    is_asking_ = false;
    ballot_.begin();
  }
  return all;
}

void NicJoining::enter(nic::KernelGroup joined) {
  THALWEG_ASSERT(light, card_ == nullptr && relay_card_ == nullptr);
  if (shape_.relays)
    relay_card_ = std::make_unique<nic::KernelRelay>(std::move(joined));
  else
    card_ = std::make_unique<nic::KernelCard>(std::move(joined));
}

// Where joining fails too, that matters more.
void NicJoining::set_aggregators_reason(std::string_view reason) {
  if (reason.empty() || own().reason.front() != 0)
    return;
  set_reason(own().reason, reason);
  own().is_aggregators = true;
}

void NicJoining::join_all() {
  THALWEG_ASSERT(light, !is_asking_ && times_joined_ < 2);
  ++times_joined_;
  is_asking_ = true;
  if (has_aggregators_)
    ask_aggregators();
  ask_to_join();
}

void NicJoining::ask_to_join() {
  try {
    const nic::HostView joins = has_aggregators_ ? shape_.tree(spine_ != 0).host(shape_.rank) : shape_.view;
    agents_.join(group_of(joins), static_cast<std::uint32_t>(joins.own_number), shape_.names_in(joins));
  } catch (const std::exception& error) {
    fail(error);
  }
}

void NicJoining::ask_aggregator(std::uint32_t address, const nic::HostView& view) {
  check_contributors(view, "an aggregator");
  agents_.enroll(address, group_of(view), shape_.names_in(view));
}

void NicJoining::ask_aggregators() {
  try {
    const nic::AggregatedTree all = shape_.tree(spine_ != 0);
    if (all.leader(shape_.rank) != shape_.rank)
      return;
    const Rank leaf = nic::aggregator_of(shape_.leaves[static_cast<std::size_t>(shape_.rank)]);
    ask_aggregator(address_of(leaf), all.leaf(leaf));
    if (spine_ != 0 && shape_.view.is_root())
      ask_aggregator(spine_, all.top());
  } catch (const std::exception& error) {
    agents_.leave_aggregators();
    set_aggregators_reason(error.what());
  }
}

// --- what the words say ---

// Agents may have been started anew since ranks were told where they are.
bool NicJoining::are_aggregators_agreed() const {
  std::map<std::int32_t, std::uint32_t> of_leaves;
  std::set<std::uint32_t> different;
  for (std::size_t rank = 0; rank < words().size(); ++rank) {
    const std::uint32_t named = words()[rank].aggregator;
    if (named == 0 || of_leaves.try_emplace(shape_.leaves[rank], named).first->second != named)
      return false;
    different.insert(named);
  }
  return different.size() == of_leaves.size();
}

std::uint32_t NicJoining::agreed_spine() const {
  const auto named = [this](const Word& word) { return word.spine == words().front().spine; };
  return shape_.leaf_count() > 1 && std::ranges::all_of(words(), named) ? words().front().spine : 0;
}

std::uint32_t NicJoining::address_of(Rank card) const {
  THALWEG_ASSERT(light, card == nic::spine || card < shape_.ranks());
  if (card == nic::spine)
    return spine_;
  if (card >= 0)
    return words()[static_cast<std::size_t>(card)].address;
  const auto on_leaf = std::ranges::find(shape_.leaves, card, &nic::aggregator_of) - shape_.leaves.begin();
  return words()[static_cast<std::size_t>(on_leaf)].aggregator;
}

thalweg_nic_group NicJoining::group_of(const nic::HostView& view) const {
  const auto place_at = [&](Rank card) {
    return thalweg_nic_place{address_of(card), thalweg_nic_order16(THALWEG_NIC_PORT), 0};
  };
  thalweg_nic_group group{};
  group.segment_bytes = shape_.relays ? THALWEG_NIC_SEGMENT_BYTES : 0;
  group.operator_digest = words()[static_cast<std::size_t>(shape_.rank)].operator_digest;
  group.id = words().front().id + times_joined_; // agents know the one before for a while
  group.key = words().front().key;
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

std::string NicJoining::objection(bool is_aggregators) const {
  for (std::size_t rank = 0; rank < words().size(); ++rank)
    if (words()[rank].reason.front() != 0 && words()[rank].is_aggregators == is_aggregators)
      return fmt::format("rank {}: {}", rank, words()[rank].reason.data());
  return {};
}

std::string NicJoining::difference() const {
  for (std::size_t rank = 1; rank < words().size(); ++rank)
    if (words()[rank].operator_digest != words().front().operator_digest)
      return fmt::format("rank {}: its agent has another version of the operator {} than that of rank 0",
                         rank, shape_.combiner.name);
  return {};
}

NicJoining::State NicJoining::go_on() {
  why_refused_ = objection(false);
  if (why_refused_.empty())
    why_refused_ = difference();
  if (!why_refused_.empty())
    return State::refused;
  if (times_joined_ == 0) {
    has_aggregators_ = are_aggregators_agreed();
    if (!has_aggregators_ && std::ranges::find(words(), 0U, &Word::aggregator) == words().end())
      note_nic("no aggregator joins the hosts: when MPI began, agents named others or none yet");
    spine_ = has_aggregators_ ? agreed_spine() : 0;
    join_all();
    return State::moved;
  }
  if (const std::string why_alone = objection(true); !why_alone.empty()) {
    note_nic(fmt::format("no aggregator joins the hosts: {}", why_alone));
    has_aggregators_ = false;
    own().reason = {};
    own().is_aggregators = false;
    card_.reset();
    relay_card_.reset();
    join_all();
    return State::moved;
  }
  return State::joined;
}

} // namespace thalweg::mpi
