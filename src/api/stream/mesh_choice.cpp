// SPDX-License-Identifier: BSD-3-Clause
#include "stream/mesh_choice.hpp"

#include "base/arithmetic.hpp"
#include "model/message_terms.hpp"
#include "topology/virtual_mesh.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

namespace thalweg::streams {

namespace {

using machine::Level;
using model::MessageTerms;

// Inside of a node a link that is closed costs a word that goes from core to core.
constexpr double close_seconds = 0.1e-6;

constexpr double first_bytes =
    4096;                           // of a phase's first buffer to another node: each is twice the one before
constexpr std::int32_t samples = 4; // ranks whose links are counted

/// How often a link sends, of so many bytes in a phase: at least its closing mark. Sums, products and nothing
/// else: ranks on different processors have to come to the same bits, which logarithms need not do.
double buffers(double bytes, double fill_bytes) {
  double count = 0;
  double next = std::min(first_bytes, fill_bytes);
  for (; next < fill_bytes && bytes > next; next = std::min(2 * next, fill_bytes)) {
    bytes -= next;
    ++count;
  }
  return count + std::max(1.0, std::ceil(bytes / next));
}

double tagged(double item_bytes) {
  return (item_bytes + sizeof(std::uint16_t)) / item_bytes;
}

} // namespace

MeshCost::MeshCost(machine::Machine machine, std::span<const std::int32_t> nodes, double ranks_of_core)
    : machine_(std::move(machine)), node_of_cell_(nodes.begin(), nodes.end()), ranks_of_core_(ranks_of_core) {
  std::ranges::sort(node_of_cell_);
  ranks_of_node_ = static_cast<double>(nodes.size()) / (node_of_cell_.back() + 1);
}

std::vector<MeshCost::Links> MeshCost::links_of(const Shape& shape) const {
  const auto ranks = static_cast<std::int32_t>(node_of_cell_.size());
  const topology::VirtualMesh mesh(ranks, shape);
  std::vector<Links> links(shape.size());
  const std::int32_t count = std::min(samples, ranks);
  for (std::int32_t sample = 0; sample < count; ++sample) {
    const auto cell = static_cast<Rank>(std::int64_t{sample} * ranks / count);
    for (std::size_t d = 0; d < shape.size(); ++d)
      for (const Rank peer : mesh.receivers(cell, static_cast<std::int32_t>(d))) {
        const bool is_near =
            node_of_cell_[static_cast<std::size_t>(peer)] == node_of_cell_[static_cast<std::size_t>(cell)];
        (is_near ? links[d].near : links[d].far) += 1.0 / count;
      }
  }
  return links;
}

double MeshCost::copies(const Shape& shape, double item_bytes) const {
  double copies = 1; // along the last dimension, to oneself too
  for (std::size_t d = 0; d + 1 < shape.size(); ++d)
    copies += tagged(item_bytes) * (shape[d] - 1.0) / shape[d];
  return copies;
}

double MeshCost::seconds(const Shape& shape, double fill_bytes, const Load& load) const {
  const MessageTerms near(machine_, Level::node);
  const MessageTerms far(machine_, Level::network);
  const double items = load.bytes / load.item_bytes;
  double processor = 0;
  double network = 0;
  double end = 0;
  const std::vector<Links> links = links_of(shape);
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const bool is_last = d + 1 == shape.size();
    const double side = shape[d];
    const double hops = is_last ? 1 : (side - 1) / side; // of an item
    const double bytes_of_item = is_last ? load.item_bytes : load.item_bytes * tagged(load.item_bytes);
    processor += items * hops * model::item_hop_seconds(bytes_of_item);
    processor += links[d].near * close_seconds;
    double last_buffer = 0;
    if (links[d].far > 0) {
      const double bytes = items * bytes_of_item / side; // along a link
      const double count = buffers(bytes, fill_bytes);
      const auto each = static_cast<std::int64_t>(bytes / count + 16);
      const double sent = links[d].far * count;
      processor += sent * (far.interval(each) + far.taking(each));
      network += ranks_of_node_ * sent * far.apart(each);
      last_buffer = far.hop(std::min<std::int64_t>(each, 64 << 10));
    }
    end += std::max(last_buffer, links[d].near > 0 ? near.hop(64) : 0);
  }
  const bool has_far = node_of_cell_.front() != node_of_cell_.back();
  const int rounds = ceil_log(ItemRoute::quiescence_radix,
                              static_cast<std::int64_t>(std::max<std::size_t>(node_of_cell_.size(), 2)));
  end += rounds * (has_far ? far : near).round(ItemRoute::quiescence_radix - 1, 64);
  return std::max(processor * ranks_of_core_, network) + end * ranks_of_core_;
}

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

void MeshChoice::decide(const PhaseMeasurement& seen) {
  const Shape& shape = meshes_[pick().mesh].shape;
  const double bytes = static_cast<double>(seen.sent_bytes) / cost_.copies(shape, load_.item_bytes);
  if (bytes <= 0 || seen.nanoseconds == 0)
    return;
  const bool is_first = std::exchange(load_.bytes, bytes) == 0;
  const std::optional<EarlierResult> recalled = is_first ? recall() : std::nullopt;
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
std::optional<MeshChoice::EarlierResult> MeshChoice::recall() {
  for (const FoundMesh& one : found_)
    for (std::size_t option = 0; option < picks_.size(); ++option) {
      const MeshPlan& mesh = meshes_[picks_[option].mesh];
      const bool are_alike = one.phase_bytes <= 2 * load_.bytes && load_.bytes <= 2 * one.phase_bytes;
      if (!are_alike || to_text(mesh.shape) != one.shape)
        continue;
      if (may_change_fill_)
        picks_[option].fill_bytes = std::clamp(one.fill_bytes, min_fill_bytes, mesh.slot_bytes);
      return EarlierResult{option, one.seconds};
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
