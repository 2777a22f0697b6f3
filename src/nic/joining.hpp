// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A group that a rank has asked its host's agent for, until that has answered.

#include "nic/kernel_group.hpp"

#include <memory>
#include <optional>
#include <span>

namespace thalweg::nic {

class Joining {
public:
  /// Asks for it, as its `local`-th rank on this host; does not wait. Throws Error where the agent does not
  /// listen.
  Joining(std::unique_ptr<AgentConnection> agent, const thalweg_nic_group& view, std::uint32_t local,
          std::span<const std::int32_t> ranks)
      : agent_(std::move(agent)), view_(view), local_(local) {
    agent_->join(view, local, ranks);
  }

  int asked() const { return agent_->asked(); }
  /// Nothing yet, or the membership, once. Throws Error where the agent refuses or does not answer, or there
  /// is no memory.
  std::optional<KernelGroup> look() {
    std::optional<AgentConnection::Membership> given = agent_->joined();
    if (!given)
      return std::nullopt;
    return std::optional<KernelGroup>(std::in_place, std::move(agent_), view_, local_, std::move(*given));
  }

private:
  std::unique_ptr<AgentConnection> agent_;
  thalweg_nic_group view_;
  std::uint32_t local_;
};

} // namespace thalweg::nic
