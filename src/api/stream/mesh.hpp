// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What a stream has for one mesh: routes, memory, and messages to other nodes. A stream may go from one to
// another between two phases (MeshChooser).

#include "base/assertion.hpp"
#include "base/rank.hpp"
#include "stream/item_route.hpp"
#include "stream/node_memory.hpp"
#include "stream/slot.hpp"
#include "stream/statistics.hpp"
#include "wait/policy.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace thalweg::streams {

/// How slots get to ranks of other nodes, and from them.
class Remote {
public:
  virtual ~Remote() = default;

  /// What was sent before to that rank along that dimension arrives before. The slot is not to be touched
  /// until it says that it is free.
  virtual void send(Slot& slot, Rank to) = 0;
  /// Lets slots make progress, frees those that have been sent, and finds those that have arrived.
  virtual void progress() = 0;
  /// The next one of these along a dimension in a phase, or null. Of several phases one at a time is looked
  /// for: what arrives for the next one stays where it is. To be handed back before the next one is asked
  /// for.
  virtual Slot* receive(std::uint32_t dimension, std::uint32_t phase) = 0;
  virtual void release(Slot& slot) = 0;
  /// Of what it receives into.
  virtual std::size_t memory_bytes() const { return 0; }
  /// The library still has slots that were sent.
  virtual bool has_sends() const = 0;
};

struct Mesh {
  ItemRoute route;
  NodeMemory memory;
  std::byte* base = nullptr;            ///< of the node's memory: as `memory` says
  Remote* remote = nullptr;             ///< null where all ranks are near
  const std::uint32_t* cells = nullptr; ///< of ranks; null where rank r is cell r
  std::uint32_t fill_bytes = 0;         ///< when a slot is full; at most what it holds
};

/// Where the ranks of a stream are, for one of them.
struct Fabric {
  Rank rank = 0;
  std::int32_t ranks = 1;
  std::vector<Rank> node_ranks{}; ///< of this node, by their number on it
  wait::Policy policy{};
  /// Ranks sleep until their doorbells ring. Who rings waits until all that it has written is there, which is
  /// worth it where ranks outnumber cores.
  bool rings = true;

  /// A rank's number on this node, or -1.
  Rank near(Rank of) const {
    const auto found = std::ranges::find(node_ranks, of);
    return found == node_ranks.end() ? -1 : static_cast<Rank>(found - node_ranks.begin());
  }
};

/// One rank's end of the mesh that its stream uses. `near`: a rank's number on this node.
class MeshEnd {
public:
  /// `max_slot_bytes`: of slots of all meshes that are entered.
  MeshEnd(const Mesh& mesh, Fabric fabric, std::uint32_t max_slot_bytes)
      : mesh_(mesh), fabric_(std::move(fabric)), own_(fabric_.near(fabric_.rank)),
        max_slot_bytes_(max_slot_bytes) {
    THALWEG_ASSERT(light, own_ >= 0 && fits(mesh));
  }

  /// Goes on with this mesh; the one of before may be gone.
  void enter(const Mesh& mesh) {
    THALWEG_ASSERT(light, fits(mesh));
    mesh_ = mesh;
  }
  /// Slots of this mesh are full earlier or later.
  void fill(std::uint32_t bytes) {
    THALWEG_ASSERT(light, bytes <= mesh_.memory.slot_bytes());
    mesh_.fill_bytes = bytes;
  }

  const Mesh& mesh() const { return mesh_; }
  const ItemRoute& route() const { return mesh_.route; }
  const Fabric& fabric() const { return fabric_; }
  /// Null where all ranks are near.
  Remote* remote() const { return mesh_.remote; }

  Slot& slot_at(std::uint32_t place) const { return NodeMemory::at(mesh_.base, place); }
  std::uint32_t place_of(const Slot& slot) const { return NodeMemory::place_of(mesh_.base, slot); }
  SlotPool pool(std::uint32_t dimension) const {
    return {mesh_.memory.first_slot(mesh_.base, own_, dimension), mesh_.memory.stride(),
            mesh_.memory.slots(dimension)};
  }
  MailboxEnd mailbox_to(Rank near, std::uint32_t dimension) const {
    return mesh_.memory.mailbox(mesh_.base, near, own_, dimension);
  }
  MailboxEnd mailbox_from(Rank near, std::uint32_t dimension) const {
    return mesh_.memory.mailbox(mesh_.base, own_, near, dimension);
  }
  std::atomic<std::uint64_t>& window_to(Rank near, std::uint32_t dimension) const {
    return mesh_.memory.window(mesh_.base, near, own_, dimension);
  }
  const std::atomic<std::uint64_t>& window_from(Rank near, std::uint32_t dimension) const {
    return mesh_.memory.window(mesh_.base, own_, near, dimension);
  }
  transport::Doorbell& doorbell(Rank near) const { return mesh_.memory.doorbell(mesh_.base, near); }
  transport::Doorbell& own_doorbell() const { return doorbell(own_); }

  /// Something has been written for that rank, who may be asleep.
  void ring(Rank near) const {
    if (fabric_.rings && near != own_)
      doorbell(near).wake_if_asleep();
  }

private:
  bool fits(const Mesh& mesh) const {
    return mesh.fill_bytes <= mesh.memory.slot_bytes() && mesh.memory.slot_bytes() <= max_slot_bytes_;
  }

  Mesh mesh_;
  Fabric fabric_;
  Rank own_; ///< this rank's number on its node
  std::uint32_t max_slot_bytes_;
};

/// Who says between two phases which mesh a stream goes on with. All ranks' ones come to the same results,
/// from what the ranks have agreed on.
class MeshChooser {
public:
  virtual ~MeshChooser() = default;

  /// Do the ranks tell each other what they have seen, when this phase ends?
  virtual bool is_due() const = 0;
  /// A phase that was due has ended, and all ranks have seen this. The mesh to go on with; null: the one that
  /// is in use. It lives until the next one is given, and
  /// the one of before is gone.
  virtual const Mesh* decide(const PhaseMeasurement& seen) = 0;
  /// All ranks have begun to end a phase in the mesh in use.
  virtual void everybody_is_here() {}
  /// An active phase has ended.
  virtual void phase_ended() = 0;
};

} // namespace thalweg::streams
