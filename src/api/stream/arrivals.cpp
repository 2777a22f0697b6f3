// SPDX-License-Identifier: BSD-3-Clause
#include "stream/arrivals.hpp"

#include "base/assertion.hpp"

#include <cstring>
#include <optional>

namespace thalweg::streams {

namespace {

constexpr int slots_in_row = 64; // of one sender, before others are looked after
// How often a rank looks into windows: each look costs the sender's next item a cache line.
constexpr std::uint64_t window_ns = 20'000;

} // namespace

Arrivals::~Arrivals() {
  for (const std::deque<EarlySlot>& early : early_)
    for (const EarlySlot& one : early)
      if (one.is_copy)
        spare_.free(*one.slot);
}

void Arrivals::enter() {
  const ItemRoute& route = mesh_.route();
  early_.resize(route.dimensions() + 1);
  inboxes_.assign(early_.size(), {});
  for (std::uint32_t d = 0; d <= route.quiescence_dimension(); ++d)
    for (const Rank sender : route.senders(d))
      if (const Rank near = mesh_.fabric().near(sender); near >= 0)
        inboxes_[d].push_back(
            {.mailbox = mesh_.mailbox_from(near, d), .window = &mesh_.window_from(near, d)});
}

bool Arrivals::take(std::uint32_t from_dimension, bool copies) {
  THALWEG_ASSERT(normal, from_dimension <= mesh_.route().quiescence_dimension());
  bool moved = false;
  // The last dimension first: it needs no slots, and frees others'.
  for (std::uint32_t d = mesh_.route().quiescence_dimension() + 1; d-- > from_dimension;) {
    moved |= take_early(d, copies);
    moved |= take_near(d, copies);
    if (mesh_.remote() != nullptr)
      moved |= take_far(d, copies);
  }
  return moved;
}

// What came for a phase before that had begun.
bool Arrivals::take_early(std::uint32_t dimension, bool copies) {
  bool moved = false;
  std::deque<EarlySlot>& early = early_[dimension];
  while (!early.empty() && handles(early.front().slot->head.phase)) {
    const EarlySlot first = early.front();
    early.pop_front();
    handle(*first.slot, first.taken);
    if (first.is_copy)
      spare_.free(*first.slot);
    else
      free_near(*first.slot);
    moved = true;
  }
  if (copies)
    for (EarlySlot& one : early)
      if (!one.is_copy) {
        Slot& kept = *one.slot;
        one = {&spare_.copy(kept), true, one.taken};
        free_near(kept);
        moved = true;
      }
  return moved;
}

bool Arrivals::take_near(std::uint32_t dimension, bool copies) {
  bool moved = false;
  for (Inbox& inbox : inboxes_[dimension])
    for (int row = 0; row < slots_in_row && take_from(inbox, dimension, copies); ++row)
      moved = true;
  return moved;
}

bool Arrivals::take_from(Inbox& inbox, std::uint32_t dimension, bool copies) {
  if (!may_take())
    return false;
  const std::optional<Notice> notice = inbox.mailbox.take();
  if (!notice)
    return false;
  if (notice->place == 0) {
    take_mark(*notice, dimension);
    return true;
  }
  Slot& slot = mesh_.slot_at(notice->place);
  THALWEG_ASSERT(normal, slot.head.dimension == dimension && slot.head.phase == notice->phase);
  const std::uint32_t taken = inbox.sent(notice->place);
  if (handles(notice->phase)) {
    handle(slot, taken);
    free_near(slot);
  } else if (copies) {
    early_[dimension].push_back({&spare_.copy(slot), true, taken});
    free_near(slot);
  } else {
    early_[dimension].push_back({&slot, false, taken});
  }
  return true;
}

// A mark without items.
void Arrivals::take_mark(const Notice& notice, std::uint32_t dimension) {
  if (handles(notice.phase)) {
    phase_end_.take_mark(dimension, notice.flags);
    return;
  }
  Slot& mark = spare_.make_mark(
      {.dimension = static_cast<std::uint8_t>(dimension), .phase = notice.phase, .flags = notice.flags});
  early_[dimension].push_back({&mark, true});
}

bool Arrivals::take_far(std::uint32_t dimension, bool copies) {
  Remote& remote = *mesh_.remote();
  bool moved = false;
  for (const std::uint32_t phase : {std::uint32_t{phase_}, phase_ ^ 1U}) {
    if (!handles(phase) && !copies)
      continue;
    while (Slot* slot = may_take() ? remote.receive(dimension, phase) : nullptr) {
      if (handles(phase))
        handle(*slot, 0);
      else
        early_[dimension].push_back({&spare_.copy(*slot), true});
      remote.release(*slot);
      moved = true;
    }
  }
  return moved;
}

void Arrivals::free_near(Slot& slot) {
  const Rank owner = slot.head.source;
  THALWEG_ASSERT(normal,
                 mesh_.fabric().near(owner) >= 0 && slot.is_free.load(std::memory_order_relaxed) == 0);
  slot.is_free.store(1, std::memory_order_release);
  if (mesh_.fabric().rings)
    mesh_.ring(mesh_.fabric().near(owner));
}

// --- windows ---

bool Arrivals::take_shown(std::uint64_t now_ns) {
  if (now_ns - shown_ns_ < window_ns || holds_)
    return false;
  shown_ns_ = now_ns;
  bool moved = false;
  for (std::uint32_t d = mesh_.route().dimensions(); d-- > 0;)
    for (Inbox& inbox : inboxes_[d])
      moved |= take_shown(inbox, d);
  return moved;
}

// What was sent before comes first, as does the slot itself if it is sent meanwhile.
bool Arrivals::take_shown(Inbox& inbox, std::uint32_t dimension) {
  THALWEG_ASSERT(normal, early_[dimension].empty() || !handles(early_[dimension].front().slot->head.phase));
  const WindowContent shown = WindowContent::of(inbox.window->load(std::memory_order_acquire));
  if (shown.place == 0 || !handles(shown.phase))
    return false;
  inbox.watched = shown.place;
  bool moved = false;
  for (int row = 0; take_from(inbox, dimension, false); ++row) {
    moved = true;
    if (row == slots_in_row)
      return true;
  }
  if (inbox.watched == 0 || !handles(shown.phase) || !may_take())
    return moved;
  const std::uint32_t before = inbox.taken_of(shown.place);
  THALWEG_ASSERT(normal, before <= shown.bytes && shown.bytes <= mesh_.mesh().memory.slot_bytes());
  if (shown.bytes == before)
    return moved;
  inbox.place = shown.place;
  inbox.taken = shown.bytes;
  const auto* const items = reinterpret_cast<const char*>(mesh_.slot_at(shown.place).items());
  handle_items({items + before, shown.bytes - before}, dimension);
  return true;
}

// --- handling ---

// `taken`: so many bytes of its items have been handled before.
void Arrivals::handle(Slot& slot, std::uint32_t taken) {
  const SlotHead& head = slot.head;
  THALWEG_ASSERT(normal, head.phase == phase_ && taken <= head.bytes);
  const std::span content(reinterpret_cast<const char*>(slot.items()), head.bytes);
  if (head.has(SlotHead::has_seen)) {
    PhaseMeasurement seen;
    THALWEG_ASSERT(normal, content.size() == sizeof seen);
    std::memcpy(&seen, content.data(), sizeof seen);
    phase_end_.take_seen(seen);
  } else if (head.has(SlotHead::has_failed)) {
    failure_.learned(head.failed_rank, content);
  } else {
    handle_items(content.subspan(taken), head.dimension);
  }
  if (head.has(SlotHead::closes))
    phase_end_.take_mark(head.dimension, head.flags);
}

void Arrivals::handle_items(std::span<const char> items, std::uint32_t dimension) {
  THALWEG_ASSERT(normal, dimension < mesh_.route().dimensions() || items.empty());
  // After a failure nothing is worth handling, but marks have to go on.
  if (items.empty() || failure_.is_known())
    return;
  if (dimension + 1U < mesh_.route().dimensions())
    handler_.forward(items, dimension);
  else
    handler_.deliver(items);
}

} // namespace thalweg::streams
