// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A few small messages to ranks that do not expect them, in O(log P) time beside the messages. Source:
// Hoefler, Siebert and Lumsdaine 2010, "Scalable communication protocols for dynamic sparse data exchange"
// (its nonblocking consensus).
//
// Whoever has seen all its messages received comes to a barrier. Once all have come, nothing is on its way.

#include "control/collective.hpp"
#include "transport/mailbox.hpp"

#include <map>

namespace thalweg::control {

/// What has come from ranks that sent it unasked, by the operation that it belongs to. A message may come
/// before this rank has begun that operation.
class Arrivals {
public:
  explicit Arrivals(std::unique_ptr<transport::Mailbox> mailbox) : mailbox_(std::move(mailbox)) {}

  transport::Mailbox& mailbox() { return *mailbox_; }
  /// Takes a message in, if one has come.
  bool take_in();
  /// The bytes for that operation behind one another, in any order of senders.
  std::vector<std::byte>& of(std::uint64_t label) { return by_label_[label]; }
  void forget(std::uint64_t label) { by_label_.erase(label); }

private:
  std::unique_ptr<transport::Mailbox> mailbox_;
  std::vector<std::byte> message_;
  std::map<std::uint64_t, std::vector<std::byte>> by_label_;
};

class SparseExchange final : public Awaitable {
public:
  /// Sends `values[i * value_bytes]` to position `to[i]`. Everything outlives it.
  SparseExchange(Endpoint& endpoint, Arrivals& arrivals, std::span<const std::int32_t> to,
                 const std::byte* values, std::size_t value_bytes)
      : endpoint_(endpoint), arrivals_(arrivals), to_(to), values_(values), value_bytes_(value_bytes),
        barrier_(endpoint, {}) {}
  ~SparseExchange();

  void begin(TaskContext& context) override;
  wait::Look look() override;
  /// At its end: what others have sent to this rank.
  const std::vector<std::byte>& received() const { return arrivals_.of(label_); }

private:
  Endpoint& endpoint_;
  Arrivals& arrivals_;
  std::span<const std::int32_t> to_;
  const std::byte* values_;
  std::size_t value_bytes_;
  std::uint64_t label_ = 0;
  std::vector<std::uint64_t> sent_; ///< not seen received yet
  Collective barrier_;
  engine::Tags tags_;     ///< of the barrier
  bool has_come_ = false; ///< to the barrier
};

} // namespace thalweg::control
