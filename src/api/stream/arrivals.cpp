// SPDX-License-Identifier: BSD-3-Clause

// ItemStream's second part: how it takes in.

#include "base/error.hpp"
#include "stream/item_stream.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <string>
#include <utility>

namespace thalweg::streams {

namespace {

/// Sleeps on this rank's doorbell: whoever sends a slot to it, or frees one of its own, rings. So does who
/// has shown it something, so that before and after it windows are looked into, whenever that was done last.
struct DoorbellSystem : wait::System {
  DoorbellSystem(transport::Doorbell& own, const std::function<wait::Look()>& looking, std::uint64_t& shown)
      : doorbell(&own), look(&looking), shown_ns(&shown) {}
  void sleep_us(std::uint32_t duration) {
    *shown_ns = 0;
    doorbell->sleep_unless([this] { return (*look)() != wait::Look::nothing; }, duration);
    *shown_ns = 0;
  }
  transport::Doorbell* doorbell;
  const std::function<wait::Look()>* look;
  std::uint64_t* shown_ns;
};

} // namespace

void ItemStream::wait(const std::function<wait::Look()>& look) {
  if (fabric_.rings)
    wait::until(fabric_.policy, look,
                DoorbellSystem(mesh_.memory.doorbell(mesh_.base, near_rank_), look, shown_ns_));
  else
    wait::until(fabric_.policy, look);
}

void ItemStream::looked_in_vain() {
  if (fabric_.policy.progress_others != nullptr)
    fabric_.policy.progress_others(fabric_.policy.context);
  wait::System system;
  if (fabric_.rings)
    wait::yield_or_sleep(system, wait::thread_yield_history(), fabric_.policy.settings.sleep_us_min);
}

void ItemStream::wait_for(const std::function<bool()>& reached) {
  must_not_be_nested();
  looks_in_vain_ = 0;
  wait([&] {
    const bool moved = set_->progress(nullptr);
    if (reached())
      return wait::Look::reached;
    send_when_idle(moved);
    return moved ? wait::Look::moved : wait::Look::nothing;
  });
}

void ItemStream::wait_for_slot(std::uint32_t link) {
  const std::uint32_t dimension = mesh_.route.peers()[link].dimension;
  ++statistics_.waits;
  const std::uint64_t begin_ns = wait::System::now_ns();
  wait([&] {
    const bool moved = set_->progress_from(*this, dimension);
    if (!overflow_.holds(link) && pools_[dimension].has_free())
      return wait::Look::reached;
    return moved ? wait::Look::moved : wait::Look::nothing;
  });
  statistics_.waited_ns += wait::System::now_ns() - begin_ns;
}

bool ItemStream::take_in(std::uint32_t from_dimension, bool copies) {
  bool moved = drain_overflow();
  if (mesh_.remote != nullptr)
    mesh_.remote->progress();
  // The last dimension first: it needs no slots, and frees others'.
  for (std::uint32_t d = mesh_.route.quiescence_dimension() + 1; d-- > from_dimension;) {
    moved |= take_early(d, copies);
    moved |= take_near(d, copies);
    if (mesh_.remote != nullptr)
      moved |= take_far(d, copies);
  }
  return moved;
}

// What came for a phase before that had begun.
bool ItemStream::take_early(std::uint32_t dimension, bool copies) {
  bool moved = false;
  std::deque<Early>& early = early_[dimension];
  while (!early.empty() && handles(early.front().slot->head.phase)) {
    const Early first = early.front();
    early.pop_front();
    handle(*first.slot, first.taken);
    if (first.is_copy)
      overflow_.free(*first.slot);
    else
      free_near(*first.slot);
    moved = true;
  }
  if (copies)
    for (Early& one : early)
      if (!one.is_copy) {
        Slot& held = *one.slot;
        one = {&copy(held), true, one.taken};
        free_near(held);
        moved = true;
      }
  return moved;
}

bool ItemStream::take_near(std::uint32_t dimension, bool copies) {
  bool moved = false;
  for (Inbox& inbox : inboxes_[dimension])
    for (int row = 0; row < slots_in_row && take_from(inbox, dimension, copies); ++row)
      moved = true;
  return moved;
}

bool ItemStream::take_from(Inbox& inbox, std::uint32_t dimension, bool copies) {
  if (!may_hold_more())
    return false;
  const std::optional<Notice> notice = inbox.mailbox.take();
  if (!notice)
    return false;
  if (notice->place == 0) {
    take_notice(*notice, dimension);
    return true;
  }
  Slot& slot = NodeMemory::at(mesh_.base, notice->place);
  const std::uint32_t taken = inbox.sent(notice->place);
  if (handles(notice->phase)) {
    handle(slot, taken);
    free_near(slot);
  } else if (copies) {
    early_[dimension].push_back({&copy(slot), true, taken});
    free_near(slot);
  } else {
    early_[dimension].push_back({&slot, false, taken});
  }
  return true;
}

// A mark without items.
void ItemStream::take_notice(const Notice& notice, std::uint32_t dimension) {
  if (handles(notice.phase)) {
    take_mark(dimension, notice.flags);
    return;
  }
  Slot& early = overflow_.make();
  early.head = {
      .dimension = static_cast<std::uint8_t>(dimension), .phase = notice.phase, .flags = notice.flags};
  early_[dimension].push_back({&early, true});
}

bool ItemStream::take_far(std::uint32_t dimension, bool copies) {
  bool moved = false;
  for (const std::uint32_t phase : {std::uint32_t{phase_}, phase_ ^ 1U}) {
    if (!handles(phase) && !copies)
      continue;
    while (Slot* slot = may_hold_more() ? mesh_.remote->receive(dimension, phase) : nullptr) {
      if (handles(phase))
        handle(*slot, 0);
      else
        early_[dimension].push_back({&copy(*slot), true});
      mesh_.remote->release(*slot);
      moved = true;
    }
  }
  return moved;
}

Slot& ItemStream::copy(const Slot& slot) {
  Slot& copied = overflow_.make();
  statistics_.max_overflow_bytes = std::max(statistics_.max_overflow_bytes, overflow_.bytes());
  copied.head = slot.head;
  std::memcpy(copied.items(), const_cast<Slot&>(slot).items(), slot.head.bytes);
  return copied;
}

void ItemStream::free_near(Slot& slot) {
  const Rank owner = slot.head.source;
  slot.is_free.store(1, std::memory_order_release);
  if (fabric_.rings)
    ring(fabric_.near(owner));
}

// `taken`: so many bytes of its items have been handled before.
void ItemStream::handle(Slot& slot, std::uint32_t taken) {
  const SlotHead& head = slot.head;
  if ((head.flags & SlotHead::has_seen) != 0) {
    PhaseSeen seen;
    std::memcpy(&seen, slot.items(), sizeof seen);
    quiescence_.has_seen(seen);
  } else {
    const std::span items(reinterpret_cast<const char*>(slot.items()), head.bytes);
    Member* const outer = set_->enter(this);
    if ((head.flags & SlotHead::has_failed) != 0)
      take_failure(head, items);
    else
      handle_items(items.subspan(taken), head.dimension);
    set_->leave(outer);
  }
  if ((head.flags & SlotHead::closes) != 0)
    take_mark(head.dimension, head.flags);
}

void ItemStream::take_mark(std::uint32_t dimension, std::uint8_t flags) {
  const bool was_active = (flags & SlotHead::was_active) != 0;
  if (dimension == mesh_.route.quiescence_dimension())
    quiescence_.arrived(std::uint32_t{flags} >> SlotHead::round_at, was_active);
  else
    wave_.mark_arrived(dimension, was_active);
}

void ItemStream::take_failure(const SlotHead& head, std::span<const char> text) {
  if (failed_rank_ >= 0)
    return;
  failed_rank_ = head.failed_rank;
  failure_.assign(text.data(), text.size());
}

void ItemStream::handle_items(std::span<const char> items, std::uint32_t dimension) {
  // After a failure nothing is worth handling, but marks have to go on.
  if (items.empty() || failed_rank_ >= 0)
    return;
  if (dimension + 1U < mesh_.route.dimensions()) {
    handler_.forward(handler_.context, items.data(), items.size(), dimension);
    return;
  }
  statistics_.delivered_bytes += items.size();
  view_.in_handler = 1;
  handler_.deliver(handler_.context, items.data(), items.size());
  view_.in_handler = 0;
}

void ItemStream::fail(std::string why) {
  if (failed_rank_ >= 0)
    return;
  failed_rank_ = fabric_.rank;
  failure_ = std::move(why);
  failed_since_wave_ = true;
}

} // namespace thalweg::streams
