// SPDX-License-Identifier: BSD-3-Clause
#include "objects/bracket_iterations.hpp"

#include <algorithm>
#include <utility>

namespace thalweg::objects {

bool BracketIteration::may_send(const BracketRoutes& routes) const {
  THALWEG_ASSERT(light, phase_ < phases() && phases() == routes.phases());
  return phase_ == 0 || (arrived_[phase_ - 1] == routes.senders(phase_ - 1) && outstanding_[phase_ - 1] == 0);
}

void BracketIteration::note_arrival(std::size_t phase, std::uint32_t messages) {
  THALWEG_ASSERT(light, phase + 1 < phases()); // what comes in the last phase is awaited by nobody
  outstanding_[phase] += std::int64_t{messages} - 1;
  arrived_[phase] += messages == 0 ? 0 : 1;
}

std::uint64_t BracketIteration::kept_bytes() const {
  std::uint64_t bytes = multicasts.bytes();
  for (const KeptGroups::Group& group : groups.all())
    bytes += group.bytes();
  return bytes;
}

void BracketIteration::reset(std::uint32_t number, std::size_t phases) {
  THALWEG_ASSERT(heavy, kept_bytes() == 0);
  number_ = number;
  ended_ = phase_ = 0;
  arrived_.assign(phases, 0);
  outstanding_.assign(phases, 0);
}

void BracketIterations::use(std::size_t phases, bool keeps) {
  THALWEG_ASSERT(light, are_closed() && phases > 0);
  phases_ = phases;
  keeps_ = keeps;
  last_ended_ = nullptr;
}

void BracketIterations::find(std::uint32_t element) {
  last_ended_ = &ended_[element];
  last_element_ = element;
  last_ = keeps_ ? &of(*last_ended_) : nullptr;
}

BracketIteration* BracketIterations::end(std::uint32_t element) {
  BracketIteration* const ended = of_element(element).iteration;
  ++*last_ended_;
  last_ended_ = nullptr; // its next bracket is another iteration's
  if (ended != nullptr)
    ended->note_end_of_element();
  return ended;
}

BracketIteration& BracketIterations::of(std::uint32_t number) {
  const auto found = std::ranges::find(open_, number, [](const auto& one) { return one->number(); });
  if (found != open_.end())
    return **found;
  if (spare_.empty())
    spare_.push_back(std::make_unique<BracketIteration>(ranks_));
  BracketIteration& one = *open_.emplace_back(std::move(spare_.back()));
  spare_.pop_back();
  one.reset(number, phases_);
  return one;
}

void BracketIterations::close(BracketIteration& one) {
  const auto found = std::ranges::find(open_, &one, [](const auto& it) { return it.get(); });
  THALWEG_ASSERT(light, found != open_.end());
  one.groups.clear();
  one.multicasts.clear();
  std::swap(*found, open_.back());
  spare_.push_back(std::move(open_.back()));
  open_.pop_back();
  last_ended_ = nullptr;
}

void BracketIterations::restart() {
  ended_.clear();
  last_ended_ = nullptr;
}

std::uint64_t BracketIterations::kept_bytes() const {
  std::uint64_t bytes = 0;
  for (const auto& one : open_)
    bytes += one->kept_bytes();
  return bytes;
}

} // namespace thalweg::objects
