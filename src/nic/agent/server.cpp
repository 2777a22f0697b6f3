// SPDX-License-Identifier: BSD-3-Clause
#include "nic/agent/server.hpp"

#include "base/error.hpp"
#include "nic/agent/process.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

namespace thalweg::nic {

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds between_beats{400};

uid_t user_of(int connection) {
  ucred peer{};
  socklen_t length = sizeof peer;
  if (getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &length) < 0)
    throw Error("nobody knows whose this connection is", "connect through a Unix socket");
  return peer.uid;
}

bool send_reply(int connection, thalweg_nic_reply reply, const Registry::Membership& membership) {
  iovec part{&reply, sizeof reply};
  alignas(cmsghdr) char control[CMSG_SPACE(3 * sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (membership.page >= 0) {
    const int descriptors[3] = {membership.page, membership.socket, membership.doorbell};
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    cmsghdr* const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof descriptors);
    std::memcpy(CMSG_DATA(header), descriptors, sizeof descriptors);
  }
  return sendmsg(connection, &message, MSG_NOSIGNAL) == sizeof reply;
}

} // namespace

Server::Server(int listening, Registry& registry, Neighbors& neighbors, const Device& device,
               const Aggregation& aggregation)
    : registry_(registry), neighbors_(neighbors), device_(device), aggregation_(aggregation),
      enrollments_(aggregation, device.address(), registry, neighbors,
                   [this](int connection, const std::string& reason) {
                     send_reply(connection, reply_with(reason.c_str()), {});
                   }),
      watched_{{listening, POLLIN, 0}, {neighbors.descriptor(), POLLIN, 0}} {
  for (const int connection : registry.connections())
    watched_.push_back({connection, POLLIN, 0});
}

void Server::serve() {
  bool has_expired = false; // so there may be another one
  for (Clock::time_point due = Clock::now(); !is_to_end();) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(due - Clock::now()).count();
    const int patience_ms = std::min(
        {registry_.start_again(), enrollments_.go_on(), static_cast<int>(std::max<std::int64_t>(0, left))});
    poll(watched_.data(), watched_.size(), has_expired ? 0 : patience_ms);
    accept_new();
    const std::vector<pollfd> ready = watched_;
    if (ready[1].revents != 0)
      neighbors_.receive([&](const Sender& from, std::span<const std::byte> datagram) {
        if (!enrollments_.hear(from, datagram))
          registry_.hear(from.address, datagram);
      });
    const bool is_due = Clock::now() >= due;
    if (is_due) {
      registry_.follow(device_);
      registry_.beat();
      due = Clock::now() + between_beats;
    }
    // The newest first: a rank asks for a group with an aggregator by a connection of its own, just before it
    // joins that here by an older one, which takes the kernel long.
    for (std::size_t i = ready.size(); --i > 1;)
      if (ready[i].revents != 0 && !answer(ready[i].fd))
        forget(ready[i].fd);
    if (is_due || has_expired)
      has_expired = registry_.expire_one();
  }
}

// Also where the last look did not see them: they may have come before what it saw.
void Server::accept_new() {
  for (int count = 0; count < max_waiting; ++count) {
    const int connection = accept4(watched_[0].fd, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (connection < 0)
      return;
    watched_.push_back({connection, POLLIN, POLLIN}); // who connects asks at once
  }
}

// Without a text it is done.
thalweg_nic_reply Server::reply_with(const char* reason) const {
  thalweg_nic_reply reply{};
  reply.version = THALWEG_NIC_VERSION;
  reply.refused = *reason != 0;
  reply.address = device_.address();
  reply.mtu = device_.mtu();
  reply.aggregator = aggregation_.known;
  reply.spine = enrollments_.spine();
  std::strncpy(reply.reason, reason, sizeof reply.reason - 1);
  return reply;
}

void Server::report_operator(const thalweg_nic_request& request, thalweg_nic_reply& reply) const {
  const std::size_t letters = strnlen(request.operator_name, sizeof request.operator_name);
  const Operators::Entry& found = registry_.operators().named({request.operator_name, letters});
  reply.operator_words = found.words;
  reply.operator_digest = found.digest;
}

// False where the connection has ended.
bool Server::answer(int connection) {
  thalweg_nic_request request{};
  const ssize_t bytes = recv(connection, &request, sizeof request, 0);
  if (bytes < 0)
    return errno == EAGAIN || errno == EINTR;
  constexpr auto beginning = static_cast<ssize_t>(offsetof(thalweg_nic_request, local));
  if (bytes >= beginning && request.kind == THALWEG_NIC_STATUS) {
    const std::string text = registry_.describe();
    return send(connection, text.data(), text.size(), MSG_NOSIGNAL) >= 0;
  }
  if (bytes != sizeof request)
    return false;
  Registry::Membership membership;
  thalweg_nic_reply reply = reply_with("");
  try {
    if (request.version != THALWEG_NIC_VERSION)
      throw Error(
          fmt::format("the agent speaks version {}, not {}", int{THALWEG_NIC_VERSION}, request.version),
          "install the same Thalweg everywhere");
    if (request.kind == THALWEG_NIC_JOIN)
      membership = registry_.join(connection, user_of(connection), request);
    if (request.kind == THALWEG_NIC_ASK_OPERATOR)
      report_operator(request, reply);
    if (request.kind == THALWEG_NIC_ENROLL) {
      enrollments_.ask(connection, user_of(connection), request);
      return true; // the answer comes later
    }
  } catch (const Error& error) {
    return send_reply(connection, reply_with(error.what()), {});
  }
  return send_reply(connection, reply, membership);
}

void Server::forget(int connection) {
  registry_.leave(connection);
  enrollments_.forget(connection);
  close(connection);
  std::erase_if(watched_, [&](const pollfd& one) { return one.fd == connection; });
}

} // namespace thalweg::nic
