// SPDX-License-Identifier: BSD-3-Clause
#include "transport/routed/routed_transport.hpp"

#include "base/assertion.hpp"
#include "transport/glances.hpp"

#include <algorithm>

namespace thalweg::transport {

namespace {

/// What a transport and its batches have together; batches may be the last to need it.
struct Routes {
  std::vector<Rank> near_ranks;
  wait::Policy waiting;
};

class RoutedBatch final : public Batch {
public:
  RoutedBatch(std::unique_ptr<Batch> near, std::unique_ptr<Batch> far, std::shared_ptr<const Routes> routes)
      : near_(std::move(near)), far_(std::move(far)), routes_(std::move(routes)) {}

  void reserve(std::size_t count) override {
    near_->reserve(count);
    far_->reserve(count);
  }

  void start_receive(std::uint32_t id, const Message& message) override {
    const Way way = way_of(message);
    ++way.in_flight;
    way.batch.start_receive(id, way.message);
  }

  void start_send(std::uint32_t id, const Message& message) override {
    const Way way = way_of(message);
    ++way.in_flight;
    way.batch.start_send(id, way.message);
    if (message.multicast.number != 0)
      (&way.batch == near_.get() ? far_ : near_)->pass_over(message);
  }

  void flush() override {
    near_->flush();
    far_->flush();
  }

  std::span<const int> poll() override {
    finished_.clear();
    gather(*near_, near_in_flight_);
    gather(*far_, far_in_flight_);
    return finished_;
  }

  // A send that was put together with others has finished, and is looked at no more; but what is waited for
  // on the other way may come only because of it.
  std::span<const int> wait() override {
    const auto look = [this] {
      flush();
      return poll().empty() ? wait::Look::nothing : wait::Look::reached;
    };
    wait::until(routes_->waiting, look);
    return finished_;
  }

  bool all_finished() override {
    poll();
    return near_in_flight_ + far_in_flight_ == 0;
  }

private:
  struct Way {
    Batch& batch;
    std::size_t& in_flight;
    Message message;
  };

  Way way_of(const Message& message) {
    THALWEG_ASSERT(normal,
                   message.peer >= 0 && static_cast<std::size_t>(message.peer) < routes_->near_ranks.size());
    const Rank near_rank = routes_->near_ranks[static_cast<std::size_t>(message.peer)];
    if (near_rank < 0)
      return {*far_, far_in_flight_, message};
    Message renamed = message;
    renamed.peer = near_rank;
    return {*near_, near_in_flight_, renamed};
  }

  void gather(Batch& batch, std::size_t& in_flight) {
    if (in_flight == 0)
      return;
    const auto found = batch.poll();
    THALWEG_ASSERT(normal, found.size() <= in_flight);
    finished_.insert(finished_.end(), found.begin(), found.end());
    in_flight -= found.size();
  }

  std::unique_ptr<Batch> near_;
  std::unique_ptr<Batch> far_;
  std::shared_ptr<const Routes> routes_;
  std::size_t near_in_flight_ = 0;
  std::size_t far_in_flight_ = 0;
  std::vector<int> finished_;
};

class RoutedTransport final : public Transport, public NeighborGlances {
public:
  RoutedTransport(std::unique_ptr<Transport> near, std::unique_ptr<Transport> far, const Routes& routes)
      : near_(std::move(near)), glances_(dynamic_cast<NeighborGlances*>(near_.get())), far_(std::move(far)),
        routes_(std::make_shared<const Routes>(routes)) {}

  Rank rank() const override { return far_->rank(); }
  std::int32_t ranks() const override { return far_->ranks(); }
  std::int32_t tag_limit() const override { return std::min(near_->tag_limit(), far_->tag_limit()); }
  std::size_t max_granule() const override { return std::min(near_->max_granule(), far_->max_granule()); }
  bool waits_by_looking() const override { return true; }
  double look_at_distance_ns() override { return near_->look_at_distance_ns(); }
  std::uint64_t glance_at_neighbor() override {
    return glances_ == nullptr ? 0 : glances_->glance_at_neighbor();
  }
  std::unique_ptr<Batch> make_batch() override {
    return std::make_unique<RoutedBatch>(near_->make_batch(), far_->make_batch(), routes_);
  }

private:
  std::unique_ptr<Transport> near_;
  NeighborGlances* glances_; ///< the near one's
  std::unique_ptr<Transport> far_;
  std::shared_ptr<const Routes> routes_;
};

} // namespace

std::unique_ptr<Transport> make_routed(std::unique_ptr<Transport> near, std::unique_ptr<Transport> far,
                                       std::vector<Rank> near_ranks, const wait::Policy& waiting) {
  THALWEG_ASSERT(light, near_ranks.size() == static_cast<std::size_t>(far->ranks()));
  THALWEG_ASSERT(light, near_ranks[static_cast<std::size_t>(far->rank())] == near->rank());
  return std::make_unique<RoutedTransport>(std::move(near), std::move(far),
                                           Routes{std::move(near_ranks), waiting});
}

} // namespace thalweg::transport
