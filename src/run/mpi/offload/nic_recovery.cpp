// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/offload/nic_recovery.hpp"

#include "base/assertion.hpp"
#include "mpi/offload/nic_watch.hpp"
#include "nic/tree_result.hpp"

#include <algorithm>
#include <exception>
#include <fmt/format.h>
#include <string_view>
#include <utility>

namespace thalweg::mpi {

NicRecovery::NicRecovery(AgreedGroup group, const std::atomic<std::uint32_t>& begun)
    : group_(std::move(group)), begun_(begun) {}

NicRecovery::Runner NicRecovery::runner_of(std::uint32_t epoch) const {
  if (!is_lost())
    return Runner::group;
  if (!is_limit_known_.load(std::memory_order_acquire))
    return Runner::unknown;
  return thalweg_nic_later(epoch, limit_) != 0 ? Runner::engine : Runner::group;
}

// Who is gone is heard by the call that waits for it.
bool NicRecovery::progress() {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock())
    return false;
  if (!is_lost()) {
    std::string loss;
    try {
      loss = group_.member != nullptr ? group_.member->loss() : group_.relay->loss();
    } catch (const std::exception&) {
      return false;
    }
    if (loss.empty())
      return false;
    give_up(loss);
  }
  if (!is_limit_known_) {
    if (!ballot_->has_heard_all())
      return false;
    hear_all();
  }
  if (!is_over_ && go_on()) {
    is_over_ = true;
    if (group_.member != nullptr)
      group_.member->dissolve();
    else
      group_.relay->dissolve();
  }
  return is_over_;
}

void NicRecovery::close() {
  const std::scoped_lock lock(mutex_);
  if (!is_lost())
    give_up({});
}

// What begins from now on does not start, so it ends nowhere. What has begun before is counted.
void NicRecovery::give_up(const std::string& reason) {
  THALWEG_ASSERT(light, !is_lost() && (group_.member != nullptr) != (group_.relay != nullptr));
  if (group_.member != nullptr)
    group_.member->freeze();
  else
    group_.relay->freeze();
  is_lost_.store(true, std::memory_order_seq_cst);
  ballot_.emplace(group_.endpoint, group_.tags);
  Word& own = ballot_->own();
  reason.copy(own.reason.data(), own.reason.size() - 1);
  own.begun = begun_.load(std::memory_order_seq_cst);
  own.satisfied = group_.member != nullptr ? group_.member->satisfied() : group_.relay->satisfied();
  ballot_->begin();
}

// All ranks have given the devices up, and come to the same.
void NicRecovery::hear_all() {
  limit_ = words().front().begun;
  for (const Word& word : words())
    limit_ = nic::later_of(limit_, word.begun);
  next_ = limit_ + 1;
  for (const Word& word : words())
    for (const std::uint32_t epoch : word.satisfied)
      if (thalweg_nic_later(next_, epoch + THALWEG_NIC_WINDOW) != 0)
        next_ = epoch + THALWEG_NIC_WINDOW;
  const auto reason =
      std::ranges::find_if(words(), [](const Word& word) { return word.reason.front() != 0; });
  if (reason != words().end())
    note_nic(fmt::format("rank {}: {}, and our engine runs them from then on", reason - words().begin(),
                         reason->reason.data()));
  if (group_.relay != nullptr)
    count_messages();
  else
    epochs_ballot_.emplace(group_.endpoint, group_.tags);
  is_limit_known_.store(true, std::memory_order_release);
}

bool NicRecovery::lacks(Rank rank, std::uint32_t epoch) const {
  THALWEG_ASSERT(light, rank >= 0 && rank < group_.ranks);
  const Word& word = words()[static_cast<std::size_t>(rank)];
  return thalweg_nic_later(epoch, word.satisfied[epoch % THALWEG_NIC_WINDOW]) != 0;
}

bool NicRecovery::go_on() {
  if (group_.relay != nullptr)
    return send_messages();
  while (thalweg_nic_later(next_, limit_) == 0) {
    if (!epochs_ballot_->is_open()) {
      if (!has_own_word())
        return false;
      epochs_ballot_->begin();
    }
    if (!epochs_ballot_->has_heard_all())
      return false;
    take_epoch();
  }
  return true;
}

bool NicRecovery::has_own_word() {
  THALWEG_ASSERT(light, group_.member != nullptr && is_limit_known_);
  EpochWord& own = epochs_ballot_->own();
  own = {};
  own.known = group_.member->known_of(next_, own.content);
  if (own.known != nic::Knowledge::nothing)
    return true;
  const auto found = brought_.find(next_);
  if (found == brought_.end())
    return false;
  own = {nic::Knowledge::contribution, found->second};
  return true;
}

void NicRecovery::take_epoch() {
  const std::uint32_t epoch = next_++;
  brought_.erase(epoch);
  if (!lacks(group_.rank, epoch))
    return;
  const std::vector<EpochWord>& heard = epochs_ballot_->words();
  const auto result = std::ranges::find(heard, nic::Knowledge::result, &EpochWord::known);
  std::vector<thalweg_nic_content>& kept = results_[epoch];
  if (result != heard.end())
    kept = {result->content};
  else
    for (const EpochWord& word : heard)
      kept.push_back(word.content);
}

bool NicRecovery::takes(const nic::MemberOperation& operation) {
  const std::scoped_lock lock(mutex_);
  if (runner_of(operation.epoch) != Runner::group || !is_lost())
    return false;
  brought_[operation.epoch] = operation.content;
  return true;
}

bool NicRecovery::ends(nic::MemberOperation& operation, const nic::ElementOperator& by) {
  const std::scoped_lock lock(mutex_);
  if (runner_of(operation.epoch) != Runner::group || !is_lost())
    return false;
  const auto found = results_.find(operation.epoch);
  if (found == results_.end()) {
    brought_.try_emplace(operation.epoch, operation.content);
    return false;
  }
  operation.content = found->second.size() == 1
                          ? found->second.front()
                          : nic::tree_result(group_.schedule_of, group_.nodes, found->second, by);
  results_.erase(found);
  return true;
}

// The root numbers messages by epoch and rank, others by epoch.
void NicRecovery::count_messages() {
  batch_ = group_.endpoint.take_batch();
  first_ = next_;
  for (std::uint32_t epoch = first_; thalweg_nic_later(epoch, limit_) == 0; ++epoch)
    for (Rank rank = 0; rank < group_.ranks; ++rank)
      if (rank != group_.root && (rank == group_.rank || group_.rank == group_.root) && lacks(rank, epoch))
        ++messages_;
  if (messages_ > 0)
    batch_->reserve(messages_);
}

// Also sees what has come.
bool NicRecovery::send_messages() {
  for (; group_.rank == group_.root && thalweg_nic_later(next_, limit_) == 0; ++next_) {
    std::span<std::byte> message = group_.relay->kept(next_);
    if (const auto given = given_.find(next_); given != given_.end())
      message = given->second;
    const auto lack = [this](Rank rank) { return rank != group_.root && lacks(rank, next_); };
    for (Rank rank = 0; rank < group_.ranks; ++rank) {
      if (!lack(rank))
        continue;
      if (message.empty())
        return false;
      batch_->start_send(
          begun_messages_++,
          {.peer = rank, .tag = group_.tags.first, .data = message.data(), .bytes = message.size()});
      epochs_.push_back(next_);
    }
  }
  batch_->flush();
  if (begun_messages_ > ended_messages_)
    for (const int message : batch_->poll()) {
      ++ended_messages_;
      received_[epochs_[static_cast<std::size_t>(message)]] = true;
    }
  return ended_messages_ == messages_;
}

bool NicRecovery::ends(nic::MemberBroadcast& broadcast) {
  const std::scoped_lock lock(mutex_);
  if (runner_of(broadcast.epoch) != Runner::group || !is_lost())
    return false;
  if (group_.rank == group_.root) {
    if (group_.relay->kept(broadcast.epoch).empty())
      given_[broadcast.epoch].assign(broadcast.message.begin(), broadcast.message.end());
    return true;
  }
  const auto [found, is_new] = received_.try_emplace(broadcast.epoch, false);
  if (is_new) {
    batch_->start_receive(begun_messages_++, {.peer = group_.root,
                                              .tag = group_.tags.first,
                                              .data = broadcast.message.data(),
                                              .bytes = broadcast.message.size()});
    epochs_.push_back(broadcast.epoch);
  }
  return found->second;
}

} // namespace thalweg::mpi
