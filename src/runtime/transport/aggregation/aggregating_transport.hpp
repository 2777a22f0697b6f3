// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A transport whose short messages travel together (aggregation_port.hpp), over another one.

#include "transport/aggregation/aggregation_port.hpp"
#include "wait/policy.hpp"

namespace thalweg::transport {

class AggregatingTransport final : public Transport {
public:
  /// The last tag of the transport below is for packets.
  AggregatingTransport(std::unique_ptr<Transport> below, const wait::Policy& waiting);

  Rank rank() const override;
  std::int32_t ranks() const override;
  std::int32_t tag_limit() const override;
  bool waits_by_looking() const override { return true; }
  std::unique_ptr<Batch> make_batch() override;

  /// Sends what is put together. Whoever is about to wait for others calls it, again and again; and whoever
  /// goes back to a program, which may be long in coming again.
  void flush();
  /// The same for a call that is likely to be one of a row: the first goes at once, the others together.
  void flush_unless_in_row();

private:
  struct Shared;
  class AggregatingBatch;
  std::shared_ptr<Shared> shared_; // batches may be the last to need it
};

} // namespace thalweg::transport
