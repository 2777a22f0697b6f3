// SPDX-License-Identifier: BSD-3-Clause
#include "nic/agent/process.hpp"

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
#include <grp.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
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

namespace {

constexpr uid_t nobody = 65534;
// Numbers that came with Linux 5.8, for headers that are older.
constexpr unsigned bpf_capability = 39;

void require(bool is_done, const char* what) {
  if (!is_done)
    throw Error(fmt::format("the agent cannot {}: {}", what, std::strerror(errno)),
                "start it as root, or with CAP_BPF, CAP_NET_ADMIN and CAP_PERFMON", thalweg_error_system);
}

void keep_capability(unsigned capability, __user_cap_data_struct (&sets)[2]) {
  sets[capability / 32].effective |= 1U << capability % 32;
  sets[capability / 32].permitted |= 1U << capability % 32;
}

} // namespace

void drop_privileges(bool keeps_network) {
  require(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0, "give up new privileges");
  if (geteuid() == 0) {
    require(prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) == 0, "keep capabilities");
    require(setgroups(0, nullptr) == 0 && setresgid(nobody, nobody, nobody) == 0 &&
                setresuid(nobody, nobody, nobody) == 0,
            "become nobody");
  }
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct sets[2] = {};
  keep_capability(bpf_capability, sets);
  if (keeps_network)
    keep_capability(CAP_NET_ADMIN, sets);
  require(syscall(SYS_capset, &header, sets) == 0, "give up capabilities");
}

} // namespace thalweg::nic
