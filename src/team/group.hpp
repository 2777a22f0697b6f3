#pragma once

// The ranks of a team: which of them share a node, and how messages go between them.

#include "transport/batch.hpp"
#include "transport/parcels/parcel_transport.hpp"
#include "transport/shm/segment.hpp"
#include "transport/waiting.hpp"

#include <memory>
#include <mpi.h>
#include <vector>

namespace thalweg::teams {

/// A communicator that is freed with its owner, unless MPI has ended.
class Communicator {
public:
  Communicator() = default;
  explicit Communicator(MPI_Comm taken) : handle_(taken) {}
  Communicator(Communicator&& other) noexcept : handle_(other.release()) {}
  Communicator& operator=(Communicator&& other) noexcept;
  ~Communicator();

  MPI_Comm get() const { return handle_; }

private:
  MPI_Comm release();
  MPI_Comm handle_ = MPI_COMM_NULL;
};

class Group {
public:
  /// Takes a communicator that nobody else uses. Collective.
  explicit Group(Communicator communicator);

  MPI_Comm communicator() const { return communicator_.get(); }
  Rank rank() const { return rank_; }
  std::int32_t ranks() const { return ranks_; }
  /// The node of each rank, numbered in order of appearance.
  const std::shared_ptr<const std::vector<std::int32_t>>& nodes() const { return nodes_; }
  std::int32_t node_count() const { return node_count_; }
  /// The number of a rank among those of this node, or -1.
  Rank near_rank(Rank rank) const { return near_ranks_[static_cast<std::size_t>(rank)]; }
  Rank near_rank() const { return near_rank(rank_); }
  std::int32_t near_ranks() const { return near_count_; }
  /// Cores for each node's ranks where there are fewest.
  std::int32_t cores() const { return cores_; }

  transport::Transport& transport() { return *transport_; }
  const transport::Waiting& waiting() const { return waiting_; }
  bool has_far_ranks() const { return parcels_ != nullptr; }
  /// Sends what is put together for ranks of other nodes; to be called while waiting, and before it ends.
  void flush() {
    if (parcels_ != nullptr)
      parcels_->flush();
  }
  /// Memory that the ranks of the node share; null on all of them where one cannot have it. Collective.
  std::shared_ptr<transport::Segment> share(std::size_t bytes, std::size_t prepared = 0);

private:
  void find_nodes();
  void find_cores();
  void make_transport();

  Communicator communicator_;
  Communicator node_;
  Rank rank_ = 0;
  std::int32_t ranks_ = 1;
  std::shared_ptr<const std::vector<std::int32_t>> nodes_;
  std::int32_t node_count_ = 1;
  std::vector<Rank> near_ranks_;
  std::int32_t near_count_ = 1;
  std::int32_t cores_ = 1;
  bool crowded_ = false;
  transport::Waiting waiting_;
  std::unique_ptr<transport::Transport> transport_;
  transport::ParcelTransport* parcels_ = nullptr; // the part that goes to other nodes
};

} // namespace thalweg::teams
