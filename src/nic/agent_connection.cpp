#include "nic/agent_connection.hpp"

#include "core/error.hpp"
#include "nic/agent_name.hpp"
#include "wait/system.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fmt/format.h>
#include <string_view>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

namespace thalweg::nic {

namespace {

// Each group of a program would wait for an agent that does not answer, so it is left alone for a while.
constexpr std::uint64_t silence_ns = 60'000'000'000;
std::atomic<std::uint64_t> silent_until_ns{0};

// At the start, where it may be unneeded.
constexpr std::chrono::milliseconds patience_at_start(1000);

constexpr const char* start_anew = "have it started anew: thalweg nic serve";

[[noreturn]] void fail(const char* what, const char* remedy) {
  throw Error(fmt::format("{}: {}", what, std::strerror(errno)), remedy, thalweg_error_system);
}

class Silence : public Error {
public:
  Silence() : Error("the agent does not answer", start_anew, thalweg_error_system) {}
};

// Where as many wait for an agent that is stopped as it lets, connecting waits as well.
int connect_to_agent(std::chrono::milliseconds patience) {
  const int made = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  if (made < 0)
    fail("no socket for the agent", "look at the limit of open files: ulimit -n");
  const timeval longest{patience.count() / 1000, patience.count() % 1000 * 1000};
  setsockopt(made, SOL_SOCKET, SO_RCVTIMEO, &longest, sizeof longest);
  setsockopt(made, SOL_SOCKET, SO_SNDTIMEO, &longest, sizeof longest);
  const AgentName name;
  if (connect(made, name.address(), name.length()) == 0)
    return made;
  const bool is_silent = errno == EAGAIN;
  close(made);
  if (is_silent)
    throw Silence();
  throw Error("no agent serves the network device", "have one started: thalweg nic serve",
              thalweg_error_system);
}

// The descriptors that come with the reply.
struct Reply {
  thalweg_nic_reply words = {};
  std::array<int, 3> descriptors{-1, -1, -1};
};

thalweg_nic_request request_of(thalweg_nic_request_kind kind, const thalweg_nic_group& group,
                               std::span<const std::int32_t> ranks) {
  thalweg_nic_request request{};
  request.version = THALWEG_NIC_VERSION;
  request.kind = kind;
  request.group = group;
  std::copy_n(ranks.begin(), std::min<std::size_t>(ranks.size(), THALWEG_NIC_CONTRIBUTORS), request.ranks);
  return request;
}

void send_request(int agent, const thalweg_nic_request& request) {
  if (send(agent, &request, sizeof request, MSG_NOSIGNAL) != sizeof request)
    fail("the agent does not listen", start_anew);
}

std::string reason_in(const thalweg_nic_reply& reply) {
  return {reply.reason, strnlen(reply.reason, sizeof reply.reason)};
}

Reply ask(int agent, const thalweg_nic_request& request) {
  send_request(agent, request);
  Reply reply;
  iovec part{&reply.words, sizeof reply.words};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof reply.descriptors)> control{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  // One of another version may say less or more behind its reason.
  constexpr auto min_bytes = static_cast<ssize_t>(offsetof(thalweg_nic_reply, aggregator));
  const ssize_t received = recvmsg(agent, &message, MSG_CMSG_CLOEXEC);
  if (received < 0 && errno == EAGAIN)
    throw Silence();
  if (received < min_bytes)
    throw Error("the agent has ended", start_anew, thalweg_error_system);
  const cmsghdr* const header = CMSG_FIRSTHDR(&message);
  if (header != nullptr && header->cmsg_type == SCM_RIGHTS &&
      header->cmsg_len == CMSG_LEN(sizeof reply.descriptors))
    std::memcpy(reply.descriptors.data(), CMSG_DATA(header), sizeof reply.descriptors);
  if (reply.words.version != THALWEG_NIC_VERSION || reply.words.refused != 0)
    throw Error(fmt::format("the agent refuses: {}", reason_in(reply.words)), "", thalweg_error_system);
  return reply;
}

thalweg_nic_reply hello(int agent) {
  return ask(agent, request_of(THALWEG_NIC_HELLO, {}, {})).words;
}

} // namespace

AgentConnection::AgentConnection(std::chrono::milliseconds patience) : patience_(patience) {
  if (wait::System::now_ns() < silent_until_ns)
    throw Error("the agent did not answer within the last minute", start_anew, thalweg_error_system);
  try {
    descriptor_ = connect_to_agent(patience);
    const thalweg_nic_reply words = hello(descriptor_);
    address_ = words.address;
    mtu_ = words.mtu;
    aggregator_ = words.aggregator;
    spine_ = words.spine;
  } catch (const Silence&) {
    silent_until_ns = wait::System::now_ns() + silence_ns;
    close(descriptor_);
    throw;
  } catch (...) {
    close(descriptor_);
    throw;
  }
}

std::uint32_t known_aggregator() {
  int agent = -1;
  std::uint32_t found = 0;
  try {
    agent = connect_to_agent(patience_at_start);
    found = hello(agent).aggregator;
  } catch (const Error&) { // then there is none to be known
  }
  close(agent);
  return found;
}

AgentConnection::~AgentConnection() {
  close(descriptor_);
}

AgentConnection::Membership AgentConnection::join(const thalweg_nic_group& group, std::uint32_t local,
                                                  std::span<const std::int32_t> ranks) {
  thalweg_nic_request request = request_of(THALWEG_NIC_JOIN, group, ranks);
  request.local = local;
  const std::array<int, 3> given = ask(descriptor_, request).descriptors;
  if (given[0] < 0)
    throw Error("the agent gave no page", start_anew, thalweg_error_system);
  return {.page = given[0], .socket = given[1], .doorbell = given[2]};
}

std::uint64_t AgentConnection::operator_named(const std::string& name, std::uint32_t words) {
  thalweg_nic_request request = request_of(THALWEG_NIC_ASK_OPERATOR, {}, {});
  name.copy(request.operator_name, sizeof request.operator_name - 1);
  const thalweg_nic_reply found = ask(descriptor_, request).words;
  if (found.operator_words != words)
    throw Error(fmt::format("the agent's operator {} takes elements of {} words, not of {}", name,
                            found.operator_words, words),
                "give it one for these, by another name", thalweg_error_system);
  return found.operator_digest;
}

void AgentConnection::enroll(std::uint32_t aggregator, const thalweg_nic_group& group,
                             std::span<const std::int32_t> ranks) {
  thalweg_nic_request request = request_of(THALWEG_NIC_ENROLL, group, ranks);
  request.aggregator = aggregator;
  send_request(descriptor_, request);
  answers_until_ns_ =
      wait::System::now_ns() + static_cast<std::uint64_t>(std::chrono::nanoseconds(patience_).count());
}

std::optional<std::string> AgentConnection::enrolled() {
  thalweg_nic_reply reply{};
  const ssize_t received = recv(descriptor_, &reply, sizeof reply, MSG_DONTWAIT);
  if (received < 0 && (errno == EAGAIN || errno == EINTR) && wait::System::now_ns() < answers_until_ns_)
    return std::nullopt;
  if (received != sizeof reply)
    return "the agent of this host does not answer";
  return reply.refused != 0 ? reason_in(reply) : std::string();
}

} // namespace thalweg::nic
