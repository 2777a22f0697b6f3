// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A table of keys and counts, spread over the ranks: open addressing with linear probing on the rank of a
// key. A rank works on a batch of keys at a time, a step of all of them before the next step of any.

#include "common/random.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mpi.h>
#include <span>
#include <vector>

namespace thalweg::examples::hash_table {

using Key = std::uint64_t; ///< not 0, which is an empty slot
using Count = std::uint64_t;

struct Slot {
  Key key = 0;
  Count count = 0;
};

/// Where a slot is.
struct Place {
  int rank = 0;
  std::size_t slot = 0;
};

/// The slots of all ranks, as others' memory. What is started has happened after finish().
class Slots {
public:
  virtual ~Slots() = default;
  /// Collective. All slots of all ranks are as they were last written.
  virtual void settle() = 0;
  /// This rank's, between two calls of settle().
  virtual std::span<Slot const> own() const = 0;
  /// Makes the key that of an empty slot; `before` becomes the slot's key until then.
  virtual void claim(Place at, Key const& key, Key& before) = 0;
  virtual void count_one(Place at) = 0;
  virtual void read(Place at, Slot& found) = 0;
  virtual void finish() = 0;
};

/// On symmetric memory of a team, and on a window of MPI.
std::unique_ptr<Slots> slots_of_team(MPI_Comm communicator, std::size_t slots);
std::unique_ptr<Slots> slots_of_window(MPI_Comm communicator, std::size_t slots);

class Table {
public:
  Table(Slots& slots, int ranks, std::size_t slots_of_rank, std::size_t batch)
      : slots_(slots), ranks_(static_cast<std::uint64_t>(ranks)), size_(slots_of_rank), batch_(batch) {}

  /// Counts each key once more.
  void count(std::span<Key const> keys);
  /// How often each key has been counted.
  void look_up(std::span<Key const> keys, std::span<Count> counts);

private:
  /// A key of the batch, and the slots it has been refused by.
  struct Search {
    std::size_t index = 0;
    Key key = 0;
    std::size_t probes = 0;
  };

  template <typename Start, typename Ends>
  void search(std::span<Key const> keys, Start const& start, Ends const& ends);
  Place place_of(Search const& one) const;

  Slots& slots_;
  std::uint64_t ranks_;
  std::size_t size_;
  std::size_t batch_;
};

} // namespace thalweg::examples::hash_table
