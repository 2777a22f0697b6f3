#include "mpi/run/device_group.hpp"

#include <exception>
#include <fmt/format.h>
#include <random>
#include <set>
#include <string_view>

#include "core/error.hpp"
#include "engine/plan.hpp"
#include "mpi/state/runtime.hpp"
#include "nic/datagram.hpp"
#include "nic/kernel_card.hpp"
#include "nic/kernel_relay.hpp"

namespace thalweg::mpi {

namespace {

// On its way down alone, a message is kept by the cards.
bool is_relayed(schedule::Operation operation) {
  return operation == schedule::Operation::broadcast || operation == schedule::Operation::scatter;
}

// A packet with a whole segment, and all that is before it.
constexpr std::uint32_t mtu_of_broadcasts =
    THALWEG_NIC_SEGMENT_BYTES + sizeof(nic::PartHead) + 8 + 20; // UDP, IP

nic::HostView view_of(const strategies::Scheduled& scheduled, Rank root, CommunicatorState& communicator) {
  schedule::Problem problem;
  problem.operation = scheduled.strategy().operation;
  problem.ranks = communicator.size;
  problem.root = root;
  problem.parameters = scheduled.parameters();
  problem.nodes = std::make_shared<const std::vector<std::int32_t>>(communicator.nodes());
  const auto schedule_of = [&](Rank rank) { return strategies::build(scheduled.strategy(), problem, rank); };
  nic::HostView view = nic::lower(schedule_of, *problem.nodes, communicator.rank);
  if (view.contributors() > THALWEG_NIC_CONTRIBUTORS)
    throw Error(fmt::format("a host has {} ranks and hosts below it", view.contributors()),
                fmt::format("{} are possible: choose a smaller radix", int{THALWEG_NIC_CONTRIBUTORS}));
  return view;
}

std::int32_t world_rank(Rank rank, const CommunicatorState& communicator) {
  const std::int32_t world = communicator.world_rank_of(rank);
  return world >= 0 ? world : rank;
}

std::vector<std::int32_t> world_ranks(const nic::HostView& view, const CommunicatorState& communicator) {
  std::vector<std::int32_t> ranks;
  for (std::int32_t contributor = 0; contributor < view.contributors(); ++contributor)
    ranks.push_back(world_rank(view.rank_of(contributor), communicator));
  return ranks;
}

// By which all ranks hear all words: along trees, so that few ranks are connected for it.
std::unique_ptr<engine::Plan> plan_of_round(std::int32_t ranks, Rank rank, std::int64_t bytes) {
  const strategies::Strategy& strategy = strategies::find(schedule::Operation::allgather, "gather_broadcast");
  schedule::Problem problem;
  problem.operation = schedule::Operation::allgather;
  problem.ranks = ranks;
  problem.unit_bytes = bytes;
  problem.parameters = strategies::resolve(strategy, {});
  const schedule::Schedule schedule = strategies::build(strategy, problem, rank);
  const engine::Layout layout = engine::Layout::uniform(bytes, schedule.pieces, 1);
  return std::make_unique<engine::Plan>(
      schedule, engine::Layouts{.input = layout,
                                .output = layout,
                                .canonical = layout,
                                .canonical_blocks = static_cast<std::int32_t>(
                                    schedule::canonical_blocks(problem, schedule.pieces))});
}

template <std::size_t size>
void set_reason(std::array<char, size>& reason, const std::exception& error) {
  const std::string_view text = error.what();
  text.copy(reason.data(), reason.size() - 1);
}

} // namespace

DeviceGroup::DeviceGroup(const strategies::Scheduled& scheduled, Rank root, CommunicatorState& communicator,
                         std::shared_ptr<transport::Transport> transport, engine::Tags tags)
    : rank_(communicator.rank), relays_(is_relayed(scheduled.strategy().operation)),
      transport_(std::move(transport)), tags_(tags), words_(static_cast<std::size_t>(communicator.size)) {
  if (communicator.node_count() <= 1) {
    settled("collectives for network devices are run by our engine: all ranks are on one host");
    return;
  }
  if (runtime.world_rank == 0)
    for (Rank rank = 0; rank < communicator.size; ++rank)
      in_world_.push_back(world_rank(rank, communicator));
  plan_ = plan_of_round(communicator.size, rank_, sizeof(Word));
  try {
    view_ = view_of(scheduled, root, communicator);
    world_ranks_ = world_ranks(view_, communicator);
  } catch (const std::exception& error) {
    set_reason(own_.reason, error);
  }
}

void DeviceGroup::begin_round() {
  round_ = std::make_unique<Round>(*plan_, *transport_);
  round_->execution.start({.input = reinterpret_cast<std::byte*>(&own_),
                           .output = reinterpret_cast<std::byte*>(words_.data()),
                           .scratch = round_->scratch.data(),
                           .staging = round_->staging.data()},
                          tags_, nullptr);
  ++rounds_;
}

void DeviceGroup::find_agent() {
  if (own_.reason.front() != 0)
    return;
  try {
    agent_ = std::make_unique<nic::AgentConnection>();
    if (relays_ && agent_->mtu() < mtu_of_broadcasts)
      throw Error(fmt::format("the device's MTU is {}, and messages down a tree need {}", agent_->mtu(),
                              mtu_of_broadcasts),
                  "give the device a larger one, on all hosts", thalweg_error_system);
    own_.address = agent_->address();
    std::random_device random;
    own_.id = random();
    own_.key = std::uint64_t{random()} << 32 | random();
  } catch (const std::exception& error) {
    set_reason(own_.reason, error);
  }
}

thalweg_nic_group DeviceGroup::group() const {
  const auto place_at = [&](Rank rank) {
    return thalweg_nic_place{words_[static_cast<std::size_t>(rank)].address,
                             thalweg_nic_order16(THALWEG_NIC_PORT), 0};
  };
  thalweg_nic_group group{};
  group.segment_bytes = relays_ ? THALWEG_NIC_SEGMENT_BYTES : 0;
  group.id = words_.front().id;
  group.key = words_.front().key;
  group.locals = static_cast<std::uint16_t>(view_.locals.size());
  group.contributors = static_cast<std::uint16_t>(view_.contributors());
  for (std::size_t below = 0; below < view_.below.size(); ++below)
    group.below[view_.locals.size() + below] = place_at(view_.below[below]);
  if (view_.parent < 0)
    return group;
  group.has_parent = 1;
  group.own = static_cast<std::uint16_t>(view_.number_above);
  group.parent = place_at(view_.parent);
  return group;
}

void DeviceGroup::join() {
  try {
    const auto local = static_cast<std::uint32_t>(view_.own_number);
    nic::KernelGroup joined(std::move(agent_), group(), local, world_ranks_);
    if (relays_)
      relay_card_ = std::make_unique<nic::KernelRelay>(std::move(joined));
    else
      card_ = std::make_unique<nic::KernelCard>(std::move(joined));
  } catch (const std::exception& error) {
    set_reason(own_.reason, error);
  }
}

void DeviceGroup::settled(std::string note) {
  note_network_device(note);
  round_.reset();
  is_settled_.store(true, std::memory_order_release);
}

// Of the first rank that cannot take part; it settles the group.
bool DeviceGroup::has_objection() {
  for (std::size_t rank = 0; rank < words_.size(); ++rank)
    if (words_[rank].reason.front() != 0) {
      settled(fmt::format("collectives for network devices are run by our engine: rank {}: {}", rank,
                          words_[rank].reason.data()));
      return true;
    }
  return false;
}

bool DeviceGroup::settle() {
  if (is_settled())
    return true;
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock() || is_settled())
    return is_settled();
  if (rounds_ == 0) {
    find_agent();
    begin_round();
  }
  if (!round_->execution.progress())
    return false;
  if (has_objection())
    return true;
  if (rounds_ == 1) {
    join();
    begin_round();
    return false;
  }
  if (relays_)
    relay_ =
        std::make_unique<nic::RelayMember>(std::move(relay_card_), view_.parent < 0 && view_.own_number == 0);
  else
    member_ = std::make_unique<nic::Member>(std::move(card_));
  settled("collectives run on the hosts' network devices");
  return true;
}

void note_network_device(const std::string& text) {
  static std::mutex mutex;
  static std::set<std::string> notes;
  const std::scoped_lock lock(mutex);
  if (notes.insert(text).second)
    runtime.network_device += (runtime.network_device.empty() ? "" : "; ") + text;
}

} // namespace thalweg::mpi
