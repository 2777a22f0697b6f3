// SPDX-License-Identifier: BSD-3-Clause
#include "stream/mesh_choice.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace thalweg::streams {

namespace {

constexpr std::size_t max_tried = 3; // shapes, the first one included
// A candidate that the model takes to be worse than the best by more is not tried: so far it is seldom wrong.
constexpr double worth_a_trial = 1.5;
// What is better by less stays where it is: phases of one program differ by as much.
constexpr double sure_gain = 0.97;
// A settled choice is left where the model sees so much to gain with a load that has changed.
constexpr double clear_gain = 0.9;
constexpr double far_too_slow = 2; // a trial ends at once

// A mesh that is new begins in memory that nobody has touched, and with connections that nobody has made. In
// long phases that is little.
constexpr double long_phase_seconds = 0.5;
constexpr std::uint32_t short_phases = 3;

constexpr std::uint64_t first_lease = 16;
constexpr std::uint64_t max_lease = 4096;
constexpr std::uint32_t min_fill_bytes = 4096;

bool are_alike(double bytes, double others) {
  return bytes <= 2 * others && others <= 2 * bytes;
}

} // namespace

MeshChoice::MeshChoice(const StreamPlan& plan, MeshCost cost, double item_bytes, std::vector<FoundMesh> found)
    : meshes_(plan.meshes), cost_(std::move(cost)), may_change_fill_(plan.may_change_fill),
      found_(std::move(found)), load_{.bytes = 0, .item_bytes = item_bytes} {
  for (std::size_t mesh = 0; mesh < meshes_.size(); ++mesh)
    options_.push_back({.pick = {mesh, meshes_[mesh].fill_bytes}});
  pick_ = options_.front().pick;
  if (meshes_.size() == 1 && !may_change_fill_)
    wait_ = std::numeric_limits<std::uint64_t>::max();
}

double MeshChoice::predicted(const Option& option) const {
  return cost_.seconds(meshes_[option.pick.mesh].shape, option.pick.fill_bytes, load_);
}

// Of candidates that were not tried the model is taken to be as wrong as of the others.
double MeshChoice::usual_ratio() const {
  std::vector<double> ratios;
  for (const Option& option : options_)
    if (option.ratio > 0)
      ratios.push_back(option.ratio);
  if (ratios.empty())
    return 1;
  const auto middle = ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2);
  std::ranges::nth_element(ratios, middle);
  return *middle;
}

double MeshChoice::expected(const Option& option) const {
  return predicted(option) * (option.ratio > 0 ? option.ratio : usual_ratio());
}

const MeshChoice::Option& MeshChoice::best() const {
  const Option* best = nullptr;
  for (const Option& option : options_)
    if (option.ratio > 0 && (best == nullptr || expected(option) < sure_gain * expected(*best)))
      best = &option;
  return *best;
}

void MeshChoice::decide(const PhaseSeen& seen) {
  const Shape& shape = meshes_[pick_.mesh].shape;
  const double bytes = static_cast<double>(seen.sent_bytes) / cost_.copies(shape, load_.item_bytes);
  if (bytes <= 0 || seen.nanoseconds == 0)
    return;
  const bool is_first = load_.bytes == 0;
  load_.bytes = bytes;
  seen_seconds_ = static_cast<double>(seen.nanoseconds) * 1e-9;
  const double ratio = seen_seconds_ / predicted(current());
  current().ratio = std::exchange(is_fresh_, false) ? ratio : std::min(current().ratio, ratio);
  if (is_first && recall())
    return;
  if (is_first && seen_seconds_ <= long_phase_seconds)
    left_ = short_phases + 1; // this one is not counted
  left_ -= 1;
  const bool is_hopeless = stage_ != Stage::settled && expected(current()) >= far_too_slow * expected(best());
  if (left_ > 0 && !is_hopeless)
    return;
  if (stage_ == Stage::settled) {
    look_again();
    return;
  }
  ++comparisons_;
  go_on();
}

// An earlier job has found something for such a load.
bool MeshChoice::recall() {
  for (const FoundMesh& one : found_)
    for (std::size_t option = 0; are_alike(one.phase_bytes, load_.bytes) && option < options_.size();
         ++option) {
      const MeshPlan& mesh = meshes_[options_[option].pick.mesh];
      if (to_text(mesh.shape) != one.shape)
        continue;
      if (may_change_fill_)
        options_[option].pick.fill_bytes = std::clamp(one.fill_bytes, min_fill_bytes, mesh.slot_bytes);
      options_[option].ratio = one.seconds > 0 ? one.seconds / predicted(options_[option]) : 0;
      current_ = option;
      settle();
      return true;
    }
  return false;
}

void MeshChoice::go_on() {
  if (stage_ == Stage::shapes) {
    if (const auto next = next_shape()) {
      try_out(*next);
      return;
    }
    stage_ = Stage::fills;
    add_half_fill();
  }
  if (const auto next = next_untried())
    try_out(*next);
  else {
    current_ = static_cast<std::size_t>(&best() - options_.data());
    settle();
  }
}

std::optional<std::size_t> MeshChoice::next_shape() const {
  const auto tried = std::ranges::count_if(options_, [](const Option& option) { return option.ratio > 0; });
  if (static_cast<std::size_t>(tried) >= max_tried)
    return std::nullopt;
  const double min_seconds = expected(best());
  std::optional<std::size_t> next;
  for (std::size_t option = 0; option < options_.size(); ++option)
    if (options_[option].ratio == 0 && expected(options_[option]) < worth_a_trial * min_seconds &&
        (!next || expected(options_[option]) < expected(options_[*next])))
      next = option;
  return next;
}

// Half of what slots hold, where links fill them.
void MeshChoice::add_half_fill() {
  const Pick pick = best().pick;
  const double of_link = load_.bytes / meshes_[pick.mesh].shape.back();
  const std::uint32_t half = pick.fill_bytes / 2;
  if (may_change_fill_ && of_link >= 2.0 * pick.fill_bytes && half >= min_fill_bytes)
    options_.push_back({.pick = {pick.mesh, half}});
}

std::optional<std::size_t> MeshChoice::next_untried() const {
  for (std::size_t option = meshes_.size(); option < options_.size(); ++option)
    if (options_[option].ratio == 0)
      return option;
  return std::nullopt;
}

void MeshChoice::try_out(std::size_t option) {
  current_ = option;
  pick_ = options_[option].pick;
  const bool is_long = seen_seconds_ > long_phase_seconds;
  left_ = is_long ? 1 : short_phases;
  is_fresh_ = true;
  // The phase that has just ended is counted after this.
  wait_ = is_long ? 0 : 2;
}

void MeshChoice::settle() {
  stage_ = Stage::settled;
  pick_ = current().pick;
  lease_ = first_lease;
  rest();
}

// Until the lease ends. Then several phases are looked at, as one may be disturbed.
void MeshChoice::rest() {
  wait_ = lease_;
  left_ = short_phases;
  is_fresh_ = true;
}

// Loads change. Then the model, mended by what was seen, says whether another mesh is worth a trial.
void MeshChoice::look_again() {
  std::size_t better = current_;
  for (std::size_t option = 0; option < options_.size(); ++option)
    if (expected(options_[option]) < expected(options_[better]))
      better = option;
  if (better != current_ && expected(options_[better]) < clear_gain * expected(current())) {
    options_[better].ratio = 0; // it was seen with another load
    stage_ = Stage::fills;
    try_out(better);
    return;
  }
  lease_ = std::min(2 * lease_, max_lease);
  rest();
}

std::optional<FoundMesh> MeshChoice::result() const {
  if (comparisons_ < 2)
    return std::nullopt;
  const Option& chosen = best();
  return FoundMesh{.shape = to_text(meshes_[chosen.pick.mesh].shape),
                   .fill_bytes = chosen.pick.fill_bytes,
                   .phase_bytes = load_.bytes,
                   .seconds = expected(chosen)};
}

std::vector<MeshChoice::Row> MeshChoice::rows() const {
  std::vector<Row> rows;
  for (const Option& option : options_) {
    Row row{.shape = to_text(meshes_[option.pick.mesh].shape), .fill_bytes = option.pick.fill_bytes};
    if (load_.bytes > 0)
      row.predicted_seconds = predicted(option);
    if (option.ratio > 0)
      row.seen_seconds = expected(option);
    if (option.pick == pick_)
      row.note = "picked";
    else if (option.ratio == 0)
      row.note = load_.bytes == 0           ? "no phase has been seen"
                 : stage_ == Stage::settled ? "the model expects too little of it, or three were tried"
                                            : "its turn has not come";
    rows.push_back(std::move(row));
  }
  return rows;
}

} // namespace thalweg::streams
