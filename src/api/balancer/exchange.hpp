// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What balancing needs of messages: prefix sums, gathering, and a few small messages to ranks that do not
// expect them. All of them are routines. Ranks count as positions in an order.

#include "balancer/routine.hpp"
#include "base/rank.hpp"
#include "job/library/group.hpp"

#include <cstddef>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace thalweg::balancing {

/// A value of the ranks before this one combined in their order, and that of all ranks.
template <typename Value>
struct Prefix {
  Value before;
  Value all;
};

class Exchange {
public:
  /// `order`: the rank at each position. The others outlive it.
  Exchange(const job::Group& group, std::vector<Rank> order, Parking& parking);

  std::int32_t position() const { return position_; }
  const std::vector<Rank>& order() const { return order_; }
  std::int32_t position_of(Rank rank) const { return positions_[static_cast<std::size_t>(rank)]; }

  /// Collective; `nothing` is what a combination leaves as it is. O(log P) rounds.
  template <typename Value, typename Combine>
  Routine<Prefix<Value>> prefix(Value own, Value nothing, Combine combine) const;

  /// Collective. Every rank's value, by position. ceil(log2 P) rounds. Source: Bruck et al. 1997, "Efficient
  /// algorithms for all-to-all communications in multiport message-passing systems", section 5.
  template <typename Value>
  Routine<std::vector<Value>> gather(Value own) const;

  /// Collective. Gives what other ranks have sent to this one's position, in any order. `tag`: 1 or 2, in
  /// turn. O(log P) time beside the messages. Source: Hoefler, Siebert and Lumsdaine 2010, "Scalable
  /// communication protocols for dynamic sparse data exchange" (its nonblocking consensus).
  template <typename Value>
  Routine<std::vector<Value>> deliver(std::vector<std::pair<std::int32_t, Value>> messages, int tag) const;

private:
  /// Sends to a position and receives from another; -1: to or from none.
  Routine<Nothing> shift(const void* sent, std::int32_t to, void* received, std::int32_t from,
                         std::size_t bytes_sent, std::size_t bytes_received) const;
  /// The last position's value, for all. ceil(log2 P) rounds.
  Routine<Nothing> from_last(void* value, std::size_t bytes) const;
  /// Values of so many positions, from this one's on.
  Routine<Nothing> gather(std::byte* values, std::size_t bytes) const;
  Routine<std::vector<std::byte>> deliver(const std::vector<std::int32_t>& to, const std::byte* values,
                                          std::size_t bytes, int tag) const;

  const job::Group& group_;
  std::vector<Rank> order_;
  std::vector<std::int32_t> positions_; ///< of each rank
  std::int32_t position_;
  Parking& parking_;
};

template <typename Value, typename Combine>
Routine<Prefix<Value>> Exchange::prefix(Value own, Value nothing, Combine combine) const {
  static_assert(std::is_trivially_copyable_v<Value>);
  const std::int32_t ranks = group_.ranks();
  Value before = nothing;
  for (std::int32_t distance = 1; distance < ranks; distance *= 2) {
    const Value through = combine(before, own); // of the last `distance` positions
    Value earlier = nothing;
    co_await shift(&through, position_ + distance < ranks ? position_ + distance : -1, &earlier,
                   position_ - distance, sizeof(Value), sizeof(Value));
    before = combine(earlier, before);
  }
  Value all = combine(before, own); // right at the last position, which tells the others
  co_await from_last(&all, sizeof(Value));
  co_return Prefix<Value>{before, all};
}

template <typename Value>
Routine<std::vector<Value>> Exchange::gather(Value own) const {
  static_assert(std::is_trivially_copyable_v<Value>);
  std::vector<Value> values(order_.size());
  values.front() = own;
  co_await gather(reinterpret_cast<std::byte*>(values.data()), sizeof(Value));
  std::rotate(values.begin(), values.end() - position_, values.end());
  co_return values;
}

template <typename Value>
Routine<std::vector<Value>> Exchange::deliver(std::vector<std::pair<std::int32_t, Value>> messages,
                                              int tag) const {
  static_assert(std::is_trivially_copyable_v<Value>);
  std::vector<std::int32_t> to;
  std::vector<Value> values;
  for (const auto& [position, value] : messages) {
    to.push_back(position);
    values.push_back(value);
  }
  const std::vector<std::byte> received =
      co_await deliver(to, reinterpret_cast<const std::byte*>(values.data()), sizeof(Value), tag);
  std::vector<Value> found(received.size() / sizeof(Value));
  if (!found.empty())
    std::memcpy(found.data(), received.data(), received.size());
  co_return found;
}

} // namespace thalweg::balancing
