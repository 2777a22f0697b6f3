// SPDX-License-Identifier: BSD-3-Clause
#include "stream/mpi/mesh_set.hpp"

#include "base/units.hpp"
#include "job/library/mpi_library.hpp"
#include "stream/mpi/remains.hpp"

#include <cstdlib>
#include <fmt/format.h>
#include <string_view>
#include <utility>

namespace thalweg::streams {

namespace {

// As for the interposers (docs/configuration.md). Then ranks of a node talk as those of different nodes do.
bool wants_shared_memory() {
  const char* const value = std::getenv("THALWEG_SHARED_MEMORY");
  return value == nullptr || std::string_view(value) != "0";
}

} // namespace

MeshSet::MeshSet(const job::Group& group, StreamPlan plan, std::optional<MeshChoice> choice)
    : group_(group), plan_(std::move(plan)), choice_(std::move(choice)) {
  counts_->sent.resize(static_cast<std::size_t>(group_.ranks()));
  for (std::size_t cell = 0; cell < plan_.rank_of_cell.size(); ++cell) {
    cells_.resize(plan_.rank_of_cell.size());
    cells_[static_cast<std::size_t>(plan_.rank_of_cell[cell])] = static_cast<std::uint32_t>(cell);
  }
  for (const MeshPlan& mesh : plan_.meshes)
    shapes_.push_back(to_text(mesh.shape));
  share();
  has_far_ = (shares_memory_ ? group_.near_ranks() : 1) < group_.ranks();
  use(0, plan_.meshes.front().fill_bytes);
}

MeshSet::~MeshSet() {
  if (remote_ != nullptr)
    leave_behind({group_.shadow(), std::move(segment_), std::move(counts_), std::move(remote_)});
}

std::vector<MeshSet::Place> MeshSet::place_all(std::int32_t near_ranks) const {
  constexpr std::size_t page = 4096;
  std::vector<Place> places;
  std::size_t at = 0;
  int tag = 0;
  for (const MeshPlan& mesh : plan_.meshes) {
    places.push_back({NodeMemory(near_ranks, mesh.slots, mesh.slot_bytes), at, tag});
    at += (places.back().memory.bytes() + page - 1) / page * page;
    tag += MpiRemote::tags(static_cast<std::uint32_t>(mesh.shape.size()) + 1);
  }
  return places;
}

// Ranks of a node that share no memory are as far from each other as those of different nodes.
void MeshSet::share() {
  const auto bytes_of = [](const std::vector<Place>& places) {
    return places.back().at + places.back().memory.bytes();
  };
  if (group_.channels().node_agreement() && wants_shared_memory()) {
    places_ = place_all(group_.near_ranks());
    segment_ = group_.share(bytes_of(places_));
  }
  shares_memory_ = segment_ != nullptr;
  if (!shares_memory_) {
    places_ = place_all(1);
    segment_ = transport::Segment::make(bytes_of(places_)); // zeros, and pages that are touched only
  }
  for (const Place& place : places_)
    place.memory.begin(segment_->memory() + place.at, shares_memory_ ? group_.near_rank() : 0);
  // Nobody sends to a rank that has not begun.
  if (shares_memory_)
    group_.channels().node_agreement()->allgather(char{});
}

void MeshSet::use(std::size_t mesh, std::uint32_t fill_bytes) {
  const MeshPlan& plan = plan_.meshes[mesh];
  const Place& place = places_[mesh];
  used_ = mesh;
  remote_.reset();
  if (has_far_)
    remote_ =
        std::make_unique<MpiRemote>(job::library_api(), group_.communicator(), *counts_, place.first_tag,
                                    static_cast<std::uint32_t>(plan.shape.size()) + 1, plan.slot_bytes);
  const bool has_order = plan.shape.size() > 1;
  mesh_.emplace(Mesh{.route = ItemRoute(plan.shape, group_.ranks(), group_.rank(),
                                        has_order ? plan_.rank_of_cell : std::vector<Rank>()),
                     .memory = place.memory,
                     .base = segment_->memory() + place.at,
                     .remote = remote_.get(),
                     .cells = has_order && !cells_.empty() ? cells_.data() : nullptr,
                     .fill_bytes = fill_bytes});
}

// The messages of the mesh that is left have all come: each was waited for in the quiescence check.
const Mesh* MeshSet::decide(const PhaseSeen& seen) {
  const MeshChoice::Pick before = choice_->pick();
  choice_->decide(seen);
  const MeshChoice::Pick now = choice_->pick();
  if (now == before)
    return nullptr;
  if (now.mesh == before.mesh) {
    mesh_->fill_bytes = now.fill_bytes;
    return &*mesh_;
  }
  left_ = before.mesh;
  use(now.mesh, now.fill_bytes);
  return &*mesh_;
}

// So all have left the mesh of before. Its memory is as new again before anybody may come back.
void MeshSet::everybody_is_here() {
  if (!left_)
    return;
  const Place& place = places_[*left_];
  place.memory.renew(segment_->memory() + place.at, shares_memory_ ? group_.near_rank() : 0);
  left_.reset();
}

void MeshSet::phase_ended() {
  if (choice_)
    choice_->phase_ended();
}

std::string explain(const MeshSet& meshes) {
  if (meshes.choice() == nullptr)
    return fmt::format("{}: there is no other, or it was asked for\n", meshes.shape());
  std::string text;
  for (const MeshChoice::Row& row : meshes.choice()->rows())
    text +=
        fmt::format("{}, buffers of {}: predicted {}, seen {}{}\n", row.shape, exact_bytes(row.fill_bytes),
                    row.predicted_seconds > 0 ? format_seconds(row.predicted_seconds) : "nothing",
                    row.seen_seconds ? format_seconds(*row.seen_seconds) : "nothing",
                    row.note.empty() ? "" : ": " + row.note);
  return text;
}

} // namespace thalweg::streams
