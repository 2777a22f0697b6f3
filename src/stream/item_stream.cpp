#include "stream/item_stream.hpp"

#include "boundary/guarded.hpp"
#include "core/error.hpp"
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

ItemStream::ItemStream(const ItemRoute& route, const NodeMemory& memory, Fabric fabric,
                       const thalweg_stream_handler& handler, const StreamOptions& options,
                       std::shared_ptr<StreamSet> set)
    : route_(route), memory_(memory), fabric_(std::move(fabric)), near_rank_(fabric_.near(fabric_.rank)),
      handler_(handler), options_(options), set_(std::move(set)), open_links_(route_.peers().size()),
      links_(route_.peers().size()), early_(route_.dimensions() + 1), overflow_(memory_.slot_bytes()),
      wave_(route_.dimensions()), quiescence_(messages_by_round(route_)) {
  assert(near_rank_ >= 0 && options_.fill_bytes <= memory_.slot_bytes());
  for (std::uint32_t d = 0; d <= route_.quiescence_dimension(); ++d)
    pools_.emplace_back(memory_.first_slot(fabric_.memory, near_rank_, d), memory_.stride(),
                        memory_.slots(d));
  for (const Peer& peer : route_.peers()) {
    const Rank near = fabric_.near(peer.rank);
    outboxes_.push_back(
        {near, near < 0 ? MailboxEnd() : memory_.mailbox(fabric_.memory, near, near_rank_, peer.dimension)});
    outboxes_.back().fill_bytes = first_fill(outboxes_.back());
  }
  inboxes_.resize(early_.size());
  for (std::uint32_t d = 0; d <= route_.quiescence_dimension(); ++d)
    for (const Rank sender : route_.senders(d))
      if (const Rank near = fabric_.near(sender); near >= 0)
        inboxes_[d].push_back(memory_.mailbox(fabric_.memory, near_rank_, near, d));
  view_.links = open_links_.data();
  view_.dimension = route_.view();
  view_.dimensions = route_.dimensions();
  view_.ranks = static_cast<std::uint32_t>(fabric_.ranks);
  view_.rank = static_cast<std::uint32_t>(fabric_.rank);
  view_.tag_bytes = route_.tag_bytes();
  view_.max_item_bytes = options_.fill_bytes;
  view_.stream = this;
  view_.refill = [](void* stream, std::uint32_t link, std::size_t bytes) -> int {
    auto& self = *static_cast<ItemStream*>(stream);
    return boundary::guarded({.call = "send", .rank = self.fabric_.rank, .ranks = self.fabric_.ranks},
                             [&] { self.refill(link, bytes); });
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

ItemStream::~ItemStream() {
  set_->remove(*this);
  for (auto& early : early_)
    for (const Early& one : early)
      if (one.is_copy)
        overflow_.free(*one.slot);
}

// --- sending ---

void ItemStream::refill(std::uint32_t link, std::size_t bytes) {
  assert(route_.peers()[link].rank >= 0);
  if (bytes > options_.fill_bytes)
    throw Error(
        fmt::format("an item of {} B, with its tag", bytes),
        fmt::format("a slot of this stream holds {} B: make it with larger buffers", options_.fill_bytes));
  if (defers()) {
    refill_deferred(link);
    return;
  }
  const bool in_handler = set_->runs_handler();
  if (is_finishing_ && !in_handler && !set_->is_nested())
    throw Error("an item is sent while the phase ends",
                "send after its request has finished, or in a handler");
  // A link's first item seldom costs a look: where there are messages, that takes as long as many items.
  const bool was_full = links_[link].slot != nullptr;
  if (was_full)
    post(link, 0, Reason::full);
  if (was_full || wait::System::now_ns() - looked_ns_ >= options_.period_ns)
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
  for (std::size_t line = 0; line < THALWEG_STREAM_AHEAD; line += sizeof(Slot))
    detail::prepare_to_write(open_links_[link].next + line);
}

// What goes to another node is to be on its way while more is made. So a phase begins with short messages
// there, each twice as long as the one before: then what is left for its end is a part of what was sent.
std::uint32_t ItemStream::first_fill(const Outbox& outbox) const {
  constexpr std::uint32_t short_bytes = 4096;
  return outbox.near >= 0 ? options_.fill_bytes
                          : std::min(options_.fill_bytes, std::max(short_bytes, options_.item_bytes + 4));
}

// Of an item, if they are of one size.
std::size_t ItemStream::stride(std::uint32_t link) const {
  const bool is_last = route_.peers()[link].dimension + 1 == route_.dimensions();
  return options_.item_bytes + (is_last ? 0 : route_.tag_bytes());
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
  Slot& slot = *filled.slot;
  const auto bytes = static_cast<std::uint32_t>(open_link.next - reinterpret_cast<const char*>(slot.items()));
  slot.head = {.bytes = bytes,
               .source = fabric_.rank,
               .dimension = static_cast<std::uint8_t>(route_.peers()[link].dimension),
               .phase = phase_,
               .flags = flags,
               .failed_rank = failed_rank_};
  if ((flags & SlotHead::has_failed) != 0) {
    slot.head.bytes =
        static_cast<std::uint32_t>(std::min<std::size_t>(failure_.size(), memory_.slot_bytes()));
    std::memcpy(slot.items(), failure_.data(), slot.head.bytes);
  }
  ++statistics_.slots[static_cast<std::size_t>(reason)];
  if (bytes > 0)
    statistics_.slot_bytes +=
        static_cast<std::uint64_t>(open_link.end - reinterpret_cast<const char*>(slot.items()));
  if (bytes > 0 && options_.item_bytes > 0)
    statistics_.hops += bytes / stride(link);
  if (reason == Reason::full)
    outboxes_[link].fill_bytes = std::min(2 * outboxes_[link].fill_bytes, options_.fill_bytes);
  if (filled.is_overflow)
    overflow_.append(link, slot);
  else
    dispatch(link, slot);
}

void ItemStream::dispatch(std::uint32_t link, Slot& slot) {
  Outbox& outbox = outboxes_[link];
  pool_of(link).sent(slot);
  if (outbox.near >= 0) {
    statistics_.near_bytes += slot.head.bytes;
    outbox.mailbox.post({.place = NodeMemory::place_of(fabric_.memory, slot),
                         .flags = slot.head.flags,
                         .phase = slot.head.phase});
    ring(outbox.near);
  } else {
    statistics_.far_bytes += slot.head.bytes;
    ++statistics_.far_messages;
    fabric_.remote->send(slot, route_.peers()[link].rank);
  }
}

void ItemStream::ring(Rank near) {
  if (fabric_.rings && near != near_rank_)
    memory_.doorbell(fabric_.memory, near).wake_if_asleep();
}

// --- what is sent while a phase ends, for the next one ---

thalweg_stream_link* ItemStream::deferred_links() {
  if (!deferred_) {
    deferred_ = std::make_unique<Deferred>();
    deferred_->open_links.resize(links_.size());
    deferred_->slots.resize(links_.size());
  }
  return deferred_->open_links.data();
}

void ItemStream::refill_deferred(std::uint32_t link) {
  Slot*& slot = deferred_->slots[link];
  thalweg_stream_link& open = deferred_->open_links[link];
  if (slot != nullptr) {
    slot->head.bytes = static_cast<std::uint32_t>(open.next - reinterpret_cast<char*>(slot->items()));
    deferred_->full.emplace_back(link, slot);
    open = {};
  }
  slot = nullptr;
  slot = &make_overflow();
  open = part_of(link, *slot);
}

// The next phase has begun.
void ItemStream::send_deferred() {
  if (!deferred_)
    return;
  const std::unique_ptr<Deferred> deferred = std::move(deferred_);
  const auto send = [&](std::uint32_t link, Slot& slot, char* end) {
    view_.has_sent = 1;
    give(link, slot, true);
    open_links_[link].next = end;
    post(link, 0, Reason::full);
  };
  for (const auto& [link, slot] : deferred->full)
    send(link, *slot, reinterpret_cast<char*>(slot->items()) + slot->head.bytes);
  for (std::uint32_t link = 0; link < links_.size(); ++link)
    if (deferred->slots[link] != nullptr)
      send(link, *deferred->slots[link], deferred->open_links[link].next);
  // Links now refer to the usual ones again.
  view_.links = open_links_.data();
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
}

void ItemStream::send_links() {
  const auto count = static_cast<std::uint32_t>(links_.size());
  for (std::uint32_t step = 1; step <= count; ++step)
    if (const std::uint32_t link = (route_.own_link() + step) % count; links_[link].slot != nullptr)
      post(link, 0, Reason::flush);
}

// A link that holds the same slot as one period ago waits for more in vain. (TRAM's rule is to send all if
// nothing was sent since the last look, which lets one slow link among busy ones wait for ever.)
void ItemStream::send_old() {
  const std::uint64_t now_ns = wait::System::now_ns();
  if (now_ns - looked_ns_ < options_.period_ns)
    return;
  looked_ns_ = now_ns;
  release_held();
  for (std::uint32_t link = 0; link < links_.size(); ++link)
    if (links_[link].slot != nullptr && std::exchange(links_[link].was_seen, true))
      post(link, 0, Reason::waited);
}

bool ItemStream::progress() {
  return !set_->is_nested() && set_->progress(nullptr);
}

} // namespace thalweg::streams
