// SPDX-License-Identifier: BSD-3-Clause
#include "transport/aggregation/aggregating_transport.hpp"

namespace thalweg::transport {

struct AggregatingTransport::Shared {
  Shared(std::unique_ptr<Transport> transport, const wait::Policy& how)
      : below(std::move(transport)), port(*below, below->tag_limit() - 1), waiting(how) {}
  std::unique_ptr<Transport> below;
  AggregationPort port;
  wait::Policy waiting;
};

class AggregatingTransport::AggregatingBatch final : public Batch {
public:
  explicit AggregatingBatch(std::shared_ptr<Shared> shared)
      : shared_(std::move(shared)), alone_(shared_->below->make_batch()) {}
  ~AggregatingBatch() override {
    if (receives_.in_flight > 0)
      shared_->port.forget(&receives_);
  }
  AggregatingBatch(const AggregatingBatch&) = delete;
  AggregatingBatch& operator=(const AggregatingBatch&) = delete;

  void reserve(std::size_t count) override {
    alone_->reserve(count);
    receives_.finished.reserve(count);
    reported_.reserve(count);
  }

  void start_receive(std::uint32_t id, const Message& message) override {
    if (is_aggregated(message)) {
      shared_->port.receive(message, receives_, id);
      return;
    }
    ++alone_in_flight_;
    alone_->start_receive(id, message);
  }

  void start_send(std::uint32_t id, const Message& message) override {
    if (is_aggregated(message)) {
      shared_->port.send(message);
      receives_.finished.push_back(static_cast<int>(id));
      return;
    }
    ++alone_in_flight_;
    alone_->start_send(id, message);
  }

  void flush() override { shared_->port.flush(); }

  std::span<const int> poll() override {
    shared_->port.progress();
    reported_.clear();
    std::swap(reported_, receives_.finished);
    if (alone_in_flight_ > 0) {
      const std::span<const int> found = alone_->poll();
      alone_in_flight_ -= found.size();
      reported_.insert(reported_.end(), found.begin(), found.end());
    }
    return reported_;
  }

  std::span<const int> wait() override {
    const auto look = [this] {
      flush();
      return poll().empty() ? wait::Look::nothing : wait::Look::reached;
    };
    wait::until(shared_->waiting, look);
    return reported_;
  }

  bool all_finished() override {
    poll();
    return receives_.in_flight == 0 && alone_in_flight_ == 0;
  }

private:
  /// The same at both ends: they have its size, or know both that one of them has not.
  static bool is_aggregated(const Message& message) {
    return message.bytes <= max_aggregated_bytes && !message.at_most;
  }

  std::shared_ptr<Shared> shared_;
  std::unique_ptr<Batch> alone_; ///< messages that go by themselves
  std::size_t alone_in_flight_ = 0;
  AggregatedReceives receives_;
  std::vector<int> reported_;
};

AggregatingTransport::AggregatingTransport(std::unique_ptr<Transport> below, const wait::Policy& waiting)
    : shared_(std::make_shared<Shared>(std::move(below), waiting)) {}

Rank AggregatingTransport::rank() const {
  return shared_->below->rank();
}

std::int32_t AggregatingTransport::ranks() const {
  return shared_->below->ranks();
}

std::int32_t AggregatingTransport::tag_limit() const {
  return shared_->below->tag_limit() - 1;
}

std::unique_ptr<Batch> AggregatingTransport::make_batch() {
  return std::make_unique<AggregatingBatch>(shared_);
}

void AggregatingTransport::flush() {
  shared_->port.flush();
}

void AggregatingTransport::flush_unless_in_row() {
  shared_->port.flush_unless_in_row();
}

} // namespace thalweg::transport
