#include "transport/parcels/parcel_transport.hpp"

namespace thalweg::transport {

struct ParcelTransport::Shared {
  Shared(std::unique_ptr<Transport> transport, const wait::Policy& how)
      : below(std::move(transport)), port(*below, below->tag_limit() - 1), waiting(how) {}
  std::unique_ptr<Transport> below;
  ParcelPort port;
  wait::Policy waiting;
};

class ParcelTransport::ParcelBatch final : public Batch {
public:
  explicit ParcelBatch(std::shared_ptr<Shared> shared)
      : shared_(std::move(shared)), alone_(shared_->below->make_batch()) {}
  ~ParcelBatch() override {
    if (taken_.under_way > 0)
      shared_->port.forget(&taken_);
  }
  ParcelBatch(const ParcelBatch&) = delete;
  ParcelBatch& operator=(const ParcelBatch&) = delete;

  void reserve(std::size_t count) override {
    alone_->reserve(count);
    taken_.finished.reserve(count);
    told_.reserve(count);
  }

  // Both ends of a message have its size, so both know how it goes.
  void start_receive(std::uint32_t slot, const Message& message) override {
    if (message.bytes <= longest_in_parcel) {
      shared_->port.receive(message, taken_, slot);
      return;
    }
    ++alone_under_way_;
    alone_->start_receive(slot, message);
  }

  void start_send(std::uint32_t slot, const Message& message) override {
    if (message.bytes <= longest_in_parcel) {
      shared_->port.send(message);
      taken_.finished.push_back(static_cast<int>(slot));
      return;
    }
    ++alone_under_way_;
    alone_->start_send(slot, message);
  }

  std::span<const int> poll() override {
    shared_->port.progress();
    told_.clear();
    std::swap(told_, taken_.finished);
    if (alone_under_way_ > 0) {
      const std::span<const int> found = alone_->poll();
      alone_under_way_ -= found.size();
      told_.insert(told_.end(), found.begin(), found.end());
    }
    return told_;
  }

  std::span<const int> wait() override {
    const auto look = [this] {
      shared_->port.flush();
      return poll().empty() ? wait::Look::nothing : wait::Look::reached;
    };
    wait::until(shared_->waiting, look);
    return told_;
  }

  bool all_finished() override {
    poll();
    return taken_.under_way == 0 && alone_under_way_ == 0;
  }

private:
  std::shared_ptr<Shared> shared_;
  std::unique_ptr<Batch> alone_; ///< messages that go by themselves
  std::size_t alone_under_way_ = 0;
  ParcelsTaken taken_;
  std::vector<int> told_;
};

ParcelTransport::ParcelTransport(std::unique_ptr<Transport> below, const wait::Policy& waiting)
    : shared_(std::make_shared<Shared>(std::move(below), waiting)) {}

Rank ParcelTransport::rank() const {
  return shared_->below->rank();
}

std::int32_t ParcelTransport::ranks() const {
  return shared_->below->ranks();
}

std::int32_t ParcelTransport::tag_limit() const {
  return shared_->below->tag_limit() - 1;
}

std::unique_ptr<Batch> ParcelTransport::make_batch() {
  return std::make_unique<ParcelBatch>(shared_);
}

void ParcelTransport::flush() {
  shared_->port.flush();
}

} // namespace thalweg::transport
