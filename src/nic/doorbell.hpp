// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What wakes the ranks of a host that sleep in calls of a group. Programs in the kernel ring it where the
// page says that somebody sleeps.

#include "base/descriptor.hpp"
#include "nic/agent_messages.h"

#include <cstdint>
#include <functional>

namespace thalweg::nic {

class Doorbell {
public:
  /// `ring`: the kernel's ring buffer. `page`: the group's. Throws Error where there is no memory.
  Doorbell(Descriptor ring, thalweg_nic_page* page);
  ~Doorbell();
  Doorbell(const Doorbell&) = delete;
  Doorbell& operator=(const Doorbell&) = delete;

  /// Sleeps until it rings, at most so long; not if `has_come`, which is asked once it rings for all that
  /// comes.
  void sleep_unless(const std::function<bool()>& has_come, std::uint32_t longest_us);

private:
  void make_room();
  void unmap();

  Descriptor ring_;
  Descriptor rung_; // ready after a ring
  thalweg_nic_page* page_;
  // How far the ring buffer was read and written, in bytes; several ranks read it.
  std::uint64_t* read_ = nullptr;
  const std::uint64_t* written_ = nullptr;
};

} // namespace thalweg::nic
