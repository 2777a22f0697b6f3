#include "transport/shm/shm_transport.hpp"

#include <algorithm>
#include <bit>

namespace thalweg::transport {

namespace {

constexpr std::size_t largest_ring = std::size_t{64} << 10;
constexpr std::size_t smallest_ring = std::size_t{4} << 10;
constexpr std::size_t most_of_all_rings = std::size_t{64} << 20;

/// Sleeps until its rank's bell is rung, if it has one.
template <typename Looking>
struct SleepingSystem : WaitSystem {
  SleepingSystem(Bell* own, Looking& looking) : bell(own), look(&looking) {}
  void sleep_us(std::uint32_t duration) {
    if (bell == nullptr)
      WaitSystem::sleep_us(duration);
    else
      bell->sleep_unless([this] { return (*look)() != Look::nothing; }, std::max(duration, shortest_us));
  }
  /// Whoever brings something rings: sleeps end by themselves only to look after others.
  static constexpr std::uint32_t shortest_us = 1000;
  Bell* bell;
  Looking* look;
};

class ShmBatch final : public Batch {
public:
  ShmBatch(std::shared_ptr<Port> port, Bell* bell, const Waiting& waiting)
      : port_(std::move(port)), bell_(bell), waiting_(waiting) {}
  ~ShmBatch() override {
    if (completions_.under_way > 0)
      port_->forget(&completions_);
  }
  ShmBatch(const ShmBatch&) = delete;
  ShmBatch& operator=(const ShmBatch&) = delete;

  void reserve(std::size_t count) override {
    if (slots_.size() < count)
      slots_.resize(count);
    completions_.finished.reserve(count);
    told_.reserve(count);
  }

  void start_receive(std::uint32_t slot, const Message& message) override {
    port_->start_receive(message.peer, occupy(slot, message));
  }

  void start_send(std::uint32_t slot, const Message& message) override {
    port_->start_send(message.peer, occupy(slot, message));
  }

  std::span<const int> poll() override {
    port_->progress();
    return tell();
  }

  std::span<const int> wait() override {
    wait_for([this] { return !completions_.finished.empty(); });
    return tell();
  }

  bool all_finished() override {
    if (completions_.under_way > 0)
      port_->progress();
    if (completions_.under_way > 0)
      return false;
    completions_.finished.clear();
    return true;
  }

  void transfer(std::span<const Message> receives, std::span<const Message> sends) override {
    reserve(receives.size() + sends.size());
    std::uint32_t slot = 0;
    for (const Message& message : sends)
      if (!port_->send_now(message))
        start_send(slot++, message);
    if (slot == 0)
      receives = take_what_comes(receives);
    for (const Message& message : receives)
      start_receive(slot++, message);
    wait_for([this] { return completions_.under_way == 0; });
    completions_.finished.clear();
  }

private:
  /// Takes messages that come soon, in their order; gives those that are left.
  std::span<const Message> take_what_comes(std::span<const Message> receives) {
    for (std::uint32_t look = 0; !receives.empty() && look < waiting_.looks; ++look) {
      const Port::Now now = port_->take_now(receives.front());
      if (now == Port::Now::must_be_started)
        break;
      if (now == Port::Now::taken)
        receives = receives.subspan(1);
    }
    return receives;
  }

  UnderWay& occupy(std::uint32_t slot, const Message& message) {
    ++completions_.under_way;
    slots_[slot] = {message, 0, &completions_, slot};
    return slots_[slot];
  }

  std::span<const int> tell() {
    std::swap(completions_.finished, told_);
    completions_.finished.clear();
    return told_;
  }

  template <typename Condition>
  void wait_for(Condition is_reached) {
    if (is_reached())
      return;
    std::size_t before = completions_.under_way;
    auto look = [&] {
      port_->progress();
      if (is_reached())
        return Look::reached;
      const bool moved = completions_.under_way != before;
      before = completions_.under_way;
      return moved ? Look::moved : Look::nothing;
    };
    wait_until(waiting_, look, SleepingSystem(bell_, look));
  }

  std::shared_ptr<Port> port_;
  Bell* bell_;
  const Waiting& waiting_;
  std::vector<UnderWay> slots_;
  Completions completions_;
  std::vector<int> told_;
};

class ShmTransport final : public Transport {
public:
  ShmTransport(std::shared_ptr<Port> port, Bell* bell, Rank rank, std::int32_t ranks, const Waiting& waiting)
      : port_(std::move(port)), bell_(bell), rank_(rank), ranks_(ranks), waiting_(waiting) {}

  Rank rank() const override { return rank_; }
  std::int32_t ranks() const override { return ranks_; }
  std::int32_t tag_limit() const override { return INT32_MAX; }
  std::size_t most_granule() const override { return port_->most_granule(); }
  bool waits_by_looking() const override { return true; }
  std::unique_ptr<Batch> make_batch() override { return std::make_unique<ShmBatch>(port_, bell_, waiting_); }

private:
  std::shared_ptr<Port> port_;
  Bell* bell_;
  Rank rank_;
  std::int32_t ranks_;
  Waiting waiting_;
};

} // namespace

GroupMemory::GroupMemory(std::int32_t ranks) : ranks_(static_cast<std::size_t>(ranks)) {
  const std::size_t fair = std::bit_floor(most_of_all_rings / (ranks_ * ranks_));
  ring_bytes_ = std::clamp(fair, smallest_ring, largest_ring);
}

std::size_t GroupMemory::bytes() const {
  return ranks_ * sizeof(Bell) + ranks_ * ranks_ * ChannelMemory::bytes(ring_bytes_);
}

Bell* GroupMemory::bell(std::byte* memory, Rank rank) {
  return reinterpret_cast<Bell*>(memory) + rank;
}

ChannelMemory GroupMemory::channel(std::byte* memory, Rank from, Rank to) const {
  const std::size_t number = static_cast<std::size_t>(to) * ranks_ + static_cast<std::size_t>(from);
  return ChannelMemory::at(memory + ranks_ * sizeof(Bell) + number * ChannelMemory::bytes(ring_bytes_),
                           ring_bytes_);
}

std::unique_ptr<Transport> make_shm_transport(std::byte* memory, Rank rank, std::int32_t ranks,
                                              const NodeUse& use) {
  const GroupMemory group(ranks);
  const auto bell = [&](Rank of) { return use.sleeps ? GroupMemory::bell(memory, of) : nullptr; };
  std::vector<Line> lines;
  for (Rank peer = 0; peer < ranks; ++peer)
    lines.push_back({group.channel(memory, rank, peer), group.channel(memory, peer, rank), bell(peer)});
  return std::make_unique<ShmTransport>(std::make_shared<Port>(lines, use.threaded), bell(rank), rank, ranks,
                                        use.waiting);
}

} // namespace thalweg::transport
