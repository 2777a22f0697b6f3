#pragma once

// Slots between nodes: messages of a communicator of the stream's own, only their used part. For each
// dimension a few receives from anybody are posted; a slot is the receive's buffer.

#include "stream/remote.hpp"
#include "transport/mpi/mpi_api.hpp"

#include <memory>
#include <vector>

namespace thalweg::streams {

class MpiRemote final : public Remote {
public:
  MpiRemote(const transport::MpiApi& api, MPI_Comm communicator, std::uint32_t dimensions,
            std::size_t slot_bytes);
  /// What others still send is lost.
  ~MpiRemote() override;

  void send(Slot& slot, Rank to) override;
  void complete_sends() override;
  Slot* receive(std::uint32_t dimension, std::uint32_t phase) override;
  void release(Slot& slot) override;

  bool has_sends() const { return !sent_.empty(); }

private:
  struct Free {
    void operator()(std::byte* memory) const;
  };
  // The receives of a dimension and phase, which are looked at in the order in which they were posted: so
  // messages of one sender stay in order.
  struct Receives {
    std::vector<std::unique_ptr<std::byte, Free>> memory;
    std::vector<MPI_Request> requests;
    std::size_t first = 0;
    Slot& slot(std::size_t index) { return *reinterpret_cast<Slot*>(memory[index].get()); }
  };

  static int tag_of(std::uint32_t dimension, std::uint32_t phase) {
    return static_cast<int>(2 * dimension + phase);
  }
  Receives& receives_of(std::uint32_t dimension, std::uint32_t phase) {
    return receives_[2 * dimension + phase];
  }
  void post(Receives& receives, std::size_t index, int tag);

  const transport::MpiApi& api_;
  MPI_Comm communicator_;
  std::size_t slot_bytes_;
  std::vector<Receives> receives_;
  std::vector<MPI_Request> requests_; // of what is being sent
  std::vector<Slot*> sent_;
  std::vector<int> completed_;
};

} // namespace thalweg::streams
