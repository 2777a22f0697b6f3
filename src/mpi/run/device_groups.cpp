#include "mpi/run/device_groups.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <fmt/format.h>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <string_view>

#include "core/error.hpp"
#include "job/mpi/agreement.hpp"
#include "mpi/abi/library_api.hpp"
#include "mpi/state/runtime.hpp"
#include "nic/kernel_card.hpp"
#include "nic/lowering.hpp"

namespace thalweg::mpi {

namespace {

// What ranks tell each other on the way into a group. Without a reason all is well.
struct Word {
  std::array<char, 152> reason{};
  std::uint32_t address = 0;
  std::uint32_t id = 0;
  std::uint64_t key = 0;
};

void set_reason(Word& word, const std::exception& error) {
  const std::string_view text = error.what();
  text.copy(word.reason.data(), word.reason.size() - 1);
}

// Why some rank cannot take part, the first of them; nothing where all can.
std::optional<std::string> objection_in(const std::vector<Word>& words) {
  for (std::size_t rank = 0; rank < words.size(); ++rank)
    if (words[rank].reason.front() != 0)
      return fmt::format("rank {}: {}", rank, words[rank].reason.data());
  return std::nullopt;
}

nic::HostView view_of(const strategies::Scheduled& scheduled, CommunicatorState& communicator) {
  schedule::Problem problem;
  problem.operation = scheduled.strategy().operation;
  problem.ranks = communicator.size;
  problem.parameters = scheduled.parameters();
  problem.nodes = std::make_shared<const std::vector<std::int32_t>>(communicator.nodes());
  const auto schedule_of = [&](Rank rank) { return strategies::build(scheduled.strategy(), problem, rank); };
  nic::HostView view = nic::lower(schedule_of, *problem.nodes, communicator.rank);
  if (view.contributors() > THALWEG_NIC_CONTRIBUTORS)
    throw Error(fmt::format("a host has {} ranks and hosts below it", view.contributors()),
                fmt::format("{} are possible: choose a smaller radix", int{THALWEG_NIC_CONTRIBUTORS}));
  return view;
}

thalweg_nic_place place_at(const std::vector<Word>& words, Rank rank) {
  return {words[static_cast<std::size_t>(rank)].address, thalweg_nic_order16(THALWEG_NIC_PORT), 0};
}

thalweg_nic_group group_of(const nic::HostView& view, const std::vector<Word>& words) {
  thalweg_nic_group group{};
  group.id = words.front().id;
  group.key = words.front().key;
  group.locals = static_cast<std::uint16_t>(view.locals.size());
  group.contributors = static_cast<std::uint16_t>(view.contributors());
  for (std::size_t below = 0; below < view.below.size(); ++below)
    group.below[view.locals.size() + below] = place_at(words, view.below[below]);
  if (view.parent < 0)
    return group;
  group.has_parent = 1;
  group.own = static_cast<std::uint16_t>(view.number_above);
  group.parent = place_at(words, view.parent);
  return group;
}

std::vector<std::int32_t> world_ranks(const nic::HostView& view, const CommunicatorState& communicator) {
  std::vector<std::int32_t> ranks;
  for (std::int32_t contributor = 0; contributor < view.contributors(); ++contributor) {
    const Rank rank = view.rank_of(contributor);
    const std::int32_t world = communicator.world_rank_of(rank);
    ranks.push_back(world >= 0 ? world : rank);
  }
  return ranks;
}

// All ranks come to the same end: in two rounds they tell each other whether they have an agent, and whether
// it has taken them.
std::unique_ptr<nic::Card> join(const strategies::Scheduled& scheduled, CommunicatorState& communicator,
                                std::string& why_not) {
  const MPI_Comm shadow = communicator.shadow->handle();
  const job::Agreement agreement(library_api(), shadow, job::all_ranks(communicator.size), communicator.rank,
                                 job::agreement_tag(library_api(), shadow), communicator.channels->policy());
  Word own;
  nic::HostView view;
  std::unique_ptr<nic::AgentConnection> agent;
  try {
    view = view_of(scheduled, communicator);
    agent = std::make_unique<nic::AgentConnection>();
    own.address = agent->address();
    std::random_device random;
    own.id = random();
    own.key = std::uint64_t{random()} << 32 | random();
  } catch (const std::exception& error) {
    set_reason(own, error);
  }
  const std::vector<Word> words = agreement.allgather(own);
  if (auto objection = objection_in(words)) {
    why_not = std::move(*objection);
    return nullptr;
  }
  std::unique_ptr<nic::Card> card;
  try {
    card = nic::AgentConnection::join(std::move(agent), group_of(view, words),
                                      static_cast<std::uint32_t>(view.own_number),
                                      world_ranks(view, communicator));
  } catch (const std::exception& error) {
    set_reason(own, error);
  }
  if (auto objection = objection_in(agreement.allgather(own))) {
    why_not = std::move(*objection);
    return nullptr;
  }
  return card;
}

} // namespace

nic::Member* DeviceGroups::member_for(const strategies::Scheduled& scheduled, std::int64_t id,
                                      CommunicatorState& communicator) {
  for (const Joined& one : joined_)
    if (one.id == id)
      return one.member.get();
  std::string why_not = "all ranks are on one host";
  std::unique_ptr<nic::Card> card;
  if (communicator.node_count() > 1)
    card = join(scheduled, communicator, why_not);
  if (runtime.network_device.empty())
    runtime.network_device = card ? "barriers run on the hosts' network devices"
                                  : "barriers on network devices are run by our engine instead: " + why_not;
  std::unique_ptr<nic::Member> member = card ? std::make_unique<nic::Member>(std::move(card)) : nullptr;
  return joined_.emplace_back(Joined{id, std::move(member)}).member.get();
}

namespace {

// Messages of ours wake nobody and need no library here, and a look at the library takes as long as a hop.
// Only where it moves something, it is looked at again at once.
struct RareVisits {
  const wait::Policy& policy;
  std::uint64_t due_ns = 0;

  static wait::Visit visit(void* context) {
    constexpr std::uint64_t pause_ns = 100'000;
    auto& self = *static_cast<RareVisits*>(context);
    const std::uint64_t now_ns = wait::System::now_ns();
    if (self.due_ns == 0)
      self.due_ns = now_ns + pause_ns;
    if (now_ns < self.due_ns)
      return wait::Visit::idle;
    const wait::Visit found = self.policy.progress_others(self.policy.context);
    if (found == wait::Visit::moved)
      return found;
    self.due_ns = wait::System::now_ns() + pause_ns;
    return wait::Visit::idle;
  }
};

} // namespace

void run_barrier(nic::Member& member, const wait::Policy& policy) {
  RareVisits visits{policy};
  wait::Policy rare = policy;
  rare.progress_others = RareVisits::visit;
  rare.context = &visits;
  rare.pauses_per_visit = 8;
  member.barrier(rare);
}

const char* name_on_engine(const char* text) {
  static std::mutex mutex;
  static std::set<std::string> names;
  const std::scoped_lock lock(mutex);
  return names.insert(fmt::format("{} on the engine", text)).first->c_str();
}

} // namespace thalweg::mpi
