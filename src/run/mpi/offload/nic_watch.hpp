// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Groups on network cards are looked after in all calls of MPI, as others may need this rank when its own
// calls have ended (nic_recovery.hpp).

#include <cstdint>
#include <memory>
#include <string>

namespace thalweg::mpi {

/// Notes for the report what the network devices do, or why they do not; each text once.
void note_nic(const std::string& text);

class WatchedNicGroup {
public:
  virtual ~WatchedNicGroup() = default;
  /// Goes on without waiting; true once it is over. `is_held`: somebody else has it still, who may begin
  /// more. `pause_ns` becomes shorter where it has to be looked after sooner.
  virtual bool go_on(bool is_held, std::uint64_t& pause_ns) noexcept = 0;
  /// Nobody begins more.
  virtual void close() = 0;
};

/// Until it is over.
void watch_nics(std::shared_ptr<WatchedNicGroup> group);

/// Before the library ends: brings all to their end, which waits for other ranks.
void close_nics();

} // namespace thalweg::mpi
