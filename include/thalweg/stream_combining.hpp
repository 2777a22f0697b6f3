// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Items for the same key and rank become one before they travel.

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

namespace thalweg {

/// In a stream's list of items: those of equal keys for the same rank are merged while they wait in a cache
/// of so many places.
///
///   struct Add {
///     static std::uint64_t key(const Count& one) { return one.bar; }
///     static void merge(Count& kept, const Count& more) { kept.number += more.number; }
///   };
///   thalweg::stream<thalweg::combined<Count, Add>> counts(..);
///
/// An entry that another key displaces travels on. All entries do when the stream is flushed, after a period,
/// when a handler's batch ends, and at the end of the phase.
template <typename Item, typename Rule, std::size_t places = 1024>
struct combined {
  static_assert(places > 1 && std::has_single_bit(places), "a cache has 2, 4, 8 or so places");
  static_assert(std::default_initializable<Item> && std::copyable<Item>);
};

namespace detail {

template <typename Item, typename Rule, std::size_t places>
class combining_cache {
public:
  combining_cache() : places_(std::make_unique<place[]>(places)) {}

  /// Calls put(rank, item) for a displaced item, which may run handlers that come back to here. Returns
  /// whether to look for waiting items now: merged items never fill a buffer.
  template <typename Put>
  bool add(std::uint32_t rank, const Item& item, Put put) {
    constexpr std::uint32_t adds_a_look = 1024;
    const bool is_time = ++adds_ % adds_a_look == 0;
    const auto key = Rule::key(item);
    place& kept = places_[index_of(rank, key)];
    if (kept.rank == rank && Rule::key(kept.item) == key) {
      Rule::merge(kept.item, item);
      return is_time;
    }
    // Member by member: a copy of a value that was just assembled waits until its parts are stored.
    const std::uint32_t evicted_rank = kept.rank;
    const Item evicted = kept.item;
    kept.rank = rank;
    kept.item = item;
    if (evicted_rank == no_rank)
      ++used_;
    else
      put(evicted_rank, evicted);
    return is_time;
  }

  template <typename Put>
  void release(Put put) {
    for (std::size_t at = 0; at < places && used_ != 0; ++at)
      if (places_[at].rank != no_rank) {
        const place evicted = std::exchange(places_[at], {});
        --used_;
        put(evicted.rank, evicted.item);
      }
  }

  void discard() {
    release([](std::uint32_t, const Item&) {});
  }

private:
  static constexpr std::uint32_t no_rank = ~0U;
  struct place {
    std::uint32_t rank = no_rank;
    Item item{};
  };

  template <typename Key>
  static std::size_t index_of(std::uint32_t rank, const Key& key) {
    std::uint64_t bits = 0;
    if constexpr (std::integral<Key>)
      bits = static_cast<std::uint64_t>(key);
    else
      bits = std::hash<Key>()(key);
    // Fibonacci hashing (Knuth 1973, section 6.4), which spreads neighboring keys.
    constexpr std::uint64_t golden = 0x9e37'79b9'7f4a'7c15;
    return (bits * golden + rank * (golden << 16U | 1U)) >> (64 - std::countr_zero(places));
  }

  std::unique_ptr<place[]> places_;
  std::size_t used_ = 0;
  std::uint32_t adds_ = 0;
};

} // namespace detail

} // namespace thalweg
