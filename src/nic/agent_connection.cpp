// SPDX-License-Identifier: BSD-3-Clause
#include "nic/agent_connection.hpp"

#include "base/assertion.hpp"
#include "base/error.hpp"
#include "nic/readable.hpp"
#include "wait/system.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <ctime>
#include <exception>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <utility>

namespace thalweg::nic {

namespace {

// Each group of a program would be held up by an agent that does not answer, so it is left alone for a while.
constexpr std::uint64_t silence_ns = 60'000'000'000;
std::atomic<std::uint64_t> silent_until_ns{0};

constexpr const char* start_anew = "have it started anew: thalweg nic serve";

// One of another version may say less or more behind its reason.
constexpr auto min_bytes = static_cast<ssize_t>(offsetof(thalweg_nic_reply, aggregator));

// All that come are taken, so that none stays open.
std::vector<Descriptor> descriptors_in(msghdr& message) {
  std::vector<Descriptor> found;
  for (cmsghdr* part = CMSG_FIRSTHDR(&message); part != nullptr; part = CMSG_NXTHDR(&message, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS)
      continue;
    for (std::size_t at = 0; CMSG_LEN(at + sizeof(int)) <= part->cmsg_len; at += sizeof(int)) {
      int number = -1;
      std::memcpy(&number, CMSG_DATA(part) + at, sizeof number);
      found.emplace_back(number);
    }
  }
  return found;
}

} // namespace

AgentSocket::AgentSocket(std::chrono::milliseconds patience) : patience_(patience) {
  if (wait::System::now_ns() < silent_until_ns)
    throw Error("the agent did not answer within the last minute", start_anew, thalweg_error_system);
  socket_ = Descriptor(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (socket_.number() < 0)
    throw Error(fmt::format("no socket for the agent: {}", std::strerror(errno)),
                "look at the limit of open files: ulimit -n", thalweg_error_system);
  connects();
}

// Where as many wait for an agent that is stopped as it lets, nobody else can connect.
bool AgentSocket::connects() {
  const AgentName name;
  is_connected_ = is_connected_ || connect(socket_.number(), name.address(), name.length()) == 0;
  if (!is_connected_ && errno != EAGAIN && errno != EINTR)
    throw Error("no agent serves the network device", "have one started: thalweg nic serve",
                thalweg_error_system);
  return is_connected_;
}

bool AgentSocket::sends() {
  if (!connects())
    return false;
  if (send(socket_.number(), &*unsent_, sizeof *unsent_, MSG_NOSIGNAL) == sizeof *unsent_) {
    unsent_.reset();
    begin_patience();
    return true;
  }
  if (errno != EAGAIN && errno != EINTR)
    throw Error(fmt::format("the agent does not listen: {}", std::strerror(errno)), start_anew,
                thalweg_error_system);
  return false;
}

void AgentSocket::begin_patience() {
  due_ns_ = wait::System::now_ns() + static_cast<std::uint64_t>(std::chrono::nanoseconds(patience_).count());
}

void AgentSocket::ask(const thalweg_nic_request& request) {
  THALWEG_ASSERT(light, !unsent_ && request.version == THALWEG_NIC_VERSION);
  unsent_ = request;
  begin_patience();
  sends();
}

std::optional<AgentReply> AgentSocket::nothing() const {
  const std::uint64_t now_ns = wait::System::now_ns();
  if (now_ns < due_ns_)
    return std::nullopt;
  silent_until_ns = now_ns + silence_ns;
  throw Error("the agent does not answer", start_anew, thalweg_error_system);
}

// Whoever looks seldom may come long after the answer, so it is looked for before the clock.
std::optional<AgentReply> AgentSocket::look() {
  if (unsent_ && !sends())
    return nothing();
  AgentReply reply;
  iovec part{&reply.words, sizeof reply.words};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(3 * sizeof(int))> control{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  const ssize_t received = recvmsg(socket_.number(), &message, MSG_CMSG_CLOEXEC);
  if (received < 0 && (errno == EAGAIN || errno == EINTR))
    return nothing();
  if (received <= 0)
    throw Error("the agent has ended", start_anew, thalweg_error_system);
  reply.given = descriptors_in(message);
  if (received < min_bytes)
    throw Error(fmt::format("the agent's answer has {} bytes, not {}", received, sizeof reply.words),
                "install the same Thalweg everywhere, and have the agent started anew: thalweg nic serve",
                thalweg_error_system);
  return reply;
}

// Answers wake, so it ends by itself only for whoever sleeps to look after others.
void sleep_unless_answered(int asked) {
  constexpr timespec longest{0, 1'000'000};
  pollfd agent{asked, POLLIN, 0};
  ppoll(&agent, 1, &longest, nullptr);
}

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
