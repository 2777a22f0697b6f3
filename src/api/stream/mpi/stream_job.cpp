// SPDX-License-Identifier: BSD-3-Clause
#include "stream/mpi/stream_job.hpp"

#include "base/assertion.hpp"
#include "base/error.hpp"
#include "base/random.hpp"
#include "base/units.hpp"
#include "job/library/mpi_library.hpp"
#include "stream/mpi/mpi_remote.hpp"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <functional>
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
  THALWEG_ASSERT(light, places_.size() == plan_.meshes.size());
  for (const Place& place : places_)
    place.memory.begin(segment_->memory() + place.at, shares_memory_ ? group_.near_rank() : 0);
  // Nobody sends to a rank that has not begun.
  if (shares_memory_)
    group_.channels().node_agreement()->allgather(char{});
}

void MeshSet::use(std::size_t mesh, std::uint32_t fill_bytes) {
  THALWEG_ASSERT(light, mesh < plan_.meshes.size() && fill_bytes <= plan_.meshes[mesh].slot_bytes);
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
const Mesh* MeshSet::decide(const PhaseMeasurement& seen) {
  THALWEG_ASSERT(light, choice_ && !left_); // a mesh is left for good before the next one is
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

namespace {

const std::shared_ptr<StreamSet>& streams_of_process() {
  static const auto set = std::make_shared<StreamSet>();
  return set;
}

PlanOptions wishes_of(const thalweg_stream_options& options) {
  return {.item_bytes = options.item_bytes,
          .buffer_bytes = options.buffer_bytes,
          .memory_bytes = options.memory_bytes,
          .max_pending_items = options.max_pending_items,
          .shape = options.shape == nullptr ? "" : options.shape};
}

// Of items that differ in size, nothing is known yet.
constexpr double usual_item_bytes = 16;

// Different buffers would be written over, and different meshes lose items.
void check_same(const job::Agreement& ranks, const PlanOptions& wishes) {
  const std::string text = fmt::format("{} {} {} {} {}", wishes.item_bytes, wishes.buffer_bytes,
                                       wishes.memory_bytes, wishes.max_pending_items, wishes.shape);
  const auto hashes = ranks.allgather(text_hash(text));
  const auto other = std::ranges::find_if(hashes, [&](std::uint64_t hash) { return hash != hashes.front(); });
  if (other != hashes.end())
    throw Error(fmt::format("ranks 0 and {} make the stream with different options", other - hashes.begin()),
                "give item_bytes, buffer_bytes, memory_bytes, max_pending_items and shape alike on all ranks",
                thalweg_error_mismatch);
}

// Those of streams that have ended are free again by now, mostly.
std::shared_ptr<job::ShadowCommunicator> duplicate(MPI_Comm communicator) {
  look_after_remains();
  return job::duplicate(communicator, "stream");
}

} // namespace

StreamJob::StreamJob(MPI_Comm communicator, const thalweg_stream_options& options,
                     const thalweg_stream_handler& handler)
    : group_(duplicate(communicator), nullptr, false), item_bytes_(options.item_bytes) {
  plan(options);
  StreamOptions chosen{.item_bytes = static_cast<std::uint32_t>(options.item_bytes)};
  std::vector<std::uint32_t> slots;
  for (const MeshPlan& mesh : meshes_->plan().meshes)
    slots.push_back(mesh.slot_bytes);
  chosen.max_item_bytes = std::ranges::min(slots);
  chosen.max_slot_bytes = std::ranges::max(slots);
  if (options.max_overflow_bytes != 0)
    chosen.max_overflow_bytes = options.max_overflow_bytes;
  if (options.period_us != 0)
    chosen.period_ns = std::uint64_t{1000} * options.period_us;
  stream_.emplace(meshes_->in_use(), fabric(), handler, chosen, streams_of_process(),
                  meshes_->choice() == nullptr ? nullptr : &*meshes_);
}

StreamJob::~StreamJob() {
  save();
  stream_.reset();
}

void StreamJob::plan(const thalweg_stream_options& options) {
  const PlanOptions wishes = wishes_of(options);
  check_same(group_.agreement(group_.channels().policy()), wishes);
  StreamPlan plan = plan_stream(wishes, group_.placement().nodes);
  std::optional<MeshChoice> choice;
  if (job::may_learn() && (plan.meshes.size() > 1 || plan.may_change_fill)) {
    knowledge_ = job::agree_on_knowledge(group_);
    const job::Placement& placement = group_.placement();
    const double sharing =
        placement.oversubscribed ? placement.oversubscribed_ranks / placement.oversubscribed_cores : 1;
    choice.emplace(plan, MeshCost(knowledge_->machine.machine, placement.nodes, sharing),
                   item_bytes_ == 0 ? usual_item_bytes : static_cast<double>(item_bytes_), found_meshes());
  }
  meshes_.emplace(group_, std::move(plan), std::move(choice));
}

std::vector<FoundMesh> StreamJob::found_meshes() const {
  std::vector<FoundMesh> found;
  for (const tune::StreamPick& pick : knowledge_->streams)
    if (pick.item_bytes == static_cast<std::int64_t>(item_bytes_) && pick.ranks == group_.ranks())
      found.push_back({.shape = pick.shape,
                       .fill_bytes = static_cast<std::uint32_t>(pick.buffer_bytes),
                       .phase_bytes = static_cast<double>(pick.phase_bytes),
                       .seconds = pick.seconds});
  return found;
}

void StreamJob::save() const {
  const auto result = meshes_->choice() == nullptr ? std::nullopt : meshes_->choice()->result();
  if (result)
    job::keep_found(group_, "a stream",
                    {knowledge_->fingerprint,
                     {},
                     {{.item_bytes = static_cast<std::int64_t>(item_bytes_),
                       .phase_bytes = static_cast<std::int64_t>(result->phase_bytes),
                       .ranks = group_.ranks(),
                       .shape = result->shape,
                       .buffer_bytes = result->fill_bytes,
                       .seconds = result->seconds}}});
}

void StreamJob::no_handler_may_run(const char* what) {
  if (streams_of_process()->is_nested())
    throw Error(what, "do so where no handler runs");
}

Fabric StreamJob::fabric() const {
  const bool shares_memory = meshes_->shares_memory();
  Fabric where{.rank = group_.rank(), .ranks = group_.ranks()};
  where.node_ranks.assign(static_cast<std::size_t>(shares_memory ? group_.near_ranks() : 1), group_.rank());
  for (Rank rank = 0; shares_memory && rank < group_.ranks(); ++rank)
    if (const Rank near = group_.near_rank(rank); near >= 0)
      where.node_ranks[static_cast<std::size_t>(near)] = rank;
  THALWEG_ASSERT(light, where.near(where.rank) >= 0);
  where.policy = group_.channels().policy();
  if (meshes_->in_use().remote != nullptr)
    where.policy.polls = 1; // each is a look of the library's
  where.rings = group_.placement().oversubscribed;
  return where;
}

} // namespace thalweg::streams
