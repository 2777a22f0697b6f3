// SPDX-License-Identifier: BSD-3-Clause
#include "stream/phase_end.hpp"

#include "base/assertion.hpp"
#include "wait/waiter.hpp"

#include <span>
#include <utility>
#include <vector>

namespace thalweg::streams {

namespace {

std::vector<std::uint32_t> messages_by_round(const ItemRoute& route) {
  std::vector<std::uint32_t> messages;
  for (std::uint32_t round = 0; round < route.rounds(); ++round)
    messages.push_back(route.first_link_of_round(round + 1) - route.first_link_of_round(round));
  return messages;
}

} // namespace

PhaseEnd::PhaseEnd(const ItemRoute& route, Failure& failure, std::uint32_t& has_sent, PhaseRecord& record,
                   MeshChooser* choosing)
    : route_(route), failure_(failure), has_sent_(has_sent), record_(record), choosing_(choosing),
      wave_(route.dimensions()), quiescence_(messages_by_round(route)),
      is_due_(choosing != nullptr && choosing->is_due()) {}

void PhaseEnd::enter() {
  THALWEG_ASSERT(light, stage_ == Stage::ended);
  wave_ = Wave(route_.dimensions());
}

void PhaseEnd::begin() {
  THALWEG_ASSERT(light, stage_ == Stage::open);
  begin_wave();
}

void PhaseEnd::begin_wave() {
  ++record_.open().waves;
  const bool has_failed = failure_.take_news();
  wave_.begin(std::exchange(has_sent_, 0U) != 0 || has_failed);
  stage_ = Stage::wave;
  closing_dimension_ = 0;
  closing_link_ = route_.first_link(0);
}

Mark PhaseEnd::mark(bool checks_quiescence) const {
  std::uint32_t flags = SlotHead::closes;
  if (checks_quiescence ? quiescence_.was_active() : wave_.was_active())
    flags |= SlotHead::was_active;
  if (checks_quiescence)
    flags |= quiescence_.round() << SlotHead::round_at;
  if (failure_.is_known())
    return {.flags = static_cast<std::uint8_t>(flags | SlotHead::has_failed),
            .failed_rank = failure_.rank(),
            .text = failure_.text()};
  if (checks_quiescence && is_due_)
    return {.flags = static_cast<std::uint8_t>(flags | SlotHead::has_seen),
            .text = {reinterpret_cast<const char*>(&quiescence_.seen()), sizeof(PhaseMeasurement)}};
  return {.flags = static_cast<std::uint8_t>(flags)};
}

// The links from the next one that is to be closed, up to this end.
bool PhaseEnd::has_closed(std::uint32_t end, LinkCloser& links) {
  THALWEG_ASSERT(normal, closing_link_ <= end);
  if (closing_link_ == end)
    return true;
  const Mark same = mark(stage_ == Stage::quiescence);
  while (closing_link_ < end && links.close(closing_link_, same))
    ++closing_link_;
  return closing_link_ == end;
}

void PhaseEnd::advance(LinkCloser& links) {
  bool goes_on = true; // false where something has to arrive, or to be sent, before
  while (goes_on)
    goes_on = stage_ == Stage::wave         ? end_dimension(links)
              : stage_ == Stage::quiescence ? check_quiescence(links)
                                            : false;
}

bool PhaseEnd::end_dimension(LinkCloser& links) {
  const std::uint32_t dimension = closing_dimension_;
  if (!has_closed(route_.end_link(dimension), links) ||
      !wave_.has_marks(dimension, static_cast<std::uint32_t>(route_.senders(dimension).size())))
    return false;
  if (++closing_dimension_ < route_.dimensions()) {
    closing_link_ = route_.first_link(closing_dimension_);
    return true;
  }
  if (choosing_ != nullptr)
    choosing_->everybody_is_here();
  if (wave_.end()) {
    was_active_ = true;
    quiescence_.begin(has_sent_ != 0, record_.seen(wait::System::now_ns()));
    stage_ = Stage::quiescence;
    closing_link_ = route_.first_link_of_round(0);
  } else {
    end_waves();
  }
  return true;
}

bool PhaseEnd::check_quiescence(LinkCloser& links) {
  if (quiescence_.round() < quiescence_.rounds()) {
    if (!has_closed(route_.first_link_of_round(quiescence_.round() + 1), links) || !quiescence_.has_round())
      return false;
    quiescence_.end_round();
  } else if (quiescence_.end()) {
    begin_wave();
  } else {
    end_waves();
  }
  return true;
}

void PhaseEnd::end_waves() {
  stage_ = is_due_ && was_active_ && !failure_.is_known() ? Stage::choosing : Stage::ended;
}

const Mesh* PhaseEnd::choose() {
  THALWEG_ASSERT(light, stage_ == Stage::choosing && choosing_ != nullptr);
  stage_ = Stage::ended;
  return choosing_->decide(quiescence_.take_seen());
}

void PhaseEnd::end() {
  THALWEG_ASSERT(light, stage_ == Stage::ended);
  stage_ = Stage::open;
  if (choosing_ != nullptr && was_active_ && !failure_.is_known())
    choosing_->phase_ended();
  is_due_ = choosing_ != nullptr && choosing_->is_due();
  was_active_ = false;
  quiescence_.take_seen();
}

void PhaseEnd::take_mark(std::uint32_t dimension, std::uint8_t flags) {
  THALWEG_ASSERT(normal, (flags & SlotHead::closes) != 0 && dimension <= route_.quiescence_dimension());
  const bool was_active = (flags & SlotHead::was_active) != 0;
  if (dimension == route_.quiescence_dimension())
    quiescence_.arrived(std::uint32_t{flags} >> SlotHead::round_at, was_active);
  else
    wave_.mark_arrived(dimension, was_active);
}

} // namespace thalweg::streams
