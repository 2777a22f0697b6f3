// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Slots between nodes: messages of a communicator of the stream's own, only their used part. For each
// dimension a few receives from anybody are posted; a slot is the receive's buffer.

#include "job/mpi/shadow_communicator.hpp"
#include "stream/mesh.hpp"
#include "transport/mpi/mpi_api.hpp"
#include "transport/shm/segment.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace thalweg::streams {

/// Messages of a communicator, with all tags.
struct MessageCounts {
  std::vector<std::uint64_t> sent; ///< by rank
  std::uint64_t received = 0;
};

class MpiRemote final : public Remote {
public:
  /// Its messages have the tags from `first_tag` on: tags(dimensions). They are counted in `counts`.
  MpiRemote(const transport::MpiApi& api, MPI_Comm communicator, MessageCounts& counts, int first_tag,
            std::uint32_t dimensions, std::size_t slot_bytes);
  /// What others still send is lost.
  ~MpiRemote() override;

  void send(Slot& slot, Rank to) override;
  void progress() override;
  Slot* receive(std::uint32_t dimension, std::uint32_t phase) override;
  void release(Slot& slot) override;
  std::size_t memory_bytes() const override { return receives_.size() * (sizeof(Slot) + slot_bytes_); }

  bool has_sends() const override { return !sent_.empty(); }
  /// Takes in what comes, for nobody.
  void drain();

  static int tags(std::uint32_t dimensions) { return 2 * static_cast<int>(dimensions); }

private:
  struct Free {
    void operator()(std::byte* memory) const;
  };
  struct Receive {
    std::unique_ptr<std::byte, Free> memory;
    bool has_come = false;
    Slot& slot() const { return *reinterpret_cast<Slot*>(memory.get()); }
  };

  /// Of a dimension and phase; also their place among all.
  static std::size_t kind_of(std::uint32_t dimension, std::uint32_t phase) { return 2 * dimension + phase; }
  int tag_of(std::size_t kind) const { return first_tag_ + static_cast<int>(kind); }
  /// The oldest receive of a kind.
  std::size_t first_of(std::size_t kind) const;
  void post(std::size_t receive);

  const transport::MpiApi& api_;
  MPI_Comm communicator_;
  MessageCounts& counts_;
  int first_tag_;
  std::size_t slot_bytes_;
  /// Those of a dimension and phase are taken in the order in which they were posted: so messages of one
  /// sender stay in order.
  std::vector<Receive> receives_;
  std::vector<std::size_t> first_; ///< by kind
  std::vector<Slot*> sent_;
  /// All are looked at together, as each look lets the library look at all its connections. First those of
  /// receives_, then those of sent_.
  std::vector<MPI_Request> requests_;
  std::vector<int> completed_;
};

/// What a stream leaves behind where messages go through the library. Ranks free a stream when they like, and
/// what others have sent in a phase that has not ended may come later. If its communicator were gone by then,
/// the library would take such a message for one of a later communicator of the same number. So ranks tell
/// each other how many messages they have sent, take all of them in, and only then free the communicator.
/// Nobody waits for that. These are its parts, in the order in which they depend on each other.
struct Remains {
  std::shared_ptr<job::ShadowCommunicator> communicator;
  std::shared_ptr<transport::Segment> memory; ///< which the library still sends from
  std::unique_ptr<MessageCounts> counts;
  std::unique_ptr<MpiRemote> remote;
};

/// Keeps them until all messages have come; mostly they have within a few looks. Not collective, but all
/// ranks of the communicator do so once.
void leave_behind(Remains remains);
/// Looks whether any can go by now. To be called before communicators are made.
void look_after_remains();

} // namespace thalweg::streams
