// SPDX-License-Identifier: BSD-3-Clause

// ItemStream's fourth part: what goes on its way before its buffer is full, while its rank computes.

#include "stream/item_stream.hpp"

namespace thalweg::streams {

namespace {

// How often a rank looks into windows: each look costs the sender's next item a cache line.
constexpr std::uint64_t window_ns = 20'000;
// A message that is measured as longer was interrupted.
constexpr std::uint64_t max_message_ns = 50'000;

} // namespace

thalweg_stream_window ItemStream::window_of(std::uint32_t link, const Slot& slot) const {
  const Rank near = outboxes_[link].near;
  if (near < 0)
    return {};
  const std::uint64_t word = Shown::word(NodeMemory::place_of(mesh_.base, slot), phase_);
  auto& shown = mesh_.memory.window(mesh_.base, near, near_rank_, mesh_.route.peers()[link].dimension);
  static constexpr std::uint32_t nobody = 0;
  return {.seen = reinterpret_cast<std::uint64_t*>(&shown),
          .origin = word - reinterpret_cast<std::uintptr_t>(open_links_[link].next),
          .sleepers = fabric_.rings ? mesh_.memory.doorbell(mesh_.base, near).sleepers_word() : &nobody};
}

void ItemStream::hurry(std::uint32_t link, bool at_once) {
  if (defers_ || links_[link].slot == nullptr) // it belongs to the next phase, or has been sent
    return;
  if (windows_[link].seen != nullptr && (!at_once || !pool_of(link).has_free())) {
    ring(outboxes_[link].near);
    return;
  }
  const bool is_far = outboxes_[link].near < 0;
  if (is_far && !at_once && !pace_.may(wait::System::now_ns()))
    return;
  const std::uint64_t begin_ns = is_far ? wait::System::now_ns() : 0;
  if (is_far && !pool_of(link).has_free())
    mesh_.remote->progress(); // which frees slots
  // Without another slot, it stays better where more can be put to it.
  if (pool_of(link).has_free()) {
    post(link, 0, Reason::flush);
    drain_overflow();
  }
  if (is_far)
    pace_.took(std::min(max_message_ns, wait::System::now_ns() - begin_ns));
}

bool ItemStream::take_shown(std::uint64_t now_ns) {
  if (now_ns - shown_ns_ < window_ns || holds_)
    return false;
  shown_ns_ = now_ns;
  bool moved = false;
  for (std::uint32_t d = mesh_.route.dimensions(); d-- > 0;)
    for (Inbox& inbox : inboxes_[d])
      moved |= take_shown(inbox, d);
  return moved;
}

// What was sent before comes first, as does the slot itself if it is sent meanwhile.
bool ItemStream::take_shown(Inbox& inbox, std::uint32_t dimension) {
  const Shown shown = Shown::of(inbox.window->load(std::memory_order_acquire));
  if (shown.place == 0 || !handles(shown.phase))
    return false;
  inbox.watched = shown.place;
  bool moved = false;
  for (int row = 0; take_from(inbox, dimension, false); ++row) {
    moved = true;
    if (row == slots_in_row)
      return true;
  }
  if (inbox.watched == 0 || !handles(shown.phase) || !may_hold_more())
    return moved;
  const std::uint32_t before = inbox.place == shown.place ? inbox.taken : 0;
  if (shown.bytes == before)
    return moved;
  inbox.place = shown.place;
  inbox.taken = shown.bytes;
  const auto* const items = reinterpret_cast<const char*>(NodeMemory::at(mesh_.base, shown.place).items());
  Member* const outer = set_->enter(this);
  handle_items({items + before, shown.bytes - before}, dimension);
  set_->leave(outer);
  return true;
}

} // namespace thalweg::streams
