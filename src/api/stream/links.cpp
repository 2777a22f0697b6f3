// SPDX-License-Identifier: BSD-3-Clause
#include "stream/links.hpp"

#include "base/assertion.hpp"
#include "thalweg/stream_items.hpp"
#include "wait/waiter.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace thalweg::streams {

namespace {

// A message that is measured as longer was interrupted.
constexpr std::uint64_t max_message_ns = 50'000;

} // namespace

void Departures::enter() {
  THALWEG_ASSERT(light, overflow_.is_empty());
  const ItemRoute& route = mesh_.route();
  pools_.clear();
  for (std::uint32_t d = 0; d <= route.quiescence_dimension(); ++d)
    pools_.push_back(mesh_.pool(d));
  ways_.clear();
  for (const Peer& peer : route.peers()) {
    const Rank near = mesh_.fabric().near(peer.rank);
    ways_.push_back({.peer = peer.rank,
                     .near = near,
                     .dimension = peer.dimension,
                     .mailbox = near < 0 ? MailboxEnd() : mesh_.mailbox_to(near, peer.dimension)});
  }
}

void Departures::send(std::uint32_t link, Slot& slot) {
  Way& way = ways_[link];
  THALWEG_ASSERT(normal, way.peer >= 0 && slot.head.dimension == way.dimension);
  THALWEG_ASSERT(normal, slot.head.bytes <= mesh_.mesh().memory.slot_bytes());
  const std::uint32_t bytes = slot.head.carries_items(mesh_.route().dimensions()) ? slot.head.bytes : 0;
  pools_[way.dimension].sent(slot);
  if (way.near >= 0) {
    done_.near_bytes += bytes;
    way.mailbox.post({.place = mesh_.place_of(slot), .flags = slot.head.flags, .phase = slot.head.phase});
    mesh_.ring(way.near);
  } else {
    done_.far_bytes += bytes;
    ++done_.far_messages;
    mesh_.remote()->send(slot, way.peer);
  }
}

void Departures::send(std::uint32_t link, const Notice& notice) {
  THALWEG_ASSERT(normal, notice.place == 0 && near(link) >= 0 && !is_waited_for(link));
  ways_[link].mailbox.post(notice);
  ring(link);
}

bool Departures::drain_waiting() {
  return overflow_.drain([this](std::uint32_t link, const Slot& waiting) {
    Slot* const slot = pools_[ways_[link].dimension].take();
    if (slot == nullptr)
      return false;
    slot->head = waiting.head;
    THALWEG_ASSERT(normal, waiting.head.bytes <= mesh_.mesh().memory.slot_bytes());
    std::memcpy(slot->items(), waiting.items(), waiting.head.bytes);
    send(link, *slot);
    return true;
  });
}

std::size_t Departures::memory_bytes() const {
  std::size_t bytes = mesh_.remote() == nullptr ? 0 : mesh_.remote()->memory_bytes();
  for (const SlotPool& pool : pools_)
    bytes += pool.touched() * mesh_.mesh().memory.stride();
  return bytes;
}

void Links::enter() {
  const std::size_t count = mesh_.route().peers().size();
  open_.assign(count, {});
  windows_.assign(count, {});
  links_.assign(count, {});
  for (std::uint32_t link = 0; link < count; ++link)
    links_[link].fill_bytes = first_fill(link);
}

void Links::show_in(thalweg_stream_view& view) const {
  const ItemRoute& route = mesh_.route();
  view.links = const_cast<thalweg_stream_link*>(open_.data());
  view.windows = windows_.data();
  view.dimension = route.view();
  view.dimensions = route.dimensions();
  view.cells = mesh_.mesh().cells;
  view.tag_bytes = route.tag_bytes();
}

bool Links::is_empty() const {
  return std::ranges::all_of(links_, [](const Link& link) { return link.slot == nullptr; });
}

// --- slots that are being filled ---

// What goes to another node is to be on its way while more is made. So a phase begins with short messages
// there, each twice as long as the one before: then what is left for its end is a part of what was sent.
std::uint32_t Links::first_fill(std::uint32_t link) const {
  constexpr std::uint32_t short_bytes = 4096;
  const std::uint32_t fill = mesh_.mesh().fill_bytes;
  return departures_.near(link) >= 0 ? fill : std::min(fill, std::max(short_bytes, item_bytes_ + 4));
}

void Links::widen(std::uint32_t link, std::size_t bytes) {
  THALWEG_ASSERT(normal, bytes <= mesh_.mesh().memory.slot_bytes());
  std::uint32_t& fill = links_[link].fill_bytes;
  fill = std::max(fill, static_cast<std::uint32_t>(bytes));
}

// Of an item, if they are of one size.
std::size_t Links::stride(std::uint32_t link) const {
  const ItemRoute& route = mesh_.route();
  const bool is_last = departures_.dimension(link) + 1 == route.dimensions();
  return item_bytes_ + (is_last ? 0 : route.tag_bytes());
}

// As many whole items as a slot is to hold.
thalweg_stream_link Links::part_of(std::uint32_t link, Slot& slot) const {
  const std::uint32_t fill = links_[link].fill_bytes;
  const std::size_t bytes = item_bytes_ == 0 ? fill : fill / stride(link) * stride(link);
  THALWEG_ASSERT(normal, bytes > 0 && bytes <= mesh_.mesh().memory.slot_bytes());
  char* const begin = reinterpret_cast<char*>(slot.items());
  return {begin, begin + bytes};
}

thalweg_stream_window Links::window_of(std::uint32_t link, const Slot& slot) const {
  const Rank near = departures_.near(link);
  if (near < 0)
    return {};
  const std::uint64_t word = WindowContent::word(mesh_.place_of(slot), phase_);
  auto& shown = mesh_.window_to(near, departures_.dimension(link));
  static constexpr std::uint32_t nobody = 0;
  return {.seen = reinterpret_cast<std::uint64_t*>(&shown),
          .origin = word - reinterpret_cast<std::uintptr_t>(open_[link].next),
          .sleepers = mesh_.fabric().rings ? mesh_.doorbell(near).sleepers_word() : &nobody};
}

bool Links::fill(std::uint32_t link) {
  Slot* const slot = departures_.take(link);
  if (slot == nullptr)
    return false;
  give(link, *slot, false);
  return true;
}

void Links::give(std::uint32_t link, Slot& slot, bool is_spare) {
  Link& filling = links_[link];
  THALWEG_ASSERT(normal, filling.slot == nullptr);
  filling.slot = &slot;
  filling.is_spare = is_spare;
  filling.was_seen = false;
  open_[link] = part_of(link, slot);
  windows_[link] = is_spare ? thalweg_stream_window{} : window_of(link, slot);
  for (std::size_t line = 0; line < THALWEG_STREAM_AHEAD; line += sizeof(Slot))
    detail::prepare_to_write(open_[link].next + line);
}

// --- and that are sent ---

void Links::post(std::uint32_t link, const Mark& mark, Reason reason) {
  Link& filled = links_[link];
  THALWEG_ASSERT(normal, filled.slot != nullptr);
  Slot& slot = *std::exchange(filled.slot, nullptr);
  const thalweg_stream_link open = std::exchange(open_[link], {});
  if (const thalweg_stream_window window = std::exchange(windows_[link], {}); window.seen != nullptr)
    __atomic_store_n(window.seen, 0, __ATOMIC_RELAXED); // before it is in the mailbox
  const char* const begin = reinterpret_cast<const char*>(slot.items());
  THALWEG_ASSERT(normal, begin <= open.next && open.next <= open.end); // the program writes no further
  const auto bytes = static_cast<std::uint32_t>(open.next - begin);
  slot.head = {.bytes = bytes,
               .source = mesh_.fabric().rank,
               .dimension = static_cast<std::uint8_t>(departures_.dimension(link)),
               .phase = phase_,
               .flags = mark.flags,
               .failed_rank = mark.failed_rank};
  if (mark.has_text()) {
    slot.head.bytes =
        static_cast<std::uint32_t>(std::min<std::size_t>(mark.text.size(), mesh_.mesh().memory.slot_bytes()));
    std::memcpy(slot.items(), mark.text.data(), slot.head.bytes);
  }
  ++done_.slots[static_cast<std::size_t>(reason)];
  if (bytes > 0 && slot.head.carries_items(mesh_.route().dimensions())) {
    done_.slot_bytes += static_cast<std::uint64_t>(open.end - begin);
    done_.hops += item_bytes_ == 0 ? 0 : bytes / stride(link);
  }
  if (reason == Reason::full)
    filled.fill_bytes = std::min(2 * filled.fill_bytes, mesh_.mesh().fill_bytes);
  if (filled.is_spare)
    departures_.send_spare(link, slot);
  else
    departures_.send(link, slot);
}

void Links::send_all() {
  const auto count = static_cast<std::uint32_t>(links_.size());
  for (std::uint32_t step = 1; step <= count; ++step)
    if (const std::uint32_t link = (mesh_.route().own_link() + step) % count; is_filling(link))
      send(link, Reason::flush);
}

void Links::send_old() {
  for (std::uint32_t link = 0; link < links_.size(); ++link)
    if (is_filling(link) && std::exchange(links_[link].was_seen, true))
      send(link, Reason::waited);
}

void Links::looked(bool moved) {
  constexpr std::uint32_t vain_looks = 16; // somebody may still be sending
  if (moved)
    looks_in_vain_ = 0;
  else if (++looks_in_vain_ == vain_looks)
    send_all();
}

void Links::hurry(std::uint32_t link, bool at_once) {
  if (!is_filling(link)) // it has been sent
    return;
  if (windows_[link].seen != nullptr && (!at_once || !departures_.has_free(link))) {
    departures_.ring(link);
    return;
  }
  const bool is_far = departures_.near(link) < 0;
  if (is_far && !at_once && !pace_.may(wait::System::now_ns()))
    return;
  const std::uint64_t begin_ns = is_far ? wait::System::now_ns() : 0;
  if (is_far && !departures_.has_free(link))
    departures_.progress();
  // Without another slot, it stays better where more can be put to it.
  if (departures_.has_free(link)) {
    send(link, Reason::flush);
    departures_.drain();
  }
  if (is_far)
    pace_.took(std::min(max_message_ns, wait::System::now_ns() - begin_ns));
}

bool Links::close(std::uint32_t link, const Mark& mark) {
  THALWEG_ASSERT(normal, (mark.flags & SlotHead::closes) != 0);
  if (mesh_.route().peers()[link].rank < 0)
    return true;
  // The failure's text goes elsewhere: the peer may be reading what is there.
  if (mark.failed_rank >= 0 && windows_[link].seen != nullptr)
    send(link, Reason::finish);
  if (!is_filling(link)) {
    if (departures_.is_waited_for(link))
      return false;
    if (departures_.near(link) >= 0 && !mark.has_text()) {
      departures_.send(link, Notice{.place = 0, .flags = mark.flags, .phase = phase_});
      return true;
    }
    if (!fill(link))
      return false;
  }
  post(link, mark, Reason::finish);
  return true;
}

void Links::end_phase() {
  THALWEG_ASSERT(light, is_empty() && departures_.is_empty());
  phase_ ^= 1;
  for (std::uint32_t link = 0; link < links_.size(); ++link)
    links_[link].fill_bytes = first_fill(link);
}

} // namespace thalweg::streams
