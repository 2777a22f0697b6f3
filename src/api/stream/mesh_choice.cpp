// SPDX-License-Identifier: BSD-3-Clause
#include "stream/mesh_choice.hpp"

#include <algorithm>
#include <utility>

namespace thalweg::streams {

namespace {

// A trial of a shape takes memory and connections of its own. They are new in its first phase.
constexpr evidence::PhaseTuner::Terms mesh_trials{.tried_max = 3, .warm_up_phases = 1};
constexpr std::uint32_t min_fill_bytes = 4096;

} // namespace

MeshChoice::MeshChoice(const StreamPlan& plan, MeshCost cost, double item_bytes, std::vector<FoundMesh> found)
    : meshes_(plan.meshes), cost_(std::move(cost)), may_change_fill_(plan.may_change_fill),
      found_(std::move(found)), load_{.bytes = 0, .item_bytes = item_bytes},
      tuner_(plan.meshes.size(), mesh_trials) {
  for (std::size_t mesh = 0; mesh < meshes_.size(); ++mesh)
    picks_.push_back({mesh, meshes_[mesh].fill_bytes});
}

double MeshChoice::predicted(const Pick& pick) const {
  return cost_.seconds(meshes_[pick.mesh].shape, pick.fill_bytes, load_);
}

void MeshChoice::phase_ended() {
  if (!std::exchange(is_counted_, false))
    tuner_.skip();
}

void MeshChoice::decide(const PhaseSeen& seen) {
  const Shape& shape = meshes_[pick().mesh].shape;
  const double bytes = static_cast<double>(seen.sent_bytes) / cost_.copies(shape, load_.item_bytes);
  if (bytes <= 0 || seen.nanoseconds == 0)
    return;
  const bool is_first = std::exchange(load_.bytes, bytes) == 0;
  const std::optional<Recalled> recalled = is_first ? recall() : std::nullopt;
  std::vector<double> all;
  for (const Pick& one : picks_)
    all.push_back(predicted(one));
  tuner_.enter({}, std::move(all));
  const double seconds = static_cast<double>(seen.nanoseconds) * 1e-9;
  tuner_.observe(seconds, seconds);
  is_counted_ = true;
  if (recalled)
    tuner_.recall(recalled->option, recalled->seconds);
  else if (!tuner_.is_open())
    add_half_fill();
}

// What an earlier job has found for such a load.
std::optional<MeshChoice::Recalled> MeshChoice::recall() {
  for (const FoundMesh& one : found_)
    for (std::size_t option = 0; option < picks_.size(); ++option) {
      const MeshPlan& mesh = meshes_[picks_[option].mesh];
      const bool are_alike = one.phase_bytes <= 2 * load_.bytes && load_.bytes <= 2 * one.phase_bytes;
      if (!are_alike || to_text(mesh.shape) != one.shape)
        continue;
      if (may_change_fill_)
        picks_[option].fill_bytes = std::clamp(one.fill_bytes, min_fill_bytes, mesh.slot_bytes);
      return Recalled{option, one.seconds};
    }
  return std::nullopt;
}

// Half of what slots hold, where links fill them: once, when the best shape is known.
void MeshChoice::add_half_fill() {
  const Pick full = picks_[tuner_.best()];
  const double of_link = load_.bytes / meshes_[full.mesh].shape.back();
  const Pick half{full.mesh, full.fill_bytes / 2};
  if (!may_change_fill_ || picks_.size() > meshes_.size() || of_link < 2.0 * full.fill_bytes ||
      half.fill_bytes < min_fill_bytes)
    return;
  picks_.push_back(half);
  tuner_.add_option(predicted(half));
}

std::optional<FoundMesh> MeshChoice::result() const {
  if (tuner_.findings().empty())
    return std::nullopt;
  const std::size_t best = tuner_.best();
  return FoundMesh{.shape = to_text(meshes_[picks_[best].mesh].shape),
                   .fill_bytes = picks_[best].fill_bytes,
                   .phase_bytes = load_.bytes,
                   .seconds = tuner_.expected(best)};
}

std::string MeshChoice::note_of(std::size_t option) const {
  if (option == tuner_.best())
    return "picked";
  if (option == tuner_.current())
    return "it is being tried";
  if (tuner_.is_known(option))
    return "";
  return load_.bytes == 0    ? "no phase has been seen"
         : !tuner_.is_open() ? "the model expects too little of it, or three were tried"
                             : "its turn has not come";
}

std::vector<MeshChoice::Row> MeshChoice::rows() const {
  std::vector<Row> rows;
  for (std::size_t option = 0; option < picks_.size(); ++option) {
    Row row{.shape = to_text(meshes_[picks_[option].mesh].shape), .fill_bytes = picks_[option].fill_bytes};
    if (load_.bytes > 0)
      row.predicted_seconds = predicted(picks_[option]);
    if (tuner_.is_known(option))
      row.seen_seconds = tuner_.expected(option);
    row.note = note_of(option);
    rows.push_back(std::move(row));
  }
  return rows;
}

} // namespace thalweg::streams
