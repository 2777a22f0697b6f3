// SPDX-License-Identifier: BSD-3-Clause
#include "stream/item_stream.hpp"

#include "base/error.hpp"
#include "boundary/guarded.hpp"
#include "thalweg/stream_items.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <fmt/format.h>
#include <utility>

namespace thalweg::streams {

namespace {

std::vector<std::uint32_t> messages_by_round(const ItemRoute& route) {
  std::vector<std::uint32_t> messages;
  for (std::uint32_t round = 0; round < route.rounds(); ++round)
    messages.push_back(route.first_link_of_round(round + 1) - route.first_link_of_round(round));
  return messages;
}

} // namespace

ItemStream::ItemStream(const Mesh& mesh, Fabric fabric, const thalweg_stream_handler& handler,
                       const StreamOptions& options, std::shared_ptr<StreamSet> set, Choosing* choosing)
    : mesh_(mesh), fabric_(std::move(fabric)), near_rank_(fabric_.near(fabric_.rank)), handler_(handler),
      options_(options), set_(std::move(set)), choosing_(choosing), overflow_(options_.max_slot_bytes),
      wave_(mesh.route.dimensions()), quiescence_(messages_by_round(mesh.route)) {
  assert(near_rank_ >= 0 && options_.max_item_bytes <= options_.max_slot_bytes);
  enter(mesh);
  is_due_ = choosing_ != nullptr && choosing_->is_due();
  view_.ranks = static_cast<std::uint32_t>(fabric_.ranks);
  view_.rank = static_cast<std::uint32_t>(fabric_.rank);
  view_.shares_memory = fabric_.node_ranks.size() > 1 ? 1 : 0;
  view_.max_item_bytes = options_.max_item_bytes;
  view_.stream = this;
  view_.refill = [](void* stream, std::uint32_t link, std::size_t bytes) -> int {
    auto& self = *static_cast<ItemStream*>(stream);
    return boundary::guarded({.call = "send", .rank = self.fabric_.rank, .ranks = self.fabric_.ranks},
                             [&] { self.refill(link, bytes); });
  };
  view_.hurry = [](void* stream, std::uint32_t link, int at_once) -> int {
    auto& self = *static_cast<ItemStream*>(stream);
    return boundary::guarded({.call = "send", .rank = self.fabric_.rank, .ranks = self.fabric_.ranks},
                             [&] { self.hurry(link, at_once != 0); });
  };
  view_.fail = [](void* stream, const char* why) -> int {
    auto& self = *static_cast<ItemStream*>(stream);
    return boundary::guarded({.call = "fail", .rank = self.fabric_.rank, .ranks = self.fabric_.ranks}, [&] {
      self.fail(why);
      throw Error(why, "", thalweg_error_handler);
    });
  };
  looked_ns_ = phase_began_ns_ = wait::System::now_ns();
  set_->add(*this);
}

// No slot is filled or under way, in the first mesh as in later ones.
void ItemStream::enter(const Mesh& mesh) {
  assert(mesh.fill_bytes <= mesh.memory.slot_bytes() && mesh.memory.slot_bytes() <= options_.max_slot_bytes);
  assert(options_.max_item_bytes <= mesh.memory.slot_bytes());
  mesh_ = mesh;
  const ItemRoute& route = mesh_.route;
  open_links_.assign(route.peers().size(), {});
  windows_.assign(route.peers().size(), {});
  links_.assign(route.peers().size(), {});
  early_.resize(route.dimensions() + 1);
  wave_ = Wave(route.dimensions());
  pools_.clear();
  inboxes_.assign(early_.size(), {});
  for (std::uint32_t d = 0; d <= route.quiescence_dimension(); ++d) {
    pools_.emplace_back(mesh_.memory.first_slot(mesh_.base, near_rank_, d), mesh_.memory.stride(),
                        mesh_.memory.slots(d));
    for (const Rank sender : route.senders(d))
      if (const Rank near = fabric_.near(sender); near >= 0)
        inboxes_[d].push_back({.mailbox = mesh_.memory.mailbox(mesh_.base, near_rank_, near, d),
                               .window = &mesh_.memory.window(mesh_.base, near_rank_, near, d)});
  }
  outboxes_.clear();
  for (const Peer& peer : route.peers()) {
    const Rank near = fabric_.near(peer.rank);
    outboxes_.push_back(
        {near, near < 0 ? MailboxEnd() : mesh_.memory.mailbox(mesh_.base, near, near_rank_, peer.dimension)});
    outboxes_.back().fill_bytes = first_fill(outboxes_.back());
  }
  point_view();
}

// Programs put items into the links of the mesh, or into those of what is deferred.
void ItemStream::point_view() {
  view_.links = defers_ ? deferred_->open_links() : open_links_.data();
  view_.windows = defers_ ? Deferred::windows : windows_.data();
  view_.dimension = defers_ ? deferred_->dimensions() : mesh_.route.view();
  view_.dimensions = defers_ ? Deferred::links : mesh_.route.dimensions();
  view_.cells = defers_ ? nullptr : mesh_.cells;
  view_.tag_bytes = defers_ ? Deferred::tag_bytes : mesh_.route.tag_bytes();
}

ItemStream::~ItemStream() {
  set_->remove(*this);
  for (auto& early : early_)
    for (const Early& one : early)
      if (one.is_copy)
        overflow_.free(*one.slot);
}

// --- sending ---

void ItemStream::refill(std::uint32_t link, std::size_t bytes) {
  const std::uint32_t slot_bytes = defers_ ? options_.max_item_bytes : mesh_.memory.slot_bytes();
  if (bytes > slot_bytes)
    throw Error(fmt::format("an item of {} B, with its tag", bytes),
                fmt::format("a slot of this stream holds {} B: make it with larger buffers", slot_bytes));
  if (defers_) {
    refill_deferred(link);
    return;
  }
  assert(mesh_.route.peers()[link].rank >= 0);
  const bool in_handler = set_->runs_handler();
  if (is_finishing_ && !in_handler && !set_->is_nested())
    throw Error("an item is sent while the phase ends",
                "send after its request has finished, or in a handler");
  // A link's first item seldom costs a look: where there are messages, that takes as long as many items.
  const bool was_full = links_[link].slot != nullptr;
  const std::uint64_t now_ns = was_full ? 0 : wait::System::now_ns();
  if (began_ns_ == 0)
    began_ns_ = now_ns;
  if (was_full)
    post(link, 0, Reason::full);
  if (!in_handler && (was_full || now_ns - looked_ns_ >= options_.period_ns))
    progress();
  std::uint32_t& fill = outboxes_[link].fill_bytes;
  fill = std::max(fill, static_cast<std::uint32_t>(bytes));
  // What has been taken in meanwhile may have filled the link again.
  while (!has_place(link, bytes)) {
    if (links_[link].slot != nullptr)
      post(link, 0, Reason::full);
    Slot* const slot = overflow_.holds(link) ? nullptr : pool_of(link).take();
    if (slot != nullptr)
      give(link, *slot, false);
    else if (in_handler)
      give(link, make_overflow(), true);
    else
      wait_for_slot(link);
  }
}

bool ItemStream::has_place(std::uint32_t link, std::size_t bytes) const {
  const thalweg_stream_link& open = open_links_[link];
  return open.next != nullptr && bytes <= static_cast<std::size_t>(open.end - open.next);
}

void ItemStream::give(std::uint32_t link, Slot& slot, bool is_overflow) {
  links_[link] = {.slot = &slot, .is_overflow = is_overflow, .was_seen = false};
  open_links_[link] = part_of(link, slot);
  windows_[link] = is_overflow ? thalweg_stream_window{} : window_of(link, slot);
  for (std::size_t line = 0; line < THALWEG_STREAM_AHEAD; line += sizeof(Slot))
    detail::prepare_to_write(open_links_[link].next + line);
}

// What goes to another node is to be on its way while more is made. So a phase begins with short messages
// there, each twice as long as the one before: then what is left for its end is a part of what was sent.
std::uint32_t ItemStream::first_fill(const Outbox& outbox) const {
  constexpr std::uint32_t short_bytes = 4096;
  return outbox.near >= 0 ? mesh_.fill_bytes
                          : std::min(mesh_.fill_bytes, std::max(short_bytes, options_.item_bytes + 4));
}

// Of an item, if they are of one size.
std::size_t ItemStream::stride(std::uint32_t link) const {
  const bool is_last = mesh_.route.peers()[link].dimension + 1 == mesh_.route.dimensions();
  return options_.item_bytes + (is_last ? 0 : mesh_.route.tag_bytes());
}

// As many whole items as a slot is to hold.
thalweg_stream_link ItemStream::part_of(std::uint32_t link, Slot& slot) const {
  const std::uint32_t fill = outboxes_[link].fill_bytes;
  const std::size_t bytes = options_.item_bytes == 0 ? fill : fill / stride(link) * stride(link);
  char* const begin = reinterpret_cast<char*>(slot.items());
  return {begin, begin + bytes};
}

Slot& ItemStream::make_overflow() {
  Slot& slot = overflow_.make();
  statistics_.max_overflow_bytes = std::max(statistics_.max_overflow_bytes, overflow_.bytes());
  if (overflow_.bytes() <= options_.max_overflow_bytes)
    return slot;
  overflow_.free(slot);
  throw Error(fmt::format("{} B wait for slots, as handlers send more than they are sent", overflow_.bytes()),
              fmt::format("let handlers send less, or allow more than {} B", options_.max_overflow_bytes),
              thalweg_error_out_of_memory);
}

void ItemStream::post(std::uint32_t link, std::uint8_t flags, Reason reason) {
  const Link filled = std::exchange(links_[link], {});
  const thalweg_stream_link open_link = std::exchange(open_links_[link], {});
  if (const thalweg_stream_window window = std::exchange(windows_[link], {}); window.seen != nullptr)
    __atomic_store_n(window.seen, 0, __ATOMIC_RELAXED); // before it is in the mailbox
  Slot& slot = *filled.slot;
  const auto bytes = static_cast<std::uint32_t>(open_link.next - reinterpret_cast<const char*>(slot.items()));
  slot.head = {.bytes = bytes,
               .source = fabric_.rank,
               .dimension = static_cast<std::uint8_t>(mesh_.route.peers()[link].dimension),
               .phase = phase_,
               .flags = flags,
               .failed_rank = failed_rank_};
  if ((flags & SlotHead::has_failed) != 0) {
    slot.head.bytes =
        static_cast<std::uint32_t>(std::min<std::size_t>(failure_.size(), mesh_.memory.slot_bytes()));
    std::memcpy(slot.items(), failure_.data(), slot.head.bytes);
  }
  ++statistics_.slots[static_cast<std::size_t>(reason)];
  if (bytes > 0 && carries_items(slot)) {
    statistics_.slot_bytes +=
        static_cast<std::uint64_t>(open_link.end - reinterpret_cast<const char*>(slot.items()));
    statistics_.hops += options_.item_bytes == 0 ? 0 : bytes / stride(link);
  }
  if (reason == Reason::full)
    outboxes_[link].fill_bytes = std::min(2 * outboxes_[link].fill_bytes, mesh_.fill_bytes);
  if (filled.is_overflow)
    overflow_.append(link, slot);
  else
    dispatch(link, slot);
}

void ItemStream::dispatch(std::uint32_t link, Slot& slot) {
  Outbox& outbox = outboxes_[link];
  const std::uint32_t bytes = carries_items(slot) ? slot.head.bytes : 0;
  pool_of(link).sent(slot);
  if (outbox.near >= 0) {
    statistics_.near_bytes += bytes;
    outbox.mailbox.post({.place = NodeMemory::place_of(mesh_.base, slot),
                         .flags = slot.head.flags,
                         .phase = slot.head.phase});
    ring(outbox.near);
  } else {
    statistics_.far_bytes += bytes;
    ++statistics_.far_messages;
    mesh_.remote->send(slot, mesh_.route.peers()[link].rank);
  }
}

void ItemStream::ring(Rank near) {
  if (fabric_.rings && near != near_rank_)
    mesh_.memory.doorbell(mesh_.base, near).wake_if_asleep();
}

// --- what is sent while a phase ends, for the next one ---

void ItemStream::defer(bool on) {
  const bool was = std::exchange(defers_, on && is_finishing_);
  if (was == defers_)
    return;
  if (!deferred_)
    deferred_ = std::make_unique<Deferred>();
  point_view();
}

// An item that fits here, behind its rank, fits into the slots of every mesh.
void ItemStream::refill_deferred(std::uint32_t link) {
  deferred_->give(link, make_overflow(), options_.max_item_bytes);
}

// The next phase has begun. As in a handler, nobody waits.
void ItemStream::send_deferred() {
  if (!deferred_)
    return;
  const std::unique_ptr<Deferred> deferred = std::move(deferred_);
  Member* const outer = set_->enter(this);
  const std::uint32_t was_in_handler = std::exchange(view_.in_handler, 1U);
  for (std::uint32_t link = 0; link < Deferred::links; ++link)
    for (Slot* const slot : deferred->take(link)) {
      handler_.resend(handler_.context, reinterpret_cast<const char*>(slot->items()), slot->head.bytes, link);
      overflow_.free(*slot);
    }
  view_.in_handler = was_in_handler;
  set_->leave(outer);
}

bool ItemStream::drain_overflow() {
  if (overflow_.is_empty())
    return false;
  return overflow_.drain([this](std::uint32_t link, const Slot& waiting) {
    Slot* const slot = pool_of(link).take();
    if (slot == nullptr)
      return false;
    slot->head = waiting.head;
    std::memcpy(slot->items(), const_cast<Slot&>(waiting).items(), waiting.head.bytes);
    dispatch(link, *slot);
    return true;
  });
}

// As a handler does: it does not wait.
void ItemStream::release_held() {
  if (handler_.release == nullptr || is_finishing_)
    return;
  Member* const outer = set_->enter(this);
  const std::uint32_t was_in_handler = std::exchange(view_.in_handler, 1U);
  handler_.release(handler_.context);
  view_.in_handler = was_in_handler;
  set_->leave(outer);
}

void ItemStream::flush() {
  release_held();
  send_links();
  if (overflow_.is_empty())
    return;
  if (mesh_.remote != nullptr)
    mesh_.remote->progress(); // which frees slots
  drain_overflow();
}

void ItemStream::send_links() {
  const auto count = static_cast<std::uint32_t>(links_.size());
  for (std::uint32_t step = 1; step <= count; ++step)
    if (const std::uint32_t link = (mesh_.route.own_link() + step) % count; links_[link].slot != nullptr)
      post(link, 0, Reason::flush);
}

// A link that holds the same slot as one period ago waits for more in vain. (TRAM's rule is to send all if
// nothing was sent since the last look, which lets one slow link among busy ones wait for ever.)
void ItemStream::send_old(std::uint64_t now_ns) {
  if (now_ns - looked_ns_ < options_.period_ns)
    return;
  looked_ns_ = now_ns;
  release_held();
  for (std::uint32_t link = 0; link < links_.size(); ++link)
    if (links_[link].slot != nullptr && std::exchange(links_[link].was_seen, true))
      post(link, 0, Reason::waited);
}

bool ItemStream::look_at_clock() {
  const std::uint64_t now_ns = wait::System::now_ns();
  const bool moved = take_shown(now_ns);
  send_old(now_ns);
  return moved;
}

bool ItemStream::progress() {
  return !set_->is_nested() && set_->progress(nullptr);
}

} // namespace thalweg::streams
