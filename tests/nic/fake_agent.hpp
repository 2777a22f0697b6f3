// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A host's agent as tests have it, in a process with a network of its own, where no other one is. Nothing of
// it waits either: so a test plays both sides, and what it calls returns whatever the agent has not done.

#include "nic/agent_connection.hpp"
#include "nic/agent_messages.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <gtest/gtest.h>
#include <iterator>
#include <optional>
#include <sched.h>
#include <span>
#include <string>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace thalweg::nic {

class FakeAgent {
public:
  FakeAgent() {
    if (unshare(CLONE_NEWNET) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0)
      return;
    listening_ = a_socket();
    const AgentName name;
    is_there_ = bind(listening_, name.address(), name.length()) == 0 && listen(listening_, 1) == 0;
  }
  bool is_there() const { return is_there_; }

  /// Others wait there already, so that not even a connection is to be had.
  void crowd() {
    const AgentName name;
    do {
      crowd_.push_back(a_socket());
    } while (connect(crowd_.back(), name.address(), name.length()) == 0);
  }
  /// They all leave.
  void disperse() {
    while (accept())
      hang_up();
    for (const int one : crowd_)
      close(one);
    crowd_.clear();
  }

  bool accept() {
    const int made = accept4(listening_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (made >= 0)
      connections_.push_back(made);
    return made >= 0;
  }
  /// What the connection that came last says.
  std::optional<thalweg_nic_request> hear() const {
    thalweg_nic_request request{};
    if (recv(connections_.back(), &request, sizeof request, 0) != sizeof request)
      return std::nullopt;
    return request;
  }
  void answer(const void* data, std::size_t bytes, int descriptors = 0) const {
    iovec part{const_cast<void*>(data), bytes};
    std::vector<int> given(static_cast<std::size_t>(descriptors), listening_);
    std::vector<std::size_t> control(CMSG_SPACE(given.size() * sizeof(int)) / sizeof(std::size_t) + 1);
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    if (descriptors > 0) {
      message.msg_control = control.data();
      message.msg_controllen = CMSG_SPACE(given.size() * sizeof(int));
      cmsghdr* const header = CMSG_FIRSTHDR(&message);
      header->cmsg_level = SOL_SOCKET;
      header->cmsg_type = SCM_RIGHTS;
      header->cmsg_len = CMSG_LEN(given.size() * sizeof(int));
      std::memcpy(CMSG_DATA(header), given.data(), given.size() * sizeof(int));
    }
    sendmsg(connections_.back(), &message, MSG_NOSIGNAL);
  }
  void answer(const thalweg_nic_reply& reply, int descriptors = 0) const {
    answer(&reply, sizeof reply, descriptors);
  }
  void hang_up() {
    close(connections_.back());
    connections_.pop_back();
  }
  void end() {
    close(listening_);
    while (!connections_.empty())
      hang_up();
  }

private:
  static int a_socket() { return ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0); }

  int listening_ = -1;
  bool is_there_ = false;
  std::vector<int> crowd_;
  std::vector<int> connections_;
};

inline thalweg_nic_reply a_reply(const std::string& reason = "") {
  thalweg_nic_reply reply{};
  reply.version = THALWEG_NIC_VERSION;
  reply.refused = reason.empty() ? 0 : 1;
  reply.address = 1;
  reply.mtu = 1500;
  reply.aggregator = 7;
  reply.spine = 9;
  std::copy_n(reason.data(), std::min(reason.size(), sizeof reply.reason), reply.reason);
  return reply;
}

/// Of this process.
inline std::ptrdiff_t open_descriptors() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
}

/// In a process of its own: what is remembered of agents, and the network, are the process's.
template <typename Body>
void with_agent(Body body) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    FakeAgent agent;
    if (agent.is_there())
      body(agent);
    _exit(testing::Test::HasFailure() ? 1 : 0);
  }
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

} // namespace thalweg::nic
