// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Ranks as threads of one process: nodes are pieces of memory, and between nodes slots go through queues
// under a lock, in order.

#include "base/error.hpp"
#include "stream/plain_items.hpp"
#include "thalweg/stream_items.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <exception>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <tuple>
#include <vector>

namespace thalweg::streams {

/// What is between the nodes of a test.
class Wire {
public:
  using Message = std::vector<std::byte>;
  void put(Rank to, std::uint32_t dimension, std::uint32_t phase, Message message) {
    const std::lock_guard lock(mutex_);
    messages_[{to, dimension, phase}].push_back(std::move(message));
  }
  bool take(Rank at, std::uint32_t dimension, std::uint32_t phase, Message& message) {
    const std::lock_guard lock(mutex_);
    auto& queue = messages_[{at, dimension, phase}];
    if (queue.empty())
      return false;
    message = std::move(queue.front());
    queue.pop_front();
    return true;
  }

private:
  std::mutex mutex_;
  std::map<std::tuple<Rank, std::uint32_t, std::uint32_t>, std::deque<Message>> messages_;
};

class WireRemote final : public Remote {
public:
  WireRemote(Wire& wire, Rank rank, std::uint32_t dimensions, std::size_t slot_bytes)
      : wire_(wire), rank_(rank), slots_(dimensions) {
    for (auto& memory : slots_)
      memory.reset(static_cast<std::byte*>(std::aligned_alloc(64, sizeof(Slot) + slot_bytes)));
    for (auto& memory : slots_)
      new (memory.get()) Slot;
  }
  void send(Slot& slot, Rank to) override {
    wire_.put(to, slot.head.dimension, slot.head.phase, {slot.wire(), slot.wire() + slot.wire_bytes()});
    sent_.push_back(&slot);
  }
  /// As a library does, it has slots for some looks.
  void progress() override {
    if (++looks_ % 3 != 0)
      return;
    for (Slot* const slot : std::exchange(sent_, {}))
      slot->is_free.store(1, std::memory_order_release);
  }
  Slot* receive(std::uint32_t dimension, std::uint32_t phase) override {
    Wire::Message message;
    if (!wire_.take(rank_, dimension, phase, message))
      return nullptr;
    auto* const slot = reinterpret_cast<Slot*>(slots_[dimension].get());
    std::memcpy(slot->wire(), message.data(), message.size());
    return slot;
  }
  void release(Slot&) override {}
  bool has_sends() const override { return !sent_.empty(); }

private:
  struct Free {
    void operator()(std::byte* memory) const { std::free(memory); }
  };
  Wire& wire_;
  Rank rank_;
  std::vector<std::unique_ptr<std::byte, Free>> slots_;
  std::vector<Slot*> sent_;
  int looks_ = 0;
};

struct World {
  std::int32_t ranks = 1;
  std::int32_t per_node = 1;
  std::vector<Shape> shapes; ///< more than one: streams go from one to another between phases
  std::uint32_t slot_bytes = 256;
  std::uint32_t extra_slots = 2;
  StreamOptions options;
  int streams = 1;
  bool rings = true;
};

/// What C++ programs inline.
template <typename Item, typename Handler>
class InlinedSink {
public:
  explicit InlinedSink(Handler handler) : items_(std::move(handler)) {}
  thalweg_stream_handler functions() { return items_.functions(); }
  void attach(ItemStream& stream) { items_.attach(view_ = stream.view()); }
  /// Some are shown at once, or hurry.
  void send(Rank to, const Item& item) {
    const auto rank = static_cast<std::uint32_t>(to);
    detail::put(*view_, rank, item);
    if (item.number % 3 != 0)
      detail::let_go(*view_, detail::first_link(*view_, rank), item.number % 7 == 0);
  }

private:
  detail::item_sink<Item, Handler> items_;
  thalweg_stream_view* view_ = nullptr;
};

/// What other languages' programs have.
template <typename Item, typename Handler>
class PlainSink {
public:
  explicit PlainSink(Handler handler)
      : handler_(std::move(handler)), items_({.context = this, .deliver = deliver}, sizeof(Item)) {}
  thalweg_stream_handler functions() { return items_.handler(); }
  void attach(ItemStream& stream) { items_.attach(stream); }
  void send(Rank to, const Item& item) {
    const auto* const bytes = reinterpret_cast<const char*>(&item);
    if (item.number % 2 == 0)
      items_.send(to, {bytes, sizeof item});
    else
      items_.send(std::span<const int>(&to, 1), bytes);
  }

private:
  static int deliver(void* context, const char* items, std::size_t bytes) {
    for (std::size_t at = 0; at < bytes; at += sizeof(Item))
      static_cast<PlainSink*>(context)->handler_(*reinterpret_cast<const Item*>(items + at));
    return 0;
  }
  Handler handler_;
  PlainItems items_;
};

inline std::vector<std::uint32_t> slot_counts(const Shape& shape, std::uint32_t extra) {
  std::vector<std::uint32_t> counts;
  for (const std::int32_t side : shape)
    counts.push_back(static_cast<std::uint32_t>(side) + extra);
  counts.push_back(1); // for quiescence checks
  return counts;
}

/// Node memories of a world's streams, [stream][shape][node].
class Memories {
public:
  explicit Memories(const World& world) : nodes_((world.ranks + world.per_node - 1) / world.per_node) {
    for (const Shape& shape : world.shapes)
      layouts_.emplace_back(world.per_node, slot_counts(shape, world.extra_slots), world.slot_bytes);
    for (int stream = 0; stream < world.streams; ++stream)
      for (const NodeMemory& layout : layouts_)
        for (std::int32_t node = 0; node < nodes_; ++node)
          add(layout, world.per_node);
  }
  const NodeMemory& layout(std::size_t shape) const { return layouts_[shape]; }
  std::byte* of(int stream, std::size_t shape, std::int32_t node) {
    const std::size_t place = static_cast<std::size_t>(stream) * layouts_.size() + shape;
    return memories_[place * static_cast<std::size_t>(nodes_) + static_cast<std::size_t>(node)].get();
  }

private:
  struct Free {
    void operator()(std::byte* memory) const { std::free(memory); }
  };
  void add(const NodeMemory& layout, std::int32_t per_node) {
    const std::size_t bytes = (layout.bytes() + 63) / 64 * 64;
    memories_.emplace_back(static_cast<std::byte*>(std::aligned_alloc(64, bytes)));
    std::memset(memories_.back().get(), 0, bytes);
    for (Rank near = 0; near < per_node; ++near)
      layout.begin(memories_.back().get(), near);
  }
  std::vector<NodeMemory> layouts_;
  std::vector<std::unique_ptr<std::byte, Free>> memories_;
  std::int32_t nodes_ = 0;
};

/// What is between the nodes of a world, by shape, as messages of different meshes do not meet.
using Wires = std::vector<Wire>;

/// Goes from mesh to mesh, in an order that only the number of phases decides.
class Wandering final : public MeshChooser {
public:
  Wandering(const World& world, Rank rank, int stream, Memories& memories, Wires& wires) {
    const Rank node = rank / world.per_node;
    for (std::size_t shape = 0; shape < world.shapes.size(); ++shape) {
      const NodeMemory& layout = memories.layout(shape);
      meshes_.push_back({.route = ItemRoute(world.shapes[shape], world.ranks, rank),
                         .memory = layout,
                         .base = memories.of(stream, shape, node),
                         .remote = nullptr,
                         .fill_bytes = world.slot_bytes});
    }
    if (world.ranks > world.per_node)
      make_remote_ = [&world, &wires, rank](std::size_t shape) {
        const auto dimensions = static_cast<std::uint32_t>(world.shapes[shape].size());
        return std::make_unique<WireRemote>(wires[shape], rank, dimensions + 1, world.slot_bytes);
      };
    connect();
    near_ = rank % world.per_node;
    is_due_ = meshes_.size() > 1;
  }
  const Mesh& first() const { return meshes_.front(); }

  bool is_due() const override { return is_due_ && phases_ % 3 != 1; }
  const Mesh* decide(const PhaseMeasurement& seen) override {
    EXPECT_GT(seen.sent_bytes, 0U) << "an active phase in which nobody has sent anything";
    const std::size_t next = (used_ + 1 + phases_ / 2) % meshes_.size();
    if (next == used_)
      return nullptr;
    left_ = &meshes_[used_];
    used_ = next;
    connect();
    return &meshes_[used_];
  }
  void everybody_is_here() override {
    if (left_ != nullptr)
      left_->memory.renew(left_->base, near_);
    left_ = nullptr;
  }
  void phase_ended() override { ++phases_; }

private:
  /// As in jobs, the one of the mesh of before is gone then.
  void connect() {
    remote_.reset();
    if (make_remote_)
      remote_ = make_remote_(used_);
    meshes_[used_].remote = remote_.get();
  }

  std::function<std::unique_ptr<WireRemote>(std::size_t)> make_remote_;
  std::unique_ptr<WireRemote> remote_;
  std::vector<Mesh> meshes_;
  std::int32_t near_ = 0;
  bool is_due_ = false;
  std::size_t used_ = 0;
  std::size_t phases_ = 0;
  const Mesh* left_ = nullptr;
};

/// A stream of `Item` on one rank of the world.
template <typename Item, typename Sink>
class TestStream {
public:
  TestStream(const World& world, Rank rank, int stream, Memories& memories, Wires& wires,
             std::shared_ptr<StreamSet> set, auto handler)
      : sink_(std::move(handler)), meshes_(world, rank, stream, memories, wires) {
    Fabric fabric{.rank = rank, .ranks = world.ranks};
    fabric.policy.polls = 20;
    fabric.rings = world.rings;
    const Rank node = rank / world.per_node;
    for (Rank other = node * world.per_node; other < std::min((node + 1) * world.per_node, world.ranks);
         ++other)
      fabric.node_ranks.push_back(other);
    StreamOptions options = world.options;
    options.item_bytes = sizeof(Item);
    options.max_item_bytes = options.max_slot_bytes = world.slot_bytes;
    stream_.emplace(meshes_.first(), std::move(fabric), sink_.functions(), options, std::move(set), &meshes_);
    sink_.attach(*stream_);
  }

  void send(Rank to, const Item& item) { sink_.send(to, item); }
  void finish() { stream_->finish(); }
  ItemStream& stream() { return *stream_; }

private:
  Sink sink_;
  Wandering meshes_;
  std::optional<ItemStream> stream_;
};

/// Runs `program(rank)` on a thread for each rank; rethrows the first failure.
template <typename Program>
void on_all_ranks(std::int32_t ranks, Program program) {
  std::vector<std::exception_ptr> failures(static_cast<std::size_t>(ranks));
  std::vector<std::thread> threads;
  for (Rank rank = 0; rank < ranks; ++rank)
    threads.emplace_back([&, rank] {
      try {
        program(rank);
      } catch (...) {
        failures[static_cast<std::size_t>(rank)] = std::current_exception();
      }
    });
  for (std::thread& thread : threads)
    thread.join();
  for (const std::exception_ptr& failure : failures)
    if (failure)
      std::rethrow_exception(failure);
}

} // namespace thalweg::streams
