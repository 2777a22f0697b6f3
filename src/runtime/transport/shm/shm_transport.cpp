// SPDX-License-Identifier: BSD-3-Clause
#include "transport/shm/shm_transport.hpp"

#include "base/assertion.hpp"
#include "transport/glances.hpp"

#include <algorithm>
#include <bit>

namespace thalweg::transport {

namespace {

// Longer rings let a rank go on for longer before the other has to read, and stay in cache: with 128 KiB
// instead of 64, all-to-alls of 1 MiB took 0.87 of the time; 256 were no faster in most calls of 8 ranks.
// With 1 MiB a position has left the reader's nearest caches when it is written again, which is then faster:
// two ranks' all-gathers of 64 KiB took 0.94 of the time that they took with 512 KiB, where 128 were no
// slower.
constexpr std::size_t usual_max_ring = std::size_t{128} << 10;
constexpr std::size_t max_ring = std::size_t{1} << 20;
constexpr std::size_t max_bytes_of_larger_rings = std::size_t{4} << 20;
constexpr std::size_t min_ring = std::size_t{4} << 10;
// With few ranks, channels hold more messages (128 of up to 8 ranks): where ranks share cores, one that only
// sends (a broadcast's root, a reduction's leaves) goes on for as many calls before it has to hand its core
// over.
std::uint32_t slot_bits(std::size_t ranks) {
  return ranks <= 8 ? 7 : ranks <= 16 ? 6 : 5;
}
// Each process maps these pages when it joins, in 0.4 us each.
constexpr std::size_t max_prepared = std::size_t{2304} << 10;
constexpr std::size_t max_bytes_of_rings = std::size_t{64} << 20;
constexpr std::size_t max_broadcast_bytes = std::size_t{1} << 20;
constexpr std::size_t min_broadcast_bytes = std::size_t{64} << 10;
constexpr std::size_t max_bytes_of_broadcast_buffers = std::size_t{64} << 20;

// Who sleeps is woken when something comes, so that to sleep soon costs little.
constexpr std::uint32_t max_yielding_us = 200;

/// Behind the doorbells and core slots.
std::size_t pings_begin(std::size_t ranks) {
  return ranks * (sizeof(Doorbell) + sizeof(CoreSlot));
}

/// Behind these, at a page's begin.
std::size_t slots_begin(std::size_t ranks) {
  constexpr std::size_t page = 4096;
  return (pings_begin(ranks) + ranks / 2 * sizeof(PingLines) + page - 1) / page * page;
}

/// What a transport and its batches have together; batches may be the last to need it.
struct Endpoint {
  Port port;
  Doorbell* doorbell;
  std::optional<CoreBalancer> balancer;
  std::optional<LinePing> ping; ///< where ranks have cores of their own
  wait::Policy waiting;
  std::shared_ptr<std::byte> memory;
};

/// Sleeps until its rank's doorbell wakes it, if it has one; and moves between cores, if these are balanced.
template <typename Looking>
struct SleepingSystem : wait::System {
  SleepingSystem(Endpoint& own, Looking& looking) : endpoint(&own), doorbell(own.doorbell), look(&looking) {}
  void yield() {
    if (endpoint->balancer)
      endpoint->balancer->give_away(*this, [this](Rank rank) {
        return GroupMemory::doorbell(endpoint->memory.get(), rank)
                   ->sleepers.load(std::memory_order_relaxed) != 0;
      });
    wait::System::yield();
  }
  void sleep_us(std::uint32_t duration) {
    if (doorbell == nullptr)
      wait::System::sleep_us(duration);
    else
      doorbell->sleep_unless([this] { return (*look)() != wait::Look::nothing; },
                             std::max(duration, min_sleep_us));
  }
  /// Whoever brings something wakes it: sleeps end by themselves only to look after others. With 1 ms
  /// instead, calls of 8 sleeping ranks took 1.4 to 1.6 times as long.
  static constexpr std::uint32_t min_sleep_us = 5000;
  Endpoint* endpoint;
  Doorbell* doorbell;
  Looking* look;
};

class ShmBatch final : public Batch {
public:
  explicit ShmBatch(std::shared_ptr<Endpoint> endpoint)
      : endpoint_(std::move(endpoint)), port_(&endpoint_->port) {}
  ~ShmBatch() override { port_->forget(&completions_); }
  ShmBatch(const ShmBatch&) = delete;
  ShmBatch& operator=(const ShmBatch&) = delete;

  void reserve(std::size_t count) override {
    if (entries_.size() < count)
      entries_.resize(count);
    completions_.finished.reserve(count);
    reported_.reserve(count);
  }

  void start_receive(std::uint32_t id, const Message& message) override {
    port_->start_receive(message.peer, occupy(id, message));
  }

  void start_send(std::uint32_t id, const Message& message) override {
    port_->start_send(message.peer, occupy(id, message));
  }

  void pass_over(const Message& message) override { port_->pass_over(completions_, message); }

  std::span<const int> poll() override {
    port_->progress(completions_);
    return report();
  }

  std::span<const int> wait() override {
    wait_for([](const Port::State& state) { return state.has_finished; });
    return report();
  }

  bool all_finished() override {
    if (port_->state(completions_).in_flight > 0 && port_->progress(completions_).in_flight > 0)
      return false;
    report();
    return true;
  }

  std::size_t send_at_once(std::span<const Message> sends) override {
    std::size_t gone = 0;
    while (gone < sends.size()) {
      const auto rest = sends.subspan(gone);
      const std::size_t published = port_->is_published(rest.front()) ? port_->try_publish(rest) : 0;
      if (published == 0 && !port_->try_send(rest.front()))
        break;
      gone += std::max<std::size_t>(published, 1);
    }
    return gone;
  }

  void transfer(std::span<const Message> receives, std::span<const Message> sends) override {
    reserve(receives.size() + sends.size());
    std::uint32_t id = 0;
    for (;;) {
      sends = sends.subspan(send_at_once(sends));
      if (sends.empty())
        break;
      start_send(id++, sends.front());
      sends = sends.subspan(1);
    }
    if (id == 0)
      receives = receive_in_order(receives);
    for (const Message& message : receives)
      start_receive(id++, message);
    wait_for([](const Port::State& state) { return state.in_flight == 0; });
    report();
  }

private:
  /// Waits for messages and takes them in their order, as long as none has to be started; gives those that
  /// are left.
  std::span<const Message> receive_in_order(std::span<const Message> receives) {
    auto look = [&] {
      wait::Look found = wait::Look::nothing;
      while (!receives.empty()) {
        const Port::Attempt attempt = port_->try_receive(receives.front());
        if (attempt == Port::Attempt::not_here)
          return found;
        if (attempt == Port::Attempt::must_be_posted)
          return wait::Look::reached;
        receives = receives.subspan(1);
        found = wait::Look::moved;
      }
      return wait::Look::reached;
    };
    wait::until(endpoint_->waiting, look, SleepingSystem(*endpoint_, look));
    return receives;
  }

  InFlightMessage& occupy(std::uint32_t id, const Message& message) {
    THALWEG_ASSERT(normal, id < entries_.size());
    entries_[id] = {message, 0, &completions_, id};
    return entries_[id];
  }

  std::span<const int> report() {
    port_->take_finished(completions_, reported_);
    return reported_;
  }

  template <typename Condition>
  void wait_for(Condition is_reached) {
    Port::State before = port_->state(completions_);
    if (is_reached(before))
      return;
    auto look = [&] {
      const Port::State now = port_->progress(completions_);
      if (is_reached(now))
        return wait::Look::reached;
      const bool moved = now.in_flight != before.in_flight;
      before = now;
      return moved ? wait::Look::moved : wait::Look::nothing;
    };
    wait::until(endpoint_->waiting, look, SleepingSystem(*endpoint_, look));
  }

  std::shared_ptr<Endpoint> endpoint_;
  Port* port_;
  std::vector<InFlightMessage> entries_;
  Completions completions_;
  std::vector<int> reported_;
};

class ShmTransport final : public Transport, public NeighborGlances {
public:
  ShmTransport(std::shared_ptr<Endpoint> endpoint, Rank rank, std::int32_t ranks)
      : endpoint_(std::move(endpoint)), rank_(rank), ranks_(ranks) {}

  Rank rank() const override { return rank_; }
  std::int32_t ranks() const override { return ranks_; }
  std::int32_t tag_limit() const override { return INT32_MAX; }
  std::size_t max_granule() const override { return endpoint_->port.max_granule(); }
  bool waits_by_looking() const override { return true; }
  bool calls_library() const override { return false; }
  void share_among_threads() override { endpoint_->port.share(); }
  std::unique_ptr<Batch> make_batch() override { return std::make_unique<ShmBatch>(endpoint_); }
  double look_at_distance_ns() override { return endpoint_->ping ? endpoint_->ping->look_ns() : 0; }
  std::uint64_t glance_at_neighbor() override { return endpoint_->ping ? endpoint_->ping->glance() : 0; }

private:
  std::shared_ptr<Endpoint> endpoint_;
  Rank rank_;
  std::int32_t ranks_;
};

} // namespace

GroupMemory::GroupMemory(std::int32_t ranks) : ranks_(static_cast<std::size_t>(ranks)) {
  const auto part_of = [this](std::size_t bytes) { return std::bit_floor(bytes / (ranks_ * ranks_)); };
  const std::size_t ring = std::clamp(part_of(max_bytes_of_rings), min_ring, usual_max_ring);
  shape_ = {std::clamp(part_of(max_bytes_of_larger_rings), ring, max_ring), slot_bits(ranks_)};
  const std::size_t published = std::clamp(std::bit_floor(max_bytes_of_broadcast_buffers / ranks_),
                                           min_broadcast_bytes, max_broadcast_bytes);
  broadcast_bytes_ = sizeof(BroadcastHeader) + published;
}

std::size_t GroupMemory::bytes() const {
  return broadcast_begin() + ranks_ * broadcast_bytes_;
}

std::size_t GroupMemory::bytes_to_prepare() const {
  return rings_begin() <= max_prepared ? rings_begin() : 0;
}

Doorbell* GroupMemory::doorbell(std::byte* memory, Rank rank) {
  return reinterpret_cast<Doorbell*>(memory) + rank;
}

CoreSlot* GroupMemory::core_slots(std::byte* memory) const {
  return reinterpret_cast<CoreSlot*>(memory + ranks_ * sizeof(Doorbell));
}

PingLines* GroupMemory::ping_lines(std::byte* memory, Rank rank) const {
  const std::size_t pair = static_cast<std::size_t>(rank) / 2;
  return pair < ranks_ / 2 ? reinterpret_cast<PingLines*>(memory + pings_begin(ranks_)) + pair : nullptr;
}

ChannelMemory GroupMemory::channel(std::byte* memory, Rank from, Rank to) const {
  THALWEG_ASSERT(light, from >= 0 && static_cast<std::size_t>(from) < ranks_);
  THALWEG_ASSERT(light, to >= 0 && static_cast<std::size_t>(to) < ranks_);
  const std::size_t number = static_cast<std::size_t>(to) * ranks_ + static_cast<std::size_t>(from);
  ChannelMemory channel;
  channel.shape = shape_;
  channel.slots = reinterpret_cast<Slot*>(memory + slots_begin(ranks_)) + number;
  channel.stride = channels();
  // Processors fetch lines in pairs: each credit has a pair of its own.
  channel.credit = reinterpret_cast<Credit*>(memory + credits_begin()) + 2 * number;
  channel.ring = memory + rings_begin() + number * shape_.ring_bytes;
  channel.broadcast_buffer = broadcast_memory(memory, from);
  return channel;
}

BroadcastBuffer GroupMemory::broadcast_buffer(std::byte* memory, Rank rank) const {
  return {broadcast_memory(memory, rank), broadcast_bytes_};
}

std::size_t GroupMemory::credits_begin() const {
  return slots_begin(ranks_) + shape_.slots() * channels() * sizeof(Slot);
}

std::size_t GroupMemory::rings_begin() const {
  return credits_begin() + 2 * channels() * sizeof(Credit);
}

std::size_t GroupMemory::broadcast_begin() const {
  return rings_begin() + channels() * shape_.ring_bytes;
}

std::byte* GroupMemory::broadcast_memory(std::byte* memory, Rank rank) const {
  return memory + broadcast_begin() + static_cast<std::size_t>(rank) * broadcast_bytes_;
}

std::unique_ptr<Transport> make_shm_transport(const std::shared_ptr<std::byte>& memory, Rank rank,
                                              std::int32_t ranks, const NodeUse& use) {
  THALWEG_ASSERT(light, rank >= 0 && rank < ranks);
  THALWEG_ASSERT(light, reinterpret_cast<std::uintptr_t>(memory.get()) % cache_line == 0);
  const GroupMemory group(ranks);
  const auto doorbell = [&](Rank of) {
    return use.sleeps ? GroupMemory::doorbell(memory.get(), of) : nullptr;
  };
  std::vector<PeerChannels> peers;
  for (Rank peer = 0; peer < ranks; ++peer)
    peers.push_back(
        {group.channel(memory.get(), rank, peer), group.channel(memory.get(), peer, rank), doorbell(peer)});
  wait::Policy waiting = use.waiting;
  if (use.sleeps)
    waiting.settings.yield_us = std::min(waiting.settings.yield_us, max_yielding_us);
  std::optional<CoreBalancer> balancer;
  if (use.balances_cores && use.sleeps && !use.threaded)
    balancer.emplace(group.core_slots(memory.get()), rank, ranks);
  std::optional<LinePing> ping;
  if (PingLines* const lines = group.ping_lines(memory.get(), rank); lines != nullptr && !use.sleeps)
    ping.emplace(lines, rank % 2 == 0);
  std::shared_ptr<Endpoint> endpoint(
      new Endpoint{Port(peers, group.broadcast_buffer(memory.get(), rank), use.threaded), doorbell(rank),
                   std::move(balancer), ping, waiting, memory});
  return std::make_unique<ShmTransport>(std::move(endpoint), rank, ranks);
}

} // namespace thalweg::transport
