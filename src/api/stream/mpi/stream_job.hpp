// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A stream of an MPI job: its group, its rank's end, and the meshes that it may use.

#include "job/library/group.hpp"
#include "job/library/group_knowledge.hpp"
#include "stream/item_stream.hpp"
#include "stream/mesh_choice.hpp"
#include "stream/mpi/mpi_remote.hpp"
#include "stream/plan.hpp"
#include "thalweg/stream.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace thalweg::streams {

/// The meshes that a stream of a job may use: each has memory of its own, and messages with tags of its own.
/// Only the one in use has pages and receives.
class MeshSet final : public MeshChooser {
public:
  /// Collective. `choice`: none where there is nothing to choose.
  MeshSet(const job::Group& group, StreamPlan plan, std::optional<MeshChoice> choice);
  /// Messages that are still on their way are looked after (stream/mpi/mpi_remote.hpp).
  ~MeshSet() override;
  MeshSet(const MeshSet&) = delete;
  MeshSet& operator=(const MeshSet&) = delete;

  const Mesh& in_use() const { return *mesh_; }
  const StreamPlan& plan() const { return plan_; }
  const MeshChoice* choice() const { return choice_ ? &*choice_ : nullptr; }
  /// As text that lives as long.
  const char* shape() const { return shapes_[used_].c_str(); }
  /// Of the node: who talks through memory.
  bool shares_memory() const { return shares_memory_; }

  bool is_due() const override { return choice_ && choice_->is_due(); }
  const Mesh* decide(const PhaseMeasurement& seen) override;
  void everybody_is_here() override;
  void phase_ended() override;

private:
  struct Place { ///< of a mesh of the plan, in the segment
    NodeMemory memory;
    std::size_t at = 0;
    int first_tag = 0;
  };
  std::vector<Place> place_all(std::int32_t near_ranks) const;
  void share();
  void use(std::size_t mesh, std::uint32_t fill_bytes);

  const job::Group& group_;
  StreamPlan plan_;
  std::optional<MeshChoice> choice_;
  std::vector<std::uint32_t> cells_; ///< of ranks, where they differ
  std::vector<std::string> shapes_;
  std::vector<Place> places_;
  std::shared_ptr<transport::Segment> segment_;
  bool shares_memory_ = false;
  bool has_far_ = false;
  std::unique_ptr<MessageCounts> counts_ = std::make_unique<MessageCounts>();
  std::unique_ptr<MpiRemote> remote_;
  std::size_t used_ = 0;
  std::optional<std::size_t> left_; ///< a mesh whose memory others may still look at
  std::optional<Mesh> mesh_;
};

/// Why it is this mesh, in words: a line for each that could be chosen.
std::string explain(const MeshSet& meshes);

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
  std::optional<job::Knowledge> knowledge_; ///< where there is something to choose
  std::optional<MeshSet> meshes_;
  std::optional<ItemStream> stream_;
};

} // namespace thalweg::streams
