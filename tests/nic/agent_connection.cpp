#include "nic/agent_connection.hpp"

#include "core/error.hpp"
#include "nic/agent_name.hpp"

#include <chrono>
#include <gtest/gtest.h>
#include <sched.h>
#include <string>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

namespace thalweg::nic {
namespace {

// A socket with the agent's name, in a network of its own, where nobody answers: as if the agent were
// stopped.
class SilentAgent {
public:
  SilentAgent() {
    if (unshare(CLONE_NEWNET) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0)
      return;
    socket_ = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    const AgentName name;
    is_there_ = bind(socket_, name.address(), name.length()) == 0 && listen(socket_, 1) == 0;
  }
  ~SilentAgent() {
    close(socket_);
    for (const int one : waiting_)
      close(one);
  }
  SilentAgent(const SilentAgent&) = delete;
  SilentAgent& operator=(const SilentAgent&) = delete;
  bool is_there() const { return is_there_; }

  // Others wait there already, so that not even a connection is to be had.
  void crowd() {
    const AgentName name;
    do {
      waiting_.push_back(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    } while (connect(waiting_.back(), name.address(), name.length()) == 0);
  }

private:
  int socket_ = -1;
  bool is_there_ = false;
  std::vector<int> waiting_;
};

std::string why_not() {
  try {
    const AgentConnection connection(std::chrono::milliseconds(5));
    return "it answers";
  } catch (const Error& error) {
    return error.what();
  }
}

// Each in a process of its own: what is remembered of agents, and the network, are the process's.
void expect_end(bool is_crowded) {
  EXPECT_EXIT(
      {
        SilentAgent agent;
        if (!agent.is_there())
          _exit(0);
        if (is_crowded)
          agent.crowd();
        if (known_aggregator() != 0)
          _exit(1);
        const std::string first = why_not();
        const std::string second = why_not();
        if (!first.starts_with("the agent does not answer") ||
            !second.starts_with("the agent did not answer within the last minute"))
          _exit(2);
        _exit(0);
      },
      testing::ExitedWithCode(0), "");
}

TEST(NicAgentConnection, AnAgentThatIsStoppedHoldsNobodyUp) {
  expect_end(false);
}

TEST(NicAgentConnection, NorWhereMoreAskItThanItLetsWait) {
  expect_end(true);
}

} // namespace
} // namespace thalweg::nic
