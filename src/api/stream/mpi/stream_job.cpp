// SPDX-License-Identifier: BSD-3-Clause
#include "stream/mpi/stream_job.hpp"

#include "base/error.hpp"
#include "base/hash.hpp"
#include "job/library/communicator.hpp"
#include "stream/mpi/remains.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <functional>

namespace thalweg::streams {

namespace {

const std::shared_ptr<StreamSet>& streams_of_process() {
  static const auto set = std::make_shared<StreamSet>();
  return set;
}

Wishes wishes_of(const thalweg_stream_options& options) {
  return {.item_bytes = options.item_bytes,
          .buffer_bytes = options.buffer_bytes,
          .memory_bytes = options.memory_bytes,
          .max_pending_items = options.max_pending_items,
          .shape = options.shape == nullptr ? "" : options.shape};
}

// Of items that differ in size, nothing is known yet.
constexpr double usual_item_bytes = 16;

// Different buffers would be written over, and different meshes lose items.
void check_same(const job::Agreement& ranks, const Wishes& wishes) {
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
  const Wishes wishes = wishes_of(options);
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
  where.policy = group_.channels().policy();
  if (meshes_->in_use().remote != nullptr)
    where.policy.polls = 1; // each is a look of the library's
  where.rings = group_.placement().oversubscribed;
  return where;
}

} // namespace thalweg::streams
