#include "transport/shm/shm_transport.hpp"

#include <algorithm>
#include <bit>

namespace thalweg::transport {

namespace {

// Longer rings let a rank go on for longer before the other has to read, and stay in cache: with 128 KiB
// instead of 64, all-to-alls of 1 MiB took 0.87 of the time; 256 were no faster in most calls of 8 ranks.
// With 1 MiB a place has left the reader's nearest caches when it is written again, which is then faster: two
// ranks' all-gathers of 64 KiB took 0.94 of the time that they took with 512 KiB, where 128 were no slower.
constexpr std::size_t large_ring = std::size_t{128} << 10;
constexpr std::size_t largest_ring = std::size_t{1} << 20;
constexpr std::size_t most_of_larger_rings = std::size_t{4} << 20;
constexpr std::size_t smallest_ring = std::size_t{4} << 10;
// With few ranks, channels hold more messages (128 of up to 8 ranks): where ranks share cores, one that only
// sends (a broadcast's root, a reduction's leaves) goes on for as many calls before it has to hand its core
// over.
std::uint32_t cell_bits(std::size_t ranks) {
  return ranks <= 8 ? 7 : ranks <= 16 ? 6 : 5;
}
// Each process maps these pages when it joins, in 0.4 us each.
constexpr std::size_t most_prepared = std::size_t{2304} << 10;
constexpr std::size_t most_of_all_rings = std::size_t{64} << 20;
constexpr std::size_t largest_board = std::size_t{1} << 20;
constexpr std::size_t smallest_board = std::size_t{64} << 10;
constexpr std::size_t most_of_all_boards = std::size_t{64} << 20;

// Who sleeps is woken when something comes, so that to sleep soon costs little.
constexpr std::uint32_t longest_yielding_us = 200;

/// Behind the bells and whereabouts, at a page's begin.
std::size_t cells_begin(std::size_t ranks) {
  constexpr std::size_t page = 4096;
  return (ranks * (sizeof(Bell) + sizeof(Whereabouts)) + page - 1) / page * page;
}

/// What a transport and its batches have together; batches may be the last to need it.
struct End {
  Port port;
  Bell* bell;
  std::optional<Crowd> crowd;
  wait::Policy waiting;
  std::shared_ptr<std::byte> memory;
};

/// Sleeps until its rank's bell is rung, if it has one; and moves between cores, if ranks are to be spread.
template <typename Looking>
struct SleepingSystem : wait::System {
  SleepingSystem(End& own, Looking& looking) : end(&own), bell(own.bell), look(&looking) {}
  void yield() {
    if (end->crowd)
      end->crowd->give_away(*this, [this](Rank rank) {
        return GroupMemory::bell(end->memory.get(), rank)->sleepers.load(std::memory_order_relaxed) != 0;
      });
    wait::System::yield();
  }
  void sleep_us(std::uint32_t duration) {
    if (bell == nullptr)
      wait::System::sleep_us(duration);
    else
      bell->sleep_unless([this] { return (*look)() != wait::Look::nothing; },
                         std::max(duration, shortest_us));
  }
  /// Whoever brings something rings: sleeps end by themselves only to look after others. With 1 ms instead,
  /// calls of 8 sleeping ranks took 1.4 to 1.6 times as long.
  static constexpr std::uint32_t shortest_us = 5000;
  End* end;
  Bell* bell;
  Looking* look;
};

class ShmBatch final : public Batch {
public:
  explicit ShmBatch(std::shared_ptr<End> end) : end_(std::move(end)), port_(&end_->port) {}
  ~ShmBatch() override {
    if (completions_.under_way > 0 || !completions_.shown.empty())
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

  void pass_over(const Message& message) override { port_->pass_over(completions_, message); }

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

  std::size_t send_at_once(std::span<const Message> sends) override {
    std::size_t gone = 0;
    while (gone < sends.size()) {
      const auto rest = sends.subspan(gone);
      const std::size_t shown = port_->is_shown(rest.front()) ? port_->show_now(rest) : 0;
      if (shown == 0 && !port_->send_now(rest.front()))
        break;
      gone += std::max<std::size_t>(shown, 1);
    }
    return gone;
  }

  void transfer(std::span<const Message> receives, std::span<const Message> sends) override {
    reserve(receives.size() + sends.size());
    std::uint32_t slot = 0;
    for (;;) {
      sends = sends.subspan(send_at_once(sends));
      if (sends.empty())
        break;
      start_send(slot++, sends.front());
      sends = sends.subspan(1);
    }
    if (slot == 0)
      receives = take_what_comes(receives);
    for (const Message& message : receives)
      start_receive(slot++, message);
    wait_for([this] { return completions_.under_way == 0; });
    completions_.finished.clear();
  }

private:
  /// Waits for messages and takes them in their order, as long as none has to be started; gives those that
  /// are left.
  std::span<const Message> take_what_comes(std::span<const Message> receives) {
    auto look = [&] {
      wait::Look found = wait::Look::nothing;
      while (!receives.empty()) {
        const Port::Now now = port_->take_now(receives.front());
        if (now == Port::Now::not_here)
          return found;
        if (now == Port::Now::must_be_started)
          return wait::Look::reached;
        receives = receives.subspan(1);
        found = wait::Look::moved;
      }
      return wait::Look::reached;
    };
    wait::until(end_->waiting, look, SleepingSystem(*end_, look));
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
        return wait::Look::reached;
      const bool moved = completions_.under_way != before;
      before = completions_.under_way;
      return moved ? wait::Look::moved : wait::Look::nothing;
    };
    wait::until(end_->waiting, look, SleepingSystem(*end_, look));
  }

  std::shared_ptr<End> end_;
  Port* port_;
  std::vector<UnderWay> slots_;
  Completions completions_;
  std::vector<int> told_;
};

class ShmTransport final : public Transport {
public:
  ShmTransport(std::shared_ptr<End> end, Rank rank, std::int32_t ranks)
      : end_(std::move(end)), rank_(rank), ranks_(ranks) {}

  Rank rank() const override { return rank_; }
  std::int32_t ranks() const override { return ranks_; }
  std::int32_t tag_limit() const override { return INT32_MAX; }
  std::size_t most_granule() const override { return end_->port.most_granule(); }
  bool waits_by_looking() const override { return true; }
  std::unique_ptr<Batch> make_batch() override { return std::make_unique<ShmBatch>(end_); }

private:
  std::shared_ptr<End> end_;
  Rank rank_;
  std::int32_t ranks_;
};

} // namespace

GroupMemory::GroupMemory(std::int32_t ranks) : ranks_(static_cast<std::size_t>(ranks)) {
  const auto part_of = [this](std::size_t bytes) { return std::bit_floor(bytes / (ranks_ * ranks_)); };
  const std::size_t ring = std::clamp(part_of(most_of_all_rings), smallest_ring, large_ring);
  shape_ = {std::clamp(part_of(most_of_larger_rings), ring, largest_ring), cell_bits(ranks_)};
  const std::size_t shown =
      std::clamp(std::bit_floor(most_of_all_boards / ranks_), smallest_board, largest_board);
  board_bytes_ = sizeof(PlaceHead) + shown;
}

std::size_t GroupMemory::bytes() const {
  return boards_begin() + ranks_ * board_bytes_;
}

std::size_t GroupMemory::bytes_to_prepare() const {
  return rings_begin() <= most_prepared ? rings_begin() : 0;
}

Bell* GroupMemory::bell(std::byte* memory, Rank rank) {
  return reinterpret_cast<Bell*>(memory) + rank;
}

Whereabouts* GroupMemory::whereabouts(std::byte* memory) const {
  return reinterpret_cast<Whereabouts*>(memory + ranks_ * sizeof(Bell));
}

ChannelMemory GroupMemory::channel(std::byte* memory, Rank from, Rank to) const {
  const std::size_t number = static_cast<std::size_t>(to) * ranks_ + static_cast<std::size_t>(from);
  ChannelMemory channel;
  channel.shape = shape_;
  channel.cells = reinterpret_cast<Cell*>(memory + cells_begin(ranks_)) + number;
  channel.stride = channels();
  // Processors fetch lines in pairs: each credit has a pair of its own.
  channel.credit = reinterpret_cast<Credit*>(memory + credits_begin()) + 2 * number;
  channel.ring = memory + rings_begin() + number * shape_.ring_bytes;
  channel.board = board_memory(memory, from);
  return channel;
}

Board GroupMemory::board(std::byte* memory, Rank rank) const {
  return {board_memory(memory, rank), board_bytes_};
}

std::size_t GroupMemory::credits_begin() const {
  return cells_begin(ranks_) + shape_.cells() * channels() * sizeof(Cell);
}

std::size_t GroupMemory::rings_begin() const {
  return credits_begin() + 2 * channels() * sizeof(Credit);
}

std::size_t GroupMemory::boards_begin() const {
  return rings_begin() + channels() * shape_.ring_bytes;
}

std::byte* GroupMemory::board_memory(std::byte* memory, Rank rank) const {
  return memory + boards_begin() + static_cast<std::size_t>(rank) * board_bytes_;
}

std::unique_ptr<Transport> make_shm_transport(const std::shared_ptr<std::byte>& memory, Rank rank,
                                              std::int32_t ranks, const NodeUse& use) {
  const GroupMemory group(ranks);
  const auto bell = [&](Rank of) { return use.sleeps ? GroupMemory::bell(memory.get(), of) : nullptr; };
  std::vector<Line> lines;
  for (Rank peer = 0; peer < ranks; ++peer)
    lines.push_back(
        {group.channel(memory.get(), rank, peer), group.channel(memory.get(), peer, rank), bell(peer)});
  wait::Policy waiting = use.waiting;
  if (use.sleeps)
    waiting.settings.yield_us = std::min(waiting.settings.yield_us, longest_yielding_us);
  std::optional<Crowd> crowd;
  if (use.spreads && use.sleeps && !use.threaded)
    crowd.emplace(group.whereabouts(memory.get()), rank, ranks);
  std::shared_ptr<End> end(new End{Port(lines, group.board(memory.get(), rank), use.threaded), bell(rank),
                                   std::move(crowd), waiting, memory});
  return std::make_unique<ShmTransport>(std::move(end), rank, ranks);
}

} // namespace thalweg::transport
