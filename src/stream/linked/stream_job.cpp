#include "stream/linked/stream_job.hpp"

#include "core/error.hpp"
#include "job/linked/communicator.hpp"
#include "job/linked/linked_library.hpp"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <functional>
#include <string_view>

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

// As for the interposers (docs/configuration.md). Then ranks of a node talk as those of different nodes do.
bool wants_shared_memory() {
  const char* const value = std::getenv("THALWEG_SHARED_MEMORY");
  return value == nullptr || std::string_view(value) != "0";
}

// Different buffers would be written over, and different meshes lose items.
void check_same(const job::Agreement& ranks, const Wishes& wishes) {
  const std::string text = fmt::format("{} {} {} {} {}", wishes.item_bytes, wishes.buffer_bytes,
                                       wishes.memory_bytes, wishes.max_pending_items, wishes.shape);
  const auto hashes = ranks.allgather(std::uint64_t{std::hash<std::string>()(text)});
  const auto other = std::ranges::find_if(hashes, [&](std::uint64_t hash) { return hash != hashes.front(); });
  if (other != hashes.end())
    throw Error(fmt::format("ranks 0 and {} make the stream with different options", other - hashes.begin()),
                "give item_bytes, buffer_bytes, memory_bytes, max_pending_items and shape alike on all ranks",
                thalweg_error_mismatch);
}

} // namespace

StreamJob::StreamJob(MPI_Comm communicator, const thalweg_stream_options& options,
                     const thalweg_stream_handler& handler)
    : group_(job::duplicate(communicator, "stream"), nullptr, false), item_bytes_(options.item_bytes) {
  const Wishes wishes = wishes_of(options);
  check_same(group_.agreement(group_.channels().policy()), wishes);
  const StreamPlan plan = plan_stream(wishes, group_.placement().nodes);
  // Ranks of a node that share no memory are as far from each other as those of different nodes.
  NodeMemory layout(group_.near_ranks(), plan.slots, plan.slot_bytes);
  share(layout);
  if (!shares_memory_)
    layout = NodeMemory(1, plan.slots, plan.slot_bytes);
  std::byte* const base = begin(layout);

  shape_ = to_text(plan.shape);
  const ItemRoute route(plan.shape, group_.ranks(), group_.rank(), plan.rank_of_cell);
  Fabric where = fabric(base);
  if (where.node_ranks.size() < static_cast<std::size_t>(group_.ranks())) {
    where.policy.polls = 1; // each is a look of the library's
    remote_ = std::make_unique<MpiRemote>(job::linked_api(), group_.communicator(), route.dimensions() + 1,
                                          plan.slot_bytes);
    where.remote = remote_.get();
  }
  StreamOptions chosen{.item_bytes = static_cast<std::uint32_t>(options.item_bytes),
                       .fill_bytes = plan.fill_bytes};
  if (options.max_overflow_bytes != 0)
    chosen.max_overflow_bytes = options.max_overflow_bytes;
  if (options.period_us != 0)
    chosen.period_ns = std::uint64_t{1000} * options.period_us;
  stream_.emplace(route, layout, std::move(where), handler, chosen, streams_of_process());
  for (std::size_t cell = 0; cell < plan.rank_of_cell.size(); ++cell) {
    cells_.resize(plan.rank_of_cell.size());
    cells_[static_cast<std::size_t>(plan.rank_of_cell[cell])] = static_cast<std::uint32_t>(cell);
  }
  if (!cells_.empty())
    stream_->view()->cells = cells_.data();
}

// What is still being sent belongs to the library: then its memory stays.
StreamJob::~StreamJob() {
  stream_.reset();
  if (remote_ == nullptr)
    return;
  for (int looks = 0; looks < 1000 && remote_->has_sends(); ++looks) {
    remote_->progress();
    wait::System::yield();
  }
  if (remote_->has_sends())
    new std::shared_ptr<transport::Segment>(std::move(segment_));
}

void StreamJob::no_handler_may_run(const char* what) {
  if (streams_of_process()->is_nested())
    throw Error(what, "do so where no handler runs");
}

void StreamJob::share(const NodeMemory& layout) {
  if (group_.channels().node_agreement() && wants_shared_memory())
    segment_ = group_.share(layout.bytes());
  shares_memory_ = segment_ != nullptr;
}

std::byte* StreamJob::begin(const NodeMemory& layout) {
  if (!shares_memory_) {
    segment_ = transport::Segment::make(layout.bytes()); // zeros, and pages that are touched only
    layout.begin(segment_->memory(), 0);
    return segment_->memory();
  }
  layout.begin(segment_->memory(), group_.near_rank());
  // Nobody sends to a rank that has not begun.
  group_.channels().node_agreement()->allgather(char{});
  return segment_->memory();
}

Fabric StreamJob::fabric(std::byte* memory) {
  Fabric where{.rank = group_.rank(), .ranks = group_.ranks(), .memory = memory};
  where.node_ranks.assign(static_cast<std::size_t>(shares_memory_ ? group_.near_ranks() : 1), group_.rank());
  for (Rank rank = 0; shares_memory_ && rank < group_.ranks(); ++rank)
    if (const Rank near = group_.near_rank(rank); near >= 0)
      where.node_ranks[static_cast<std::size_t>(near)] = rank;
  where.policy = group_.channels().policy();
  where.rings = group_.placement().oversubscribed;
  return where;
}

} // namespace thalweg::streams
