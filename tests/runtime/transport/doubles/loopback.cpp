// SPDX-License-Identifier: BSD-3-Clause
#include "transport/doubles/loopback.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <mutex>
#include <tuple>

namespace thalweg::transport {

namespace {

/// One posted end of a message; shared between its batch and the hub.
struct Posted {
  Message message;
  std::vector<std::byte> eager_copy;
  std::atomic<bool> finished = false;
  std::size_t truncated_from = 0; ///< bytes that came where fewer were awaited
};

using Link = std::tuple<Rank, Rank, std::int32_t>; ///< from, to, tag

} // namespace

class LoopbackHub {
public:
  explicit LoopbackHub(Protocol protocol) : protocol_(protocol) {}

  void post_send(Rank from, const std::shared_ptr<Posted>& send) {
    const std::scoped_lock lock(mutex_);
    Queues& queues = links_[{from, send->message.peer, send->message.tag}];
    if (!queues.receives.empty()) {
      deliver(*send, *queues.receives.front());
      queues.receives.pop_front();
      return;
    }
    if (protocol_ == Protocol::eager) {
      send->eager_copy.assign(send->message.data, send->message.data + send->message.bytes);
      send->message.data = send->eager_copy.data();
      send->finished = true;
    }
    queues.sends.push_back(send);
  }

  void post_receive(Rank to, const std::shared_ptr<Posted>& receive) {
    const std::scoped_lock lock(mutex_);
    Queues& queues = links_[{receive->message.peer, to, receive->message.tag}];
    if (queues.sends.empty()) {
      queues.receives.push_back(receive);
      return;
    }
    deliver(*queues.sends.front(), *receive);
    queues.sends.pop_front();
  }

  void wait_for_change(const std::function<bool()>& arrived) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, arrived);
  }

private:
  struct Queues {
    std::deque<std::shared_ptr<Posted>> sends;
    std::deque<std::shared_ptr<Posted>> receives;
  };

  void deliver(Posted& send, Posted& receive) {
    const std::size_t bytes = std::min(send.message.bytes, receive.message.bytes);
    if (bytes > 0)
      std::memcpy(receive.message.data, send.message.data, bytes);
    if (receive.message.at_most ? send.message.bytes > receive.message.bytes
                                : send.message.bytes != receive.message.bytes)
      receive.truncated_from = send.message.bytes + 1;
    send.finished = true;
    receive.finished = true;
    changed_.notify_all();
  }

  Protocol protocol_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<Link, Queues> links_;
};

namespace {

class LoopbackBatch final : public Batch {
public:
  LoopbackBatch(std::shared_ptr<LoopbackHub> hub, Rank rank) : hub_(std::move(hub)), rank_(rank) {}

  void reserve(std::size_t count) override { entries_.resize(std::max(entries_.size(), count)); }

  void start_receive(std::uint32_t id, const Message& message) override {
    hub_->post_receive(rank_, occupy(id, message));
  }

  void start_send(std::uint32_t id, const Message& message) override {
    if (message.multicast.number != 0)
      count_multicast(message);
    hub_->post_send(rank_, occupy(id, message));
  }

  void pass_over(const Message& message) override { count_multicast(message); }

  std::span<const int> poll() override {
    finished_.clear();
    for (std::size_t id = 0; id < entries_.size(); ++id)
      if (entries_[id] && entries_[id]->finished) {
        check(*entries_[id]);
        entries_[id].reset();
        finished_.push_back(static_cast<int>(id));
      }
    return finished_;
  }

  std::span<const int> wait() override {
    hub_->wait_for_change([this] {
      return std::ranges::any_of(entries_, [](const auto& posted) { return posted && posted->finished; });
    });
    return poll();
  }

  bool all_finished() override {
    if (!std::ranges::all_of(entries_, [](const auto& posted) { return !posted || posted->finished; }))
      return false;
    poll();
    return true;
  }

private:
  std::shared_ptr<Posted> occupy(std::uint32_t id, const Message& message) {
    auto posted = std::make_shared<Posted>();
    posted->message = message;
    entries_.at(id) = posted;
    return posted;
  }

  /// What other transports rely on.
  void count_multicast(const Message& message) {
    const auto [number, members] = message.multicast;
    const auto known = multicasts_.try_emplace(number).first;
    auto& [left, first] = known->second;
    if (first.empty()) {
      left = members;
      first.assign(message.data, message.data + message.bytes);
    }
    if (!std::ranges::equal(first, std::span(message.data, message.bytes)))
      throw Error(fmt::format("rank {}: messages of multicast {} carry different bytes", rank_, number),
                  "number only sends that carry the same");
    if (--left == 0)
      multicasts_.erase(known);
  }

  void check(const Posted& posted) const {
    if (posted.truncated_from > 0)
      throw Error(fmt::format("rank {}: a message of {} bytes from rank {} came where {} were awaited", rank_,
                              posted.truncated_from - 1, posted.message.peer, posted.message.bytes),
                  "give matching counts on all ranks");
  }

  std::shared_ptr<LoopbackHub> hub_;
  Rank rank_;
  std::vector<std::shared_ptr<Posted>> entries_;
  std::vector<int> finished_;
  std::map<std::uint32_t, std::pair<std::uint32_t, std::vector<std::byte>>> multicasts_;
};

class Loopback final : public Transport {
public:
  Loopback(std::shared_ptr<LoopbackHub> hub, Rank rank, std::int32_t ranks)
      : hub_(std::move(hub)), rank_(rank), ranks_(ranks) {}

  Rank rank() const override { return rank_; }
  std::int32_t ranks() const override { return ranks_; }
  std::int32_t tag_limit() const override { return 32768; }
  std::unique_ptr<Batch> make_batch() override { return std::make_unique<LoopbackBatch>(hub_, rank_); }

private:
  std::shared_ptr<LoopbackHub> hub_;
  Rank rank_;
  std::int32_t ranks_;
};

/// What is on its way to each rank.
struct Mail {
  struct Letter {
    std::vector<std::byte> bytes;
    std::shared_ptr<std::atomic<bool>> was_received;
  };
  explicit Mail(std::int32_t ranks) : of_rank(static_cast<std::size_t>(ranks)) {}
  std::mutex mutex;
  std::vector<std::deque<Letter>> of_rank;
};

class LoopbackMailbox final : public Mailbox {
public:
  LoopbackMailbox(std::shared_ptr<Mail> mail, std::size_t rank) : mail_(std::move(mail)), rank_(rank) {}

  std::uint64_t send(Rank to, std::span<const std::byte> bytes) override {
    const auto was_received = std::make_shared<std::atomic<bool>>(false);
    const std::scoped_lock lock(mail_->mutex);
    mail_->of_rank.at(static_cast<std::size_t>(to)).push_back({{bytes.begin(), bytes.end()}, was_received});
    sending_.emplace(sent_, was_received);
    return sent_++;
  }

  bool was_received(std::uint64_t number) override {
    const auto letter = sending_.find(number);
    const bool result = letter->second->load();
    if (result)
      sending_.erase(letter);
    return result;
  }

  bool receive(std::vector<std::byte>& message) override {
    const std::scoped_lock lock(mail_->mutex);
    std::deque<Mail::Letter>& own = mail_->of_rank[rank_];
    if (own.empty())
      return false;
    message = std::move(own.front().bytes);
    own.front().was_received->store(true);
    own.pop_front();
    return true;
  }

private:
  std::shared_ptr<Mail> mail_;
  std::size_t rank_;
  std::uint64_t sent_ = 0;
  std::map<std::uint64_t, std::shared_ptr<std::atomic<bool>>> sending_;
};

} // namespace

std::vector<std::unique_ptr<Mailbox>> make_loopback_mailboxes(std::int32_t ranks) {
  const auto mail = std::make_shared<Mail>(ranks);
  std::vector<std::unique_ptr<Mailbox>> mailboxes;
  for (std::size_t rank = 0; rank < static_cast<std::size_t>(ranks); ++rank)
    mailboxes.push_back(std::make_unique<LoopbackMailbox>(mail, rank));
  return mailboxes;
}

std::vector<std::unique_ptr<Transport>> make_loopback(std::int32_t ranks, Protocol protocol) {
  const auto hub = std::make_shared<LoopbackHub>(protocol);
  std::vector<std::unique_ptr<Transport>> transports;
  for (Rank rank = 0; rank < ranks; ++rank)
    transports.push_back(std::make_unique<Loopback>(hub, rank, ranks));
  return transports;
}

} // namespace thalweg::transport
