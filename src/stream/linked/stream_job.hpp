#pragma once

// A stream of an MPI job: its group, its memory, its rank's end.

#include "job/linked/group.hpp"
#include "stream/item_stream.hpp"
#include "stream/linked/mpi_remote.hpp"
#include "stream/plan.hpp"
#include "thalweg/stream.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace thalweg::streams {

class StreamJob {
public:
  /// Collective.
  StreamJob(MPI_Comm communicator, const thalweg_stream_options& options,
            const thalweg_stream_handler& handler);
  ~StreamJob();
  StreamJob(const StreamJob&) = delete;
  StreamJob& operator=(const StreamJob&) = delete;

  /// Streams come and go where no handler runs: whoever called it goes through them. Throws Error.
  static void no_handler_may_run(const char* what);

  const job::Group& group() const { return group_; }
  ItemStream& stream() { return *stream_; }
  const ItemStream& stream() const { return *stream_; }
  std::size_t item_bytes() const { return item_bytes_; }
  const std::string& shape() const { return shape_; }

private:
  void share(const NodeMemory& layout);
  std::byte* begin(const NodeMemory& layout);
  Fabric fabric(std::byte* memory);

  job::Group group_;
  std::size_t item_bytes_;
  std::vector<std::uint32_t> cells_; // of ranks, where they differ
  std::string shape_;
  std::shared_ptr<transport::Segment> segment_;
  bool shares_memory_ = false; // with the node's other ranks
  std::unique_ptr<MpiRemote> remote_;
  std::optional<ItemStream> stream_;
};

} // namespace thalweg::streams
