// SPDX-License-Identifier: BSD-3-Clause

// ItemStream's third part: how a phase ends (stream/wave.hpp), and how the ranks go on.

#include "base/error.hpp"
#include "stream/item_stream.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <string>
#include <utility>

namespace thalweg::streams {

void ItemStream::must_not_be_nested() const {
  if (set_->is_nested())
    throw Error("a handler ends the phase", "call finish where no handler runs");
}

// What fills links leaves now, as the program may be long in coming back. What handlers send to it later goes
// with another wave.
void ItemStream::start_finish() {
  begin_finish();
  has_closed(mesh_.route.end_link(closing_dimension_));
}

void ItemStream::begin_finish() {
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
  closing_link_ = mesh_.route.first_link(0);
}

std::uint8_t ItemStream::flags_to(std::uint32_t link) const {
  std::uint32_t flags = SlotHead::closes;
  const bool checks_quiescence = mesh_.route.peers()[link].dimension == mesh_.route.quiescence_dimension();
  if (checks_quiescence ? quiescence_.was_active() : wave_.was_active())
    flags |= SlotHead::was_active;
  if (checks_quiescence)
    flags |= quiescence_.round() << SlotHead::round_at;
  if (failed_rank_ >= 0)
    flags |= SlotHead::has_failed;
  else if (checks_quiescence && is_due_)
    flags |= SlotHead::has_seen;
  return static_cast<std::uint8_t>(flags);
}

// The link's last slot of this wave, or a mark alone. False where there is no slot for it yet.
bool ItemStream::close(std::uint32_t link) {
  if (mesh_.route.peers()[link].rank < 0)
    return true;
  const std::uint8_t flags = flags_to(link);
  if (failed_rank_ >= 0 && windows_[link].seen != nullptr)
    post(link, 0, Reason::finish); // the failure's text goes elsewhere: the peer may be reading what is there
  if (links_[link].slot == nullptr) {
    if (overflow_.holds(link))
      return false;
    Outbox& outbox = outboxes_[link];
    if (outbox.near >= 0 && failed_rank_ < 0 && (flags & SlotHead::has_seen) == 0) {
      outbox.mailbox.post({.place = 0, .flags = flags, .phase = phase_});
      ring(outbox.near);
      return true;
    }
    Slot* const slot = pool_of(link).take();
    if (slot == nullptr)
      return false;
    give(link, *slot, false);
  }
  if ((flags & SlotHead::has_seen) != 0) {
    std::memcpy(open_links_[link].next, &quiescence_.seen(), sizeof(PhaseSeen));
    open_links_[link].next += sizeof(PhaseSeen);
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
  if (is_choosing_)
    return choose();
  const std::uint32_t dimension = closing_dimension_;
  if (!has_closed(mesh_.route.end_link(dimension)) ||
      !wave_.has_marks(dimension, static_cast<std::uint32_t>(mesh_.route.senders(dimension).size())))
    return false;
  if (++closing_dimension_ < mesh_.route.dimensions()) {
    closing_link_ = mesh_.route.first_link(closing_dimension_);
    return true;
  }
  if (choosing_ != nullptr)
    choosing_->everybody_is_here();
  if (wave_.end()) {
    was_active_ = true;
    quiescence_.begin(view_.has_sent != 0, seen_of_phase());
    closing_link_ = mesh_.route.first_link_of_round(0);
  } else {
    end_waves();
  }
  return true;
}

bool ItemStream::check_quiescence() {
  if (quiescence_.round() < quiescence_.rounds()) {
    if (!has_closed(mesh_.route.first_link_of_round(quiescence_.round() + 1)) || !quiescence_.has_round())
      return false;
    quiescence_.end_round();
  } else if (quiescence_.end()) {
    begin_wave();
  } else {
    end_waves();
  }
  return true;
}

PhaseSeen ItemStream::seen_of_phase() const {
  return {.nanoseconds = began_ns_ == 0 ? 0 : wait::System::now_ns() - began_ns_,
          .sent_bytes = statistics_.near_bytes + statistics_.far_bytes};
}

// All ranks know whether the phase was active and whether it has failed.
void ItemStream::end_waves() {
  is_choosing_ = is_due_ && was_active_ && failed_rank_ < 0;
  has_ended_ = !is_choosing_;
}

// What this rank has said last may still be on its way, in slots of the mesh that it leaves.
bool ItemStream::choose() {
  if (mesh_.remote != nullptr && mesh_.remote->has_sends())
    return false;
  // The mesh in use may be gone behind this.
  statistics_.max_memory_bytes = std::max(statistics_.max_memory_bytes, memory_bytes());
  if (const Mesh* const next = choosing_->decide(quiescence_.take_seen())) {
    if (next->base == mesh_.base)
      mesh_.fill_bytes = next->fill_bytes;
    else
      enter(*next);
  }
  is_choosing_ = false;
  has_ended_ = true;
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
    begin_finish();
  wait([&] {
    const bool moved = set_->progress(this);
    if (has_ended_)
      return wait::Look::reached;
    send_when_idle(moved);
    return moved ? wait::Look::moved : wait::Look::nothing;
  });
  end_phase();
}

void ItemStream::end_phase() {
  assert(std::ranges::all_of(links_, [](const Link& link) { return link.slot == nullptr; }));
  assert(overflow_.is_empty());
  is_finishing_ = false;
  has_ended_ = false;
  if (choosing_ != nullptr && was_active_ && failed_rank_ < 0)
    choosing_->phase_ended();
  is_due_ = choosing_ != nullptr && choosing_->is_due();
  was_active_ = false;
  quiescence_.take_seen();
  began_ns_ = 0;
  phase_ ^= 1;
  count_phase();
  for (Outbox& outbox : outboxes_)
    outbox.fill_bytes = first_fill(outbox);
  send_deferred();
  must_have_succeeded();
}

void ItemStream::count_phase() {
  const std::uint64_t now_ns = wait::System::now_ns();
  complete(statistics_, now_ns);
  statistics_.finish_ns = now_ns - finish_began_ns_;
  history_.phase_ended(statistics_);
  view_.delivered_bytes = 0;
  phase_began_ns_ = now_ns;
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
