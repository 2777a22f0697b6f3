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

  /// Sends what is put together: whoever is about to wait for others calls it, again and again.
  void flush();

private:
  struct Shared;
  class AggregatingBatch;
  std::shared_ptr<Shared> shared_; // batches may be the last to need it
};

} // namespace thalweg::transport
