// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "nic/agent_messages.h"

#include <cstddef>
#include <cstring>
#include <string_view>
#include <sys/socket.h>
#include <sys/un.h>

namespace thalweg::nic {

/// Where a host's agent listens: a name without a file, of the network namespace.
class AgentName {
public:
  AgentName() {
    name_.sun_family = AF_UNIX;
    std::memcpy(name_.sun_path + 1, text.data(), text.size());
  }
  static constexpr std::string_view text = THALWEG_NIC_AGENT;
  const sockaddr* address() const { return reinterpret_cast<const sockaddr*>(&name_); }
  static constexpr socklen_t length() {
    return static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + text.size());
  }

private:
  sockaddr_un name_{};
};

} // namespace thalweg::nic
