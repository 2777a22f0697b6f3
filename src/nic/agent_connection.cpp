// SPDX-License-Identifier: BSD-3-Clause
#include "nic/agent_connection.hpp"

#include "base/error.hpp"
#include "nic/readable.hpp"

#include <algorithm>
#include <cstddef>
#include <exception>
#include <fmt/format.h>
#include <utility>

namespace thalweg::nic {

namespace {

thalweg_nic_request request_of(thalweg_nic_request_kind kind, const thalweg_nic_group& group,
                               std::span<const std::int32_t> ranks) {
  thalweg_nic_request request{};
  request.version = THALWEG_NIC_VERSION;
  request.kind = kind;
  request.group = group;
  std::copy_n(ranks.begin(), std::min<std::size_t>(ranks.size(), THALWEG_NIC_CONTRIBUTORS), request.ranks);
  return request;
}

// Nothing where the agent has done what it was asked for.
std::string reason_in(const thalweg_nic_reply& reply) {
  const std::string reason = readable(reply.reason);
  if (reply.refused == 0 && reply.version == THALWEG_NIC_VERSION)
    return {};
  return !reason.empty()
             ? reason
             : fmt::format("it speaks version {}, not {}", reply.version, int{THALWEG_NIC_VERSION});
}

void expect_consent(const thalweg_nic_reply& reply) {
  if (const std::string reason = reason_in(reply); !reason.empty())
    throw Error(fmt::format("the agent refuses: {}", reason), "", thalweg_error_system);
}

} // namespace

void AgentConnection::greet(std::string_view operator_name) {
  thalweg_nic_request request =
      request_of(operator_name.empty() ? THALWEG_NIC_HELLO : THALWEG_NIC_ASK_OPERATOR, {}, {});
  operator_name.copy(request.operator_name, sizeof request.operator_name - 1);
  socket_.ask(request);
}

std::uint64_t AgentConnection::operator_digest(std::string_view operator_name, std::uint32_t words) const {
  if (known_.operator_words != words)
    throw Error(fmt::format("the agent's operator {} takes elements of {} words, not of {}", operator_name,
                            known_.operator_words, words),
                "give it one for these, by another name", thalweg_error_system);
  return known_.operator_digest;
}

bool AgentConnection::has_greeted() {
  const std::optional<AgentReply> reply = socket_.look();
  if (!reply)
    return false;
  expect_consent(reply->words);
  known_ = reply->words;
  return true;
}

void AgentConnection::join(const thalweg_nic_group& group, std::uint32_t local,
                           std::span<const std::int32_t> ranks) {
  thalweg_nic_request request = request_of(THALWEG_NIC_JOIN, group, ranks);
  request.local = local;
  socket_.ask(request);
}

std::optional<AgentConnection::Membership> AgentConnection::joined() {
  std::optional<AgentReply> reply = socket_.look();
  if (!reply)
    return std::nullopt;
  expect_consent(reply->words);
  if (reply->given.size() != 3)
    throw Error(fmt::format("{} of the group's 3 descriptors came from the agent", reply->given.size()),
                "look at the limit of open files: ulimit -n", thalweg_error_system);
  return Membership{std::move(reply->given[0]), std::move(reply->given[1]), std::move(reply->given[2])};
}

void AgentConnection::enroll(std::uint32_t aggregator, const thalweg_nic_group& group,
                             std::span<const std::int32_t> ranks) {
  thalweg_nic_request request = request_of(THALWEG_NIC_ENROLL, group, ranks);
  request.aggregator = aggregator;
  socket_.ask(request);
}

std::optional<std::string> AgentConnection::enrolled() {
  try {
    const std::optional<AgentReply> reply = socket_.look();
    return reply ? std::optional(reason_in(reply->words)) : std::nullopt;
  } catch (const Error& error) {
    return error.what();
  }
}

// Whatever fails here is told when a group is asked for.
AggregatorQuestion::AggregatorQuestion() noexcept {
  try {
    agent_.emplace();
    agent_->greet();
  } catch (const std::exception&) {
    agent_.reset();
  }
}

std::optional<std::uint32_t> AggregatorQuestion::answer() noexcept {
  try {
    if (agent_ && !agent_->has_greeted())
      return std::nullopt;
    return agent_ ? agent_->aggregator() : 0;
  } catch (const std::exception&) {
    agent_.reset();
    return 0;
  }
}

std::optional<std::uint32_t> AggregatorQuestion::answer_within(std::chrono::milliseconds patience) noexcept {
  const auto end = std::chrono::steady_clock::now() + patience;
  std::optional<std::uint32_t> found = answer();
  for (; !found && std::chrono::steady_clock::now() < end; found = answer())
    sleep_unless_answered(agent_->asked());
  return found;
}

} // namespace thalweg::nic
