// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What this rank asks agents for: its host's to name itself and then to take it into a group, and those that
// aggregate for other hosts to take these. Nobody waits for an answer.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/assertion.hpp"
#include "nic/agent_connection.hpp"
#include "nic/joining.hpp"

namespace thalweg::mpi {

class NicAgents {
public:
  // Has its host's agent name itself, and what it knows of the operator; `combiner` may be empty.
  void greet(const std::string& combiner) {
    agent_ = std::make_unique<nic::AgentConnection>();
    agent_->greet(combiner);
  }
  // Has it take this rank into the group, as one of its ranks here: `ranks` are named by contributor.
  void join(const thalweg_nic_group& group, std::uint32_t local, std::vector<std::int32_t> ranks) {
    if (!agent_)
      agent_ = std::make_unique<nic::AgentConnection>();
    joining_.emplace(std::move(agent_), group, local, std::move(ranks));
  }
  // Has the one at that address aggregate for the group.
  void enroll(std::uint32_t address, const thalweg_nic_group& group, std::vector<std::int32_t> ranks) {
    enrolling_.push_back(std::make_unique<nic::AgentConnection>());
    enrolling_.back()->enroll(address, group, std::move(ranks));
  }
  // Nothing more is wanted of the host's own one, or of those that aggregate.
  void leave_own() {
    agent_.reset();
    joining_.reset();
  }
  void leave_aggregators() { enrolling_.clear(); }

  // Looks for answers; true once nothing is asked any more. `greeted(agent)`, `joined(group)` and
  // `enrolled(why_not)` hear each one; `failed(error)`, what went wrong with the host's own.
  template <class Greeted, class Joined, class Enrolled, class Failed>
  bool have_answered(Greeted greeted, Joined joined, Enrolled enrolled, Failed failed) {
    try {
      has_own_answer_ = has_own_answer_ || look_at_own(greeted, joined);
    } catch (const std::exception& error) {
      failed(error);
      has_own_answer_ = true;
    }
    std::erase_if(enrolling_, [&](const std::unique_ptr<nic::AgentConnection>& one) {
      const std::optional<std::string> answer = one->enrolled();
      if (answer)
        enrolled(*answer);
      return answer.has_value();
    });
    if (!has_own_answer_ || !enrolling_.empty())
      return false;
    has_own_answer_ = false;
    return true;
  }

  // Where the host's own is about to answer; -1: it was not asked.
  int asked() const {
    return has_own_answer_ ? -1 : joining_ ? joining_->asked() : agent_ ? agent_->asked() : -1;
  }

private:
  template <class Greeted, class Joined>
  bool look_at_own(Greeted greeted, Joined joined) {
    if (joining_) {
      std::optional<nic::KernelGroup> group = joining_->look();
      if (!group)
        return false;
      joining_.reset();
      joined(std::move(*group));
    } else if (agent_) {
      if (!agent_->has_greeted())
        return false;
      greeted(*agent_);
    }
    return true;
  }

  std::unique_ptr<nic::AgentConnection> agent_;
  std::optional<nic::GroupRequest> joining_;
  std::vector<std::unique_ptr<nic::AgentConnection>> enrolling_;
  bool has_own_answer_ = false;
};

} // namespace thalweg::mpi
