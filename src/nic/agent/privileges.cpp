// SPDX-License-Identifier: BSD-3-Clause
#include "nic/agent/privileges.hpp"

#include "base/error.hpp"

#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <grp.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace thalweg::nic {

namespace {

constexpr uid_t nobody = 65534;
// Numbers that came with Linux 5.8, for headers that are older.
constexpr unsigned bpf_capability = 39;

void require(bool is_done, const char* what) {
  if (!is_done)
    throw Error(fmt::format("the agent cannot {}: {}", what, std::strerror(errno)),
                "start it as root, or with CAP_BPF, CAP_NET_ADMIN and CAP_PERFMON", thalweg_error_system);
}

void keep(unsigned capability, __user_cap_data_struct (&sets)[2]) {
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
  keep(bpf_capability, sets);
  if (keeps_network)
    keep(CAP_NET_ADMIN, sets);
  require(syscall(SYS_capset, &header, sets) == 0, "give up capabilities");
}

} // namespace thalweg::nic
