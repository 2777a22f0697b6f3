#include "nic/agent_connection.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fmt/format.h>
#include <string_view>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

namespace thalweg::nic {

namespace {

constexpr timeval agents_patience{5, 0};

[[noreturn]] void fail(const char* what, const char* remedy) {
  throw Error(fmt::format("{}: {}", what, std::strerror(errno)), remedy, thalweg_error_system);
}

int connect_to_agent() {
  const int made = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  if (made < 0)
    fail("no socket for the agent", "look at the limit of open files: ulimit -n");
  setsockopt(made, SOL_SOCKET, SO_RCVTIMEO, &agents_patience, sizeof agents_patience);
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  constexpr std::string_view text = THALWEG_NIC_AGENT;
  std::memcpy(name.sun_path + 1, text.data(), text.size());
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + text.size());
  if (connect(made, reinterpret_cast<const sockaddr*>(&name), length) < 0) {
    close(made);
    throw Error("no agent serves the network device", "have one started: thalweg nic serve",
                thalweg_error_system);
  }
  return made;
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
    fail("the agent does not listen", "have it started anew: thalweg nic serve");
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
  if (recvmsg(agent, &message, MSG_CMSG_CLOEXEC) < min_bytes)
    fail("the agent does not answer", "have it started anew: thalweg nic serve");
  const cmsghdr* const header = CMSG_FIRSTHDR(&message);
  if (header != nullptr && header->cmsg_type == SCM_RIGHTS &&
      header->cmsg_len == CMSG_LEN(sizeof reply.descriptors))
    std::memcpy(reply.descriptors.data(), CMSG_DATA(header), sizeof reply.descriptors);
  if (reply.words.version != THALWEG_NIC_VERSION || reply.words.refused != 0)
    throw Error(fmt::format("the agent refuses: {}", reason_in(reply.words)), "", thalweg_error_system);
  return reply;
}

} // namespace

AgentConnection::AgentConnection() : descriptor_(connect_to_agent()) {
  const thalweg_nic_request request = request_of(THALWEG_NIC_HELLO, {}, {});
  try {
    const thalweg_nic_reply words = ask(descriptor_, request).words;
    address_ = words.address;
    mtu_ = words.mtu;
    aggregator_ = words.aggregator;
    spine_ = words.spine;
  } catch (...) {
    close(descriptor_);
    throw;
  }
}

std::uint32_t known_aggregator() {
  try {
    return AgentConnection().aggregator();
  } catch (const Error&) {
    return 0;
  }
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
    throw Error("the agent gave no page", "have it started anew: thalweg nic serve", thalweg_error_system);
  return {.page = given[0], .socket = given[1], .doorbell = given[2]};
}

void AgentConnection::enroll(std::uint32_t aggregator, const thalweg_nic_group& group,
                             std::span<const std::int32_t> ranks) {
  thalweg_nic_request request = request_of(THALWEG_NIC_ENROLL, group, ranks);
  request.aggregator = aggregator;
  send_request(descriptor_, request);
}

std::optional<std::string> AgentConnection::enrolled() {
  thalweg_nic_reply reply{};
  const ssize_t received = recv(descriptor_, &reply, sizeof reply, MSG_DONTWAIT);
  if (received < 0 && (errno == EAGAIN || errno == EINTR))
    return std::nullopt;
  if (received != sizeof reply)
    return "the agent of this host does not answer";
  return reply.refused != 0 ? reason_in(reply) : std::string();
}

} // namespace thalweg::nic
