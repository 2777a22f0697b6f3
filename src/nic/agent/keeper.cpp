// SPDX-License-Identifier: BSD-3-Clause
#include "nic/agent/keeper.hpp"

#include "base/error.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <exception>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace thalweg::nic {

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds short_life{1};
constexpr timespec pause_after_short_life{0, 200'000'000};

volatile std::sig_atomic_t ends = 0;
volatile pid_t serving = 0;

// It may come between any two lines of `keep`, where a flag alone would be seen too late.
void end(int) {
  ends = 1;
  if (serving > 0)
    kill(serving, SIGTERM);
}

[[noreturn]] void be_server(const std::function<void(const Ledger&)>& serve,
                            const std::function<void()>& take_down, const Ledger& ledger, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent)
    ends = 1;
  int code = 0;
  try {
    serve(ledger);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "thalweg-nic-agent: %s\n", error.what());
    code = 1;
  }
  if (getppid() != parent)
    take_down();
  std::fflush(nullptr);
  _exit(code);
}

// How the process ended; whether another one is to go on.
bool is_to_go_on(pid_t ended, bool was_short) {
  int status = 0;
  while (waitpid(ended, &status, 0) < 0 && errno == EINTR) {
  }
  if (ends != 0 || (WIFEXITED(status) && WEXITSTATUS(status) == 0))
    return false;
  const std::string how = WIFSIGNALED(status) ? fmt::format("by signal {}", WTERMSIG(status))
                                              : fmt::format("with {}", WEXITSTATUS(status));
  std::fprintf(stderr, "thalweg-nic-agent: what served has ended %s; another one goes on\n", how.c_str());
  if (was_short)
    nanosleep(&pause_after_short_life, nullptr);
  return ends == 0;
}

} // namespace

void handle_ends() {
  struct sigaction action {};
  action.sa_handler = end;
  for (const int number : {SIGTERM, SIGINT, SIGHUP})
    sigaction(number, &action, nullptr);
}

bool is_to_end() {
  return ends != 0;
}

void keep(const std::function<void(const Ledger&)>& serve, const std::function<void()>& take_down) {
  KeptGroups kept;
  for (;;) {
    std::array<int, 2> ledger{};
    const Clock::time_point begun = Clock::now();
    const pid_t own = getpid();
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ledger.data()) < 0)
      throw Error(fmt::format("no sockets for the agent: {}", std::strerror(errno)), "look at its limits",
                  thalweg_error_system);
    const pid_t made = fork();
    if (made == 0) {
      close(ledger[0]);
      be_server(serve, take_down, Ledger(ledger[1], kept), own);
    }
    close(ledger[1]);
    if (made < 0)
      throw Error(fmt::format("no process for the agent: {}", std::strerror(errno)), "look at its limits",
                  thalweg_error_system);
    serving = made;
    if (ends != 0)
      kill(made, SIGTERM);
    read_ledger(ledger[0], kept);
    close(ledger[0]);
    serving = 0;
    if (!is_to_go_on(made, Clock::now() - begun < short_life))
      return;
  }
}

} // namespace thalweg::nic
