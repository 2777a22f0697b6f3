// SPDX-License-Identifier: BSD-3-Clause
#include "nic/inbox_member.hpp"

#include "base/assertion.hpp"

namespace thalweg::nic {

namespace {

std::uint32_t accepted(std::uint64_t credit) {
  return static_cast<std::uint32_t>(credit >> 32);
}

bool has_room(std::uint64_t credit) {
  return (credit & 1) != 0;
}

} // namespace

InboxMember::InboxMember(std::unique_ptr<InboxCard> card, std::uint32_t ranks)
    : card_(std::move(card)), begun_(ranks) {
  // As if there had been receives before the first.
  for (std::uint32_t number = 1; number <= THALWEG_NIC_RECEIVES; ++number)
    seen_[number % THALWEG_NIC_RECEIVES] = number - THALWEG_NIC_RECEIVES;
}

void InboxMember::begin(OutgoingMessage& message) {
  THALWEG_ASSERT(normal, message.to < begun_.size());
  THALWEG_ASSERT(normal, message.carried.empty() || message.carried.size() == message.bytes);
  message.sequence = begun_[message.to]++;
}

void InboxMember::begin(IncomingMessage& receive) {
  receive.number = ++receives_;
}

void InboxMember::send(const OutgoingMessage& message) {
  card_->send(message.to, message.sequence, message.tag, message.bytes, message.carried);
}

// What a channel's earlier messages have told of its room spares a packet in vain.
bool InboxMember::look(OutgoingMessage& message) {
  const std::uint64_t credit = card_->credit(message.to);
  if (thalweg_nic_later(accepted(credit), message.sequence) != 0)
    return true;
  const bool is_next = accepted(credit) == message.sequence;
  const bool is_known = has_room(credit) || message.sequence == 0;
  if (is_next && !message.was_sent) {
    message.was_sent = true;
    message.is_held = !is_known;
    if (is_known)
      send(message);
  } else if (is_next && message.is_held && has_room(credit)) {
    message.is_held = false;
    send(message);
  } else if (message.patience.is_over()) {
    throw_if_lost(*card_);
    message.is_held = true; // until that is known
    send(message);
  }
  return false;
}

bool InboxMember::look(IncomingMessage& receive) {
  std::uint32_t& seen = seen_[receive.number % THALWEG_NIC_RECEIVES];
  if (receive.was_posted && card_->has_matched(receive.number, receive.match)) {
    seen = receive.number;
    return true;
  }
  if (!receive.was_posted) {
    receive.was_posted = seen == receive.number - THALWEG_NIC_RECEIVES;
    if (receive.was_posted) {
      card_->post(receive.number, receive.source, receive.tag);
      if (card_->has_matched(receive.number, receive.match)) {
        seen = receive.number;
        return true;
      }
    }
  } else if (receive.patience.is_over()) {
    throw_if_lost(*card_);
    card_->post(receive.number, receive.source, receive.tag);
  }
  return false;
}

bool InboxMember::has_come(const OutgoingMessage& message) {
  const std::uint64_t credit = card_->credit(message.to);
  return accepted(credit) != message.sequence || (message.is_held && has_room(credit));
}

bool InboxMember::has_come(const IncomingMessage& receive) {
  thalweg_nic_match match;
  return card_->has_matched(receive.number, match);
}

} // namespace thalweg::nic
