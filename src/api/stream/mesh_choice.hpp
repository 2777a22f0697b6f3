// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Which mesh a stream goes on with, and how far its buffers are filled. The options are the meshes of its
// plan, and later the best one's buffers filled by half; the predictions are MeshCost's for what was sent in
// a phase. evidence/phase_tuner.hpp says how they are tried. Loads of streams compare by their ratios, so all
// phases are one situation.

#include "evidence/phase_tuner.hpp"
#include "machine/machine.hpp"
#include "stream/item_route.hpp"
#include "stream/plan.hpp"
#include "stream/statistics.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace thalweg::streams {

/// What a rank sends in a phase.
struct Load {
  double bytes = 0;      ///< of items
  double item_bytes = 8; ///< of an item, or what is thought of it
};

/// What a phase of a stream takes on a mesh, by the machine's figures.
///
/// All ranks are taken to send alike, to all ranks. An item costs a processor the same for each hop, and a
/// buffer that of a message. A node's network is held by the buffers of all its ranks. Whichever of the two
/// takes longer counts, and then what the phase takes to end: the last buffers, dimension by dimension, and a
/// quiescence check. (Wesolowski and others 2014, table I, has the numbers of messages and bytes, but no
/// end.)
class MeshCost {
public:
  /// `nodes[r]`: the node of rank r. `ranks_of_core`: that share one, at least 1.
  MeshCost(machine::Machine machine, std::span<const std::int32_t> nodes, double ranks_of_core);

  /// Of a phase. `fill_bytes`: when a buffer is full.
  double seconds(const Shape& shape, double fill_bytes, const Load& load) const;
  /// Bytes put into buffers for a byte of items: of all hops, with tags.
  double copies(const Shape& shape, double item_bytes) const;

private:
  struct Links { ///< of a rank, along a dimension; in the mean
    double near = 0;
    double far = 0;
  };
  std::vector<Links> links_of(const Shape& shape) const;

  machine::Machine machine_;
  std::vector<std::int32_t> node_of_cell_;
  double ranks_of_core_;
  double ranks_of_node_;
};

/// What was found for a load, now or by an earlier job.
struct FoundMesh {
  std::string shape;
  std::uint32_t fill_bytes = 0;
  double phase_bytes = 0; ///< of a rank's items
  double seconds = 0;     ///< of a phase
};

class MeshChoice {
public:
  /// `found`: by earlier jobs like this one, for these items.
  MeshChoice(const StreamPlan& plan, MeshCost cost, double item_bytes, std::vector<FoundMesh> found = {});

  struct Pick {
    std::size_t mesh = 0; ///< of the plan
    std::uint32_t fill_bytes = 0;
    bool operator==(const Pick&) const = default;
  };
  const Pick& pick() const { return picks_[tuner_.current()]; }

  /// Of the phase that is open: do the ranks tell each other what they see of it?
  bool is_due() const { return (picks_.size() > 1 || may_change_fill_) && tuner_.is_due(); }
  /// An active phase has ended.
  void phase_ended();
  /// A phase that was due has. Afterwards pick() says how to go on.
  void decide(const PhaseMeasurement& seen);

  /// What to tell later jobs: nothing before anything was compared.
  std::optional<FoundMesh> result() const;

  /// A line of what can be said of the choice.
  struct Row {
    std::string shape;
    std::uint32_t fill_bytes = 0;
    double predicted_seconds = 0;            ///< for the load that was seen last; 0: none was
    std::optional<double> seen_seconds = {}; ///< likewise
    std::string note = {};                   ///< "picked", or why it was not tried
  };
  std::vector<Row> rows() const;

private:
  double predicted(const Pick& pick) const;
  struct EarlierResult {
    std::size_t option = 0;
    double seconds = 0;
  };
  std::optional<EarlierResult> recall();
  void add_half_fill();
  std::string note_of(std::size_t option) const;

  std::vector<MeshPlan> meshes_;
  MeshCost cost_;
  bool may_change_fill_;
  std::vector<FoundMesh> found_;
  Load load_;               ///< of the phase that was seen last
  std::vector<Pick> picks_; ///< by option of the tuner: one for each mesh, then another fill
  evidence::PhaseTuner tuner_;
  bool is_counted_ = false; ///< the phase that has just ended, by the tuner
};

} // namespace thalweg::streams
