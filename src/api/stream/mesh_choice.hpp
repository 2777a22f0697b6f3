// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Which mesh a stream goes on with, and how far its buffers are filled: the model puts the candidates in
// order, the best ones are tried for a few phases each, and what was seen decides.
//
// What is seen of a phase is put beside what the model says of just that phase. So phases of different loads
// can be compared: a mesh's time for a load is what the model says, times how far it was off when the mesh
// was tried. All is a function of what the ranks have agreed on, so that all choose alike.

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
  const Pick& pick() const { return pick_; }

  /// Of the phase that is open: do the ranks tell each other what they see of it?
  bool is_due() const { return wait_ == 0; }
  /// An active phase has ended.
  void phase_ended() { wait_ -= wait_ > 0 ? 1 : 0; }
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
  enum class Stage { shapes, fills, settled };
  struct Option {
    Pick pick;
    double ratio = 0; ///< seen to predicted, the least; 0: not tried
  };

  double predicted(const Option& option) const;
  double expected(const Option& option) const;
  double usual_ratio() const;
  const Option& best() const;
  Option& current() { return options_[current_]; }
  bool recall();
  void go_on();
  std::optional<std::size_t> next_shape() const;
  void add_half_fill();
  std::optional<std::size_t> next_untried() const;
  void try_out(std::size_t option);
  void settle();
  void rest();
  void look_again();

  std::vector<MeshPlan> meshes_;
  MeshCost cost_;
  bool may_change_fill_;
  std::vector<FoundMesh> found_;
  Load load_;
  std::vector<Option> options_; // one for each mesh, then other fills
  std::size_t current_ = 0;
  Pick pick_;
  Stage stage_ = Stage::shapes;
  double seen_seconds_ = 0;     // of the last phase that was due
  std::uint32_t left_ = 1;      // phases of this trial, or look, that are still to be seen
  bool is_fresh_ = true;        // its first one
  std::uint64_t wait_ = 0;      // phases until one is due
  std::uint64_t lease_ = 0;     // phases between looks, once it is settled
  std::size_t comparisons_ = 0; // trials that have ended
};

} // namespace thalweg::streams
