#pragma once

// What balancing needs of messages: prefix sums, and a few small messages to ranks that do not expect them.
// All waits are under the group's policy.

#include "core/rank.hpp"
#include "job/linked/group.hpp"

#include <cstddef>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

namespace thalweg::balance {

/// A value of the ranks before this one combined in their order, and that of all ranks.
template <typename Value>
struct Prefix {
  Value before;
  Value all;
};

class Exchange {
public:
  explicit Exchange(const job::Group& group);

  /// Collective; `nothing` is what a combination leaves as it is. O(log P) rounds.
  template <typename Value, typename Combine>
  Prefix<Value> prefix(Value own, Value nothing, Combine combine) const;

  /// Collective. Gives what other ranks have sent to this one, in any order. `tag`: 1 or 2, in turn.
  /// O(log P) time beside the messages. Source: Hoefler, Siebert and Lumsdaine 2010, "Scalable communication
  /// protocols for dynamic sparse data exchange" (its nonblocking consensus).
  template <typename Value>
  std::vector<Value> deliver(std::span<const std::pair<Rank, Value>> messages, int tag) const;

private:
  /// Sends to one rank and receives from another; -1: to or from none.
  void shift(const void* sent, Rank to, void* received, Rank from, std::size_t bytes) const;
  void deliver(std::span<const Rank> to, const std::byte* values, std::size_t bytes, int tag,
               std::vector<std::byte>& received) const;

  const job::Group& group_;
  wait::Policy policy_;
  job::Agreement from_last_; ///< the last rank is its first member
};

template <typename Value, typename Combine>
Prefix<Value> Exchange::prefix(Value own, Value nothing, Combine combine) const {
  const Rank rank = group_.rank();
  const std::int32_t ranks = group_.ranks();
  Value before = nothing;
  for (std::int32_t distance = 1; distance < ranks; distance *= 2) {
    const Value through = combine(before, own); // of the last `distance` ranks
    Value earlier = nothing;
    shift(&through, rank + distance < ranks ? rank + distance : -1, &earlier,
          rank - distance >= 0 ? rank - distance : -1, sizeof(Value));
    before = combine(earlier, before);
  }
  Value all = combine(before, own); // right on the last rank, which tells the others
  from_last_.broadcast(all);
  return {before, all};
}

template <typename Value>
std::vector<Value> Exchange::deliver(std::span<const std::pair<Rank, Value>> messages, int tag) const {
  std::vector<Rank> to;
  std::vector<Value> values;
  for (const auto& [rank, value] : messages) {
    to.push_back(rank);
    values.push_back(value);
  }
  std::vector<std::byte> received;
  deliver(to, reinterpret_cast<const std::byte*>(values.data()), sizeof(Value), tag, received);
  std::vector<Value> found(received.size() / sizeof(Value));
  std::memcpy(found.data(), received.data(), received.size());
  return found;
}

} // namespace thalweg::balance
