// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Which mesh a stream goes on with, and how far its buffers are filled. The options are the meshes of its
// plan, and later the best one's buffers filled by half; the predictions are MeshCost's for what was sent in
// a phase. evidence/phase_tuner.hpp says how they are tried. Loads of streams compare by their ratios, so all
// phases are one situation.

#include "evidence/phase_tuner.hpp"
#include "stream/mesh_cost.hpp"
#include "stream/phase_seen.hpp"
#include "stream/plan.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace thalweg::streams {

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
  void decide(const PhaseSeen& seen);

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
  struct Recalled {
    std::size_t option = 0;
    double seconds = 0;
  };
  std::optional<Recalled> recall();
  void add_half_fill();
  std::string note_of(std::size_t option) const;

  std::vector<MeshPlan> meshes_;
  MeshCost cost_;
  bool may_change_fill_;
  std::vector<FoundMesh> found_;
  Load load_;               // of the phase that was seen last
  std::vector<Pick> picks_; // by option of the tuner: one for each mesh, then another fill
  evidence::PhaseTuner tuner_;
  bool is_counted_ = false; // the phase that has just ended, by the tuner
};

} // namespace thalweg::streams
