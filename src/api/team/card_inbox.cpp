// SPDX-License-Identifier: BSD-3-Clause
#include "team/card_inbox.hpp"

#include "base/error.hpp"
#include "nic/datagram.hpp"
#include "nic/joining.hpp"
#include "nic/kernel_inbox.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <exception>
#include <fmt/format.h>
#include <functional>
#include <numeric>
#include <optional>
#include <random>
#include <string_view>

namespace thalweg::teams {

namespace {

// A packet with a whole message, and all that is before it.
constexpr std::uint32_t mtu_of_messages =
    THALWEG_NIC_CARRIED_BYTES + sizeof(nic::EnvelopeHead) + 8 + 20; // UDP, IP

// What ranks tell each other. Without a reason all is well.
struct Candidate {
  std::array<char, 152> reason{};
  std::uint32_t address = 0;
  std::uint32_t id = 0;
  std::uint64_t key = 0;
};
using Candidates = std::vector<Candidate>;

void set_reason(Candidate& one, std::string_view text) {
  text.copy(one.reason.data(), one.reason.size() - 1);
}

// Of the first rank that cannot take part; empty where all can.
std::string objection(const Candidates& candidates) {
  for (std::size_t rank = 0; rank < candidates.size(); ++rank)
    if (candidates[rank].reason.front() != 0)
      return fmt::format("rank {}: {}", rank, candidates[rank].reason.data());
  return {};
}

// What others need of this rank goes on while its agent is waited for.
void wait_until(const wait::Policy& policy, const std::function<bool()>& has_answered) {
  const auto look = [&] { return has_answered() ? wait::Look::reached : wait::Look::nothing; };
  wait::until(policy, look);
}

std::unique_ptr<nic::AgentConnection> find_agent(Candidate& own, const wait::Policy& policy) {
  try {
    auto agent = std::make_unique<nic::AgentConnection>();
    agent->greet();
    wait_until(policy, [&] { return agent->has_greeted(); });
    if (agent->mtu() < mtu_of_messages)
      throw Error(fmt::format("the device's MTU is {}, and messages need {}", agent->mtu(), mtu_of_messages),
                  "give the device a larger one, on all hosts", thalweg_error_system);
    own.address = agent->address();
    std::random_device random;
    own.id = random();
    own.key = std::uint64_t{random()} << 32 | random();
    return agent;
  } catch (const std::exception& error) {
    set_reason(own, error.what());
    return nullptr;
  }
}

std::uint32_t ranks_at(std::uint32_t address, const Candidates& candidates, std::size_t before) {
  return static_cast<std::uint32_t>(
      std::count_if(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(before),
                    [address](const Candidate& one) { return one.address == address; }));
}

// As many cells for each pair of ranks as all hosts have memory for.
std::uint32_t width_of(const Candidates& candidates) {
  const auto ranks = static_cast<std::uint32_t>(candidates.size());
  std::uint32_t max_locals = 1;
  for (const Candidate& one : candidates)
    max_locals = std::max(max_locals, ranks_at(one.address, candidates, candidates.size()));
  return std::bit_floor(std::min({std::uint32_t{THALWEG_NIC_MAX_WIDTH}, THALWEG_NIC_RECORDS / ranks,
                                  THALWEG_NIC_CELLS / (ranks * max_locals)}));
}

thalweg_nic_group group_of(const Candidates& candidates, std::uint32_t own_address) {
  thalweg_nic_group group{};
  group.id = candidates.front().id;
  group.key = candidates.front().key;
  group.contributors = static_cast<std::uint16_t>(candidates.size());
  group.locals = static_cast<std::uint16_t>(ranks_at(own_address, candidates, candidates.size()));
  group.width = static_cast<std::uint16_t>(width_of(candidates));
  for (std::size_t rank = 0; rank < candidates.size(); ++rank)
    group.below[rank] = {candidates[rank].address, thalweg_nic_order16(THALWEG_NIC_PORT),
                         static_cast<std::uint16_t>(ranks_at(candidates[rank].address, candidates, rank))};
  return group;
}

std::unique_ptr<nic::InboxMember> join(std::unique_ptr<nic::AgentConnection> agent,
                                       const Candidates& candidates, Rank own, Candidate& reported,
                                       const wait::Policy& policy) {
  try {
    std::vector<std::int32_t> ranks(candidates.size());
    std::iota(ranks.begin(), ranks.end(), 0);
    const thalweg_nic_group view = group_of(candidates, agent->address());
    nic::GroupRequest joining(std::move(agent), view, static_cast<std::uint32_t>(own), ranks);
    std::unique_ptr<nic::KernelInbox> inbox;
    wait_until(policy, [&] {
      if (std::optional<nic::KernelGroup> joined = joining.look())
        inbox = std::make_unique<nic::KernelInbox>(std::move(*joined));
      return inbox != nullptr;
    });
    return std::make_unique<nic::InboxMember>(std::move(inbox),
                                              static_cast<std::uint32_t>(candidates.size()));
  } catch (const std::exception& error) {
    set_reason(reported, error.what());
    return nullptr;
  }
}

} // namespace

CardInbox join_card(const job::Group& group, const wait::Policy& policy) {
  if (group.node_count() <= 1)
    return {nullptr, "all ranks are on one host"};
  if (group.ranks() > THALWEG_NIC_CONTRIBUTORS)
    return {nullptr, fmt::format("{} ranks are more than {}", group.ranks(), int{THALWEG_NIC_CONTRIBUTORS})};
  const job::Agreement agreement = group.agreement(policy);
  Candidate own;
  std::unique_ptr<nic::AgentConnection> agent = find_agent(own, policy);
  const Candidates candidates = agreement.allgather(own);
  if (std::string why = objection(candidates); !why.empty())
    return {nullptr, std::move(why)};
  Candidate reported;
  std::unique_ptr<nic::InboxMember> member =
      join(std::move(agent), candidates, group.rank(), reported, policy);
  if (std::string why = objection(agreement.allgather(reported)); !why.empty())
    return {nullptr, std::move(why)};
  return {std::move(member), {}};
}

} // namespace thalweg::teams
