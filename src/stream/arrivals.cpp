// ItemStream's half that takes in.

#include "core/error.hpp"
#include "stream/item_stream.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <string>
#include <utility>

namespace thalweg::streams {

namespace {

/// Sleeps on this rank's doorbell: whoever sends a slot to it, or frees one of its own, rings.
template <typename Looking>
struct DoorbellSystem : wait::System {
  DoorbellSystem(transport::Doorbell& own, Looking& looking) : doorbell(&own), look(&looking) {}
  void sleep_us(std::uint32_t duration) {
    doorbell->sleep_unless([this] { return (*look)() != wait::Look::nothing; }, duration);
  }
  transport::Doorbell* doorbell;
  Looking* look;
};

constexpr int slots_in_row = 64; // of one dimension, before others are looked after

} // namespace

template <typename Looking>
void ItemStream::wait(Looking& look) {
  if (fabric_.rings)
    wait::until(fabric_.policy, look, DoorbellSystem(memory_.doorbell(fabric_.memory, near_rank_), look));
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

void ItemStream::wait_for_slot(std::uint32_t link) {
  const std::uint32_t dimension = route_.peers()[link].dimension;
  ++statistics_.waits;
  auto look = [&] {
    const bool moved = set_->progress_from(*this, dimension);
    if (!overflow_.holds(link) && pools_[dimension].has_free())
      return wait::Look::reached;
    return moved ? wait::Look::moved : wait::Look::nothing;
  };
  const std::uint64_t begin_ns = wait::System::now_ns();
  wait(look);
  statistics_.waited_ns += wait::System::now_ns() - begin_ns;
}

bool ItemStream::take_in(std::uint32_t from_dimension, bool copies) {
  bool moved = drain_overflow();
  if (fabric_.remote != nullptr)
    fabric_.remote->progress();
  // The last dimension first: it needs no slots, and frees others'.
  for (std::uint32_t d = route_.quiescence_dimension() + 1; d-- > from_dimension;) {
    moved |= take_early(d, copies);
    moved |= take_near(d, copies);
    if (fabric_.remote != nullptr)
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
    handle(*first.slot);
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
        one = {&copy(held), true};
        free_near(held);
        moved = true;
      }
  return moved;
}

bool ItemStream::take_near(std::uint32_t dimension, bool copies) {
  bool moved = false;
  for (MailboxEnd& inbox : inboxes_[dimension])
    for (int row = 0; row < slots_in_row && take_from(inbox, dimension, copies); ++row)
      moved = true;
  return moved;
}

bool ItemStream::take_from(MailboxEnd& inbox, std::uint32_t dimension, bool copies) {
  if (!may_hold_more())
    return false;
  const std::optional<Notice> notice = inbox.take();
  if (!notice)
    return false;
  if (notice->place == 0) {
    take_notice(*notice, dimension);
    return true;
  }
  Slot& slot = NodeMemory::at(fabric_.memory, notice->place);
  if (handles(notice->phase)) {
    handle(slot);
    free_near(slot);
  } else if (copies) {
    early_[dimension].push_back({&copy(slot), true});
    free_near(slot);
  } else {
    early_[dimension].push_back({&slot, false});
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
    while (Slot* slot = may_hold_more() ? fabric_.remote->receive(dimension, phase) : nullptr) {
      if (handles(phase))
        handle(*slot);
      else
        early_[dimension].push_back({&copy(*slot), true});
      fabric_.remote->release(*slot);
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

void ItemStream::handle(Slot& slot) {
  Member* const outer = set_->enter(this);
  handle_items(slot);
  set_->leave(outer);
  const SlotHead& head = slot.head;
  if ((head.flags & SlotHead::closes) != 0)
    take_mark(head.dimension, head.flags);
}

void ItemStream::take_mark(std::uint32_t dimension, std::uint8_t flags) {
  const bool was_active = (flags & SlotHead::was_active) != 0;
  if (dimension == route_.quiescence_dimension())
    quiescence_.arrived(std::uint32_t{flags} >> SlotHead::round_at, was_active);
  else
    wave_.mark_arrived(dimension, was_active);
}

void ItemStream::handle_items(Slot& slot) {
  const SlotHead& head = slot.head;
  const auto* const items = reinterpret_cast<const char*>(slot.items());
  if ((head.flags & SlotHead::has_failed) != 0) {
    if (failed_rank_ < 0) {
      failed_rank_ = head.failed_rank;
      failure_.assign(items, head.bytes);
    }
    return;
  }
  // After a failure nothing is worth handling, but marks have to go on.
  if (head.bytes == 0 || failed_rank_ >= 0)
    return;
  if (head.dimension + 1U < route_.dimensions()) {
    handler_.forward(handler_.context, items, head.bytes, head.dimension);
    return;
  }
  statistics_.delivered_bytes += head.bytes;
  view_.in_handler = 1;
  handler_.deliver(handler_.context, items, head.bytes);
  view_.in_handler = 0;
}

void ItemStream::fail(std::string why) {
  if (failed_rank_ >= 0)
    return;
  failed_rank_ = fabric_.rank;
  failure_ = std::move(why);
  failed_since_wave_ = true;
}

// --- the end of a phase ---

void ItemStream::must_not_be_nested() const {
  if (set_->is_nested())
    throw Error("a handler ends the phase", "call finish where no handler runs");
}

void ItemStream::start_finish() {
  if (is_finishing_)
    throw Error("the phase is ending already", "wait for its request first");
  must_not_be_nested();
  release_held();
  is_finishing_ = true;
  finish_began_ns_ = wait::System::now_ns();
  begin_wave();
}

void ItemStream::begin_wave() {
  ++statistics_.waves;
  wave_.begin(std::exchange(view_.has_sent, 0U) != 0 || std::exchange(failed_since_wave_, false));
  closing_dimension_ = 0;
  closing_link_ = route_.first_link(0);
}

std::uint8_t ItemStream::flags_to(std::uint32_t link) const {
  std::uint32_t flags = SlotHead::closes;
  const bool checks_quiescence = route_.peers()[link].dimension == route_.quiescence_dimension();
  if (checks_quiescence ? quiescence_.was_active() : wave_.was_active())
    flags |= SlotHead::was_active;
  if (checks_quiescence)
    flags |= quiescence_.round() << SlotHead::round_at;
  if (failed_rank_ >= 0)
    flags |= SlotHead::has_failed;
  return static_cast<std::uint8_t>(flags);
}

// The link's last slot of this wave, or a mark alone. False where there is no slot for it yet.
bool ItemStream::close(std::uint32_t link) {
  if (route_.peers()[link].rank < 0)
    return true;
  const std::uint8_t flags = flags_to(link);
  if (links_[link].slot == nullptr) {
    if (overflow_.holds(link))
      return false;
    Outbox& outbox = outboxes_[link];
    if (outbox.near >= 0 && failed_rank_ < 0) {
      outbox.mailbox.post({.place = 0, .flags = flags, .phase = phase_});
      ring(outbox.near);
      return true;
    }
    Slot* const slot = pool_of(link).take();
    if (slot == nullptr)
      return false;
    give(link, *slot, false);
  }
  post(link, flags, Reason::finish);
  return true;
}

void ItemStream::advance() {
  while (is_finishing_ && !has_ended_ && take_step())
    ;
}

// False where something has to arrive, or to be sent, before.
bool ItemStream::take_step() {
  if (quiescence_.is_open())
    return check_quiescence();
  const std::uint32_t dimension = closing_dimension_;
  if (!has_closed(route_.end_link(dimension)) ||
      !wave_.has_marks(dimension, static_cast<std::uint32_t>(route_.senders(dimension).size())))
    return false;
  if (++closing_dimension_ < route_.dimensions()) {
    closing_link_ = route_.first_link(closing_dimension_);
  } else if (wave_.end()) {
    quiescence_.begin(view_.has_sent != 0);
    closing_link_ = route_.first_link_of_round(0);
  } else {
    has_ended_ = true;
  }
  return true;
}

bool ItemStream::check_quiescence() {
  if (quiescence_.round() < quiescence_.rounds()) {
    if (!has_closed(route_.first_link_of_round(quiescence_.round() + 1)) || !quiescence_.has_round())
      return false;
    quiescence_.end_round();
  } else if (quiescence_.end()) {
    begin_wave();
  } else {
    has_ended_ = true;
  }
  return true;
}

// The links from the next one that is to be closed, up to this end.
bool ItemStream::has_closed(std::uint32_t end) {
  while (closing_link_ < end && close(closing_link_))
    ++closing_link_;
  return closing_link_ == end;
}

bool ItemStream::test_finish() {
  must_not_be_nested();
  if (!is_finishing_)
    return true;
  const bool moved = set_->progress(this);
  if (!has_ended_) {
    send_when_idle(moved);
    if (!moved)
      looked_in_vain();
    return false;
  }
  end_phase();
  return true;
}

// Others may not have come to the end of the phase, and wait for what handlers have sent here.
void ItemStream::send_when_idle(bool moved) {
  constexpr std::uint32_t vain_looks = 16; // somebody may still be sending
  if (moved)
    looks_in_vain_ = 0;
  else if (++looks_in_vain_ == vain_looks)
    send_links();
}

void ItemStream::finish() {
  must_not_be_nested();
  if (!is_finishing_)
    start_finish();
  auto look = [&] {
    const bool moved = set_->progress(this);
    if (has_ended_)
      return wait::Look::reached;
    send_when_idle(moved);
    return moved ? wait::Look::moved : wait::Look::nothing;
  };
  wait(look);
  end_phase();
}

void ItemStream::end_phase() {
  assert(std::ranges::all_of(links_, [](const Link& link) { return link.slot == nullptr; }));
  assert(overflow_.is_empty());
  is_finishing_ = false;
  has_ended_ = false;
  phase_ ^= 1;
  const std::uint64_t now_ns = wait::System::now_ns();
  complete(statistics_, now_ns);
  statistics_.finish_ns = now_ns - finish_began_ns_;
  history_.phase_ended(statistics_);
  view_.delivered_bytes = 0;
  phase_began_ns_ = now_ns;
  for (Outbox& outbox : outboxes_)
    outbox.fill_bytes = first_fill(outbox);
  send_deferred();
  must_have_succeeded();
}

void ItemStream::must_have_succeeded() {
  if (failed_rank_ < 0)
    return;
  const Rank where = std::exchange(failed_rank_, -1);
  const std::string why = std::exchange(failure_, {});
  throw Error("a handler failed on rank " + std::to_string(where) + ": " + why,
              "items of this phase are lost: begin it again, or end", thalweg_error_handler);
}

} // namespace thalweg::streams
