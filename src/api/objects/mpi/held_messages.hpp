// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Messages that wait to be sent together, as the scheduler knows them.

#include <cstddef>
#include <cstdint>

namespace thalweg::objects {

class HeldMessages {
public:
  HeldMessages() = default;
  virtual ~HeldMessages() = default;
  HeldMessages(const HeldMessages&) = delete;
  HeldMessages& operator=(const HeldMessages&) = delete;

  /// What Scheduler::send_combined() has brought. So many bytes at its end are messages for this rank, which
  /// are run from where they are.
  virtual std::size_t take(std::uint16_t entry, const char* combined, std::size_t bytes) = 0;
  /// Bytes that wait.
  virtual std::uint64_t held() const = 0;
  /// No message is left on any rank, or on its way. All ranks send what waits, or where a message has failed
  /// drop it, and count anew.
  virtual void begin_epoch(bool sends) = 0;
};

} // namespace thalweg::objects
