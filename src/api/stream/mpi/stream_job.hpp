// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A stream of an MPI job: its group, its memory, its rank's end.

#include "job/library/group.hpp"
#include "job/library/group_knowledge.hpp"
#include "stream/item_stream.hpp"
#include "stream/mpi/mesh_set.hpp"
#include "thalweg/stream.h"

#include <optional>
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
  const MeshSet& meshes() const { return *meshes_; }
  std::size_t item_bytes() const { return item_bytes_; }

private:
  void plan(const thalweg_stream_options& options);
  std::vector<FoundMesh> found_meshes() const;
  Fabric fabric() const;
  void save() const;

  job::Group group_;
  std::size_t item_bytes_;
  std::optional<job::Knowledge> knowledge_; // where there is something to choose
  std::optional<MeshSet> meshes_;
  std::optional<ItemStream> stream_;
};

} // namespace thalweg::streams
