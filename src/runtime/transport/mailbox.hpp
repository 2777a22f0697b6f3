// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Messages that nobody awaits: short ones, to ranks that learn with a message who has sent it.

#include "base/rank.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace thalweg::transport {

/// A rank's mailbox in a group. Not thread-safe. Failures are thrown as Error.
class Mailbox {
public:
  virtual ~Mailbox() = default;
  /// Starts a message and returns its number. The bytes are copied.
  virtual std::uint64_t send(Rank to, std::span<const std::byte> bytes) = 0;
  /// Was the message received at its end? Once it was, its number is forgotten.
  virtual bool was_received(std::uint64_t number) = 0;
  /// Receives a message that has come; false where none has.
  virtual bool receive(std::vector<std::byte>& message) = 0;
};

} // namespace thalweg::transport
