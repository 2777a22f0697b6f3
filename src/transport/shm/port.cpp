#include "transport/shm/port.hpp"

#include "wait/waiter.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace thalweg::transport {

namespace {

void finish(const UnderWay& message) {
  message.owner->finish(message.slot);
}

/// Takes the next bytes of a message to where they belong.
void absorb(UnderWay& receive, std::byte* bytes, std::size_t count, bool spent = true) {
  std::byte* const to = receive.message.data + receive.done;
  if (receive.message.combiner != nullptr)
    receive.message.combiner->combine(
        bytes, receive.message.own == nullptr ? to : receive.message.own + receive.done, to, count, spent);
  else if (count > 0)
    std::memcpy(to, bytes, count);
  receive.done += count;
}

void check_fits(const UnderWay& receive, std::size_t bytes) {
  if (bytes > receive.message.bytes)
    throw TruncationError(fmt::format("rank {} sent {} bytes where {} were awaited", receive.message.peer,
                                      bytes, receive.message.bytes),
                          "give the same counts on all ranks");
}

} // namespace

Port::Port(const std::vector<Line>& lines, const Board& board, bool threaded)
    : peers_(lines.begin(), lines.end()), board_(board), threaded_(threaded) {}

std::unique_lock<std::mutex> Port::lock() {
  return threaded_ ? std::unique_lock(mutex_) : std::unique_lock<std::mutex>();
}

void Port::activate(Rank number) {
  Peer& peer = peers_[static_cast<std::size_t>(number)];
  if (peer.is_active)
    return;
  peer.is_active = true;
  active_.push_back(number);
}

void Port::start_send(Rank number, UnderWay& message) {
  const auto guard = lock();
  Peer& peer = peers_[static_cast<std::size_t>(number)];
  if (peer.sends.empty() && put(peer, message))
    return;
  peer.sends.push_back(&message);
  activate(number);
}

void Port::start_receive(Rank number, UnderWay& message) {
  const auto guard = lock();
  Peer& peer = peers_[static_cast<std::size_t>(number)];
  if (!peer.unexpected.empty() && meet_unexpected(peer, message))
    return;
  peer.receives.push_back(&message);
  activate(number);
}

bool Port::send_now(const Message& message) {
  const auto guard = lock();
  Peer& peer = peers_[static_cast<std::size_t>(message.peer)];
  if (!peer.out.is_one_chunk(message.bytes, message.granule) || !peer.sends.empty() || is_shown(message))
    return false;
  if (peer.out.offer(message.tag, message.data, message.bytes, 0, message.granule) == 0)
    return false;
  peer.ring();
  return true;
}

std::size_t Port::show_now(std::span<const Message> messages) {
  const Message& first = messages.front();
  const std::size_t members = first.multicast.members;
  if (messages.size() < members || messages[members - 1].multicast.number != first.multicast.number)
    return 0;
  const auto guard = lock();
  const auto shown = messages.first(members);
  const auto is_free = [this](const Message& message) {
    Peer& peer = peers_[static_cast<std::size_t>(message.peer)];
    return peer.sends.empty() && peer.out.has_cell();
  };
  if (!std::ranges::all_of(shown, is_free))
    return 0;
  const std::optional<std::uint64_t> place = board_.show(first.data, first.bytes);
  if (!place)
    return 0;
  for (const Message& message : shown) {
    Peer& peer = peers_[static_cast<std::size_t>(message.peer)];
    peer.out.offer_place(message.tag, *place, message.bytes);
    peer.ring();
  }
  board_.close(*place, first.multicast.members);
  return members;
}

Port::Now Port::take_now(const Message& message) {
  const auto guard = lock();
  Peer& peer = peers_[static_cast<std::size_t>(message.peer)];
  if (peer.is_active || peer.setting_aside || !peer.unexpected.empty())
    return Now::must_be_started;
  const Cell* cell = peer.in.look(message.bytes);
  if (cell == nullptr)
    return Now::not_here;
  const std::size_t bytes = cell->message_bytes();
  if (cell->tag != message.tag || bytes > message.bytes || !cell->is_whole())
    return Now::must_be_started;
  UnderWay receive{message};
  absorb(receive, peer.in.chunk(*cell), bytes, !cell->is_on_board());
  give_back(peer, *cell);
  return Now::taken;
}

void Port::progress() {
  const auto guard = lock();
  for (std::size_t index = 0; index < active_.size();) {
    Peer& peer = peers_[static_cast<std::size_t>(active_[index])];
    push(peer);
    pull(peer);
    if (!peer.is_idle()) {
      ++index;
      continue;
    }
    peer.is_active = false;
    active_[index] = active_.back();
    active_.pop_back();
  }
}

void Port::push(Peer& peer) {
  while (!peer.sends.empty()) {
    if (!put(peer, *peer.sends.front()))
      return;
    peer.sends.pop_front();
  }
}

/// Puts what fits of a message into the channel; true when it has finished.
bool Port::put(Peer& peer, UnderWay& send) {
  const Message& message = send.message;
  const std::size_t before = send.done;
  if (is_shown(message) && !send.through_channel) {
    const Showing showing = show(peer, send);
    if (showing == Showing::told) {
      peer.ring();
      finish(send);
    }
    if (showing != Showing::given_up)
      return showing == Showing::told;
  }
  send.done = peer.out.offer(message.tag, message.data, message.bytes, send.done, message.granule);
  if (send.done != before)
    peer.ring();
  if (send.done < std::max<std::size_t>(message.bytes, 1))
    return false;
  finish(send);
  return true;
}

/// Tells the peer of the message's place on the board; the first of its multicast takes one.
Port::Showing Port::show(Peer& peer, UnderWay& send) {
  constexpr std::uint64_t patience_ns = 1'000'000;
  const Message& message = send.message;
  const std::size_t number = find_shown(*send.owner, message.multicast);
  Shown& shown = send.owner->shown[number];
  if (!shown.place)
    shown.place = board_.show(message.data, message.bytes);
  if (!shown.place) {
    const std::uint64_t now_ns = wait::System::now_ns();
    if (send.waits_since_ns == 0)
      send.waits_since_ns = now_ns;
    if (now_ns - send.waits_since_ns < patience_ns)
      return Showing::waits;
    send.through_channel = true;
    count_off(*send.owner, number);
    return Showing::given_up;
  }
  if (!peer.out.offer_place(message.tag, *shown.place, message.bytes))
    return Showing::waits;
  ++shown.readers;
  count_off(*send.owner, number);
  return Showing::told;
}

void Port::pass_over(Completions& owner, const Message& message) {
  const auto guard = lock();
  if (is_shown(message))
    count_off(owner, find_shown(owner, message.multicast));
}

std::size_t Port::find_shown(Completions& owner, const Multicast& multicast) {
  const auto known = std::ranges::find(owner.shown, multicast.number,
                                       [](const Shown& shown) { return shown.multicast.number; });
  const auto number = static_cast<std::size_t>(known - owner.shown.begin());
  if (known == owner.shown.end())
    owner.shown.push_back({multicast, std::nullopt, 0});
  return number;
}

/// One of its members less is left; after the last, nobody else will be told of the place.
void Port::count_off(Completions& owner, std::size_t number) {
  Shown& shown = owner.shown[number];
  if (--shown.multicast.members > 0)
    return;
  if (shown.place)
    board_.close(*shown.place, shown.readers);
  shown = owner.shown.back();
  owner.shown.pop_back();
}

void Port::pull(Peer& peer) {
  while (peer.filling != nullptr || !peer.receives.empty()) {
    const Cell* cell = peer.in.look();
    if (cell == nullptr)
      return;
    if (peer.filling == nullptr && !peer.setting_aside)
      begin_message(peer, *cell);
    deliver(peer, *cell);
  }
}

void Port::begin_message(Peer& peer, const Cell& cell) {
  const auto awaited = std::ranges::find_if(
      peer.receives, [&](const UnderWay* receive) { return receive->message.tag == cell.tag; });
  if (awaited == peer.receives.end()) {
    Unexpected& unexpected = peer.unexpected.emplace_back();
    unexpected.tag = cell.tag;
    unexpected.data.resize(cell.message_bytes());
    peer.setting_aside = true;
    return;
  }
  check_fits(**awaited, cell.message_bytes());
  peer.filling = *awaited;
  peer.receives.erase(awaited);
}

/// The sender may sleep until there is room.
void Port::give_back(Peer& peer, const Cell& cell) {
  if (peer.in.take(cell))
    peer.ring();
}

void Port::deliver(Peer& peer, const Cell& cell) {
  const std::size_t total = cell.message_bytes();
  const std::size_t count = cell.chunk_bytes();
  std::byte* const bytes = peer.in.chunk(cell);
  if (peer.filling != nullptr) {
    UnderWay& receive = *peer.filling;
    absorb(receive, bytes, count, !cell.is_on_board());
    give_back(peer, cell);
    if (receive.done == total) {
      peer.filling = nullptr;
      finish(receive);
    }
    return;
  }
  Unexpected& unexpected = peer.unexpected.back();
  if (count > 0)
    std::memcpy(unexpected.data.data() + unexpected.done, bytes, count);
  unexpected.done += count;
  give_back(peer, cell);
  peer.setting_aside = unexpected.done < total;
}

/// True when the message finished, or its rest goes to where it belongs from now on.
bool Port::meet_unexpected(Peer& peer, UnderWay& receive) {
  const auto came = std::ranges::find(peer.unexpected, receive.message.tag, &Unexpected::tag);
  if (came == peer.unexpected.end())
    return false;
  check_fits(receive, came->data.size());
  absorb(receive, came->data.data(), came->done);
  const bool is_whole = came->done == came->data.size();
  peer.unexpected.erase(came);
  if (is_whole) {
    finish(receive);
    return true;
  }
  peer.setting_aside = false;
  peer.filling = &receive;
  activate(static_cast<Rank>(&peer - peers_.data()));
  return true;
}

void Port::forget(Completions* owner) {
  const auto guard = lock();
  for (const Shown& shown : owner->shown)
    if (shown.place)
      board_.close(*shown.place, shown.readers);
  owner->shown.clear();
  const auto is_owned = [owner](const UnderWay* message) { return message->owner == owner; };
  for (Peer& peer : peers_) {
    std::erase_if(peer.sends, is_owned);
    std::erase_if(peer.receives, is_owned);
    if (peer.filling != nullptr && is_owned(peer.filling))
      peer.filling = nullptr;
  }
}

} // namespace thalweg::transport
