// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The arrays of a communicator: how messages get to their elements. And which of these call each other, as
// far as calls are sampled.

#include "control/control.hpp"
#include "thalweg/objects.h"

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace thalweg::objects {

class Arrays {
public:
  using Table = std::vector<std::optional<thalweg_objects_array>>;

  /// Collective: gives the array's number, the same on all ranks. Throws Error on all ranks where signatures
  /// differ.
  std::uint16_t add(const thalweg_objects_array& array, std::uint64_t signature, control::Control& ranks);
  /// Its messages are dropped from now on.
  void remove(std::uint16_t number) { all_.at(number).reset(); }
  /// By number; empty where one was removed.
  const Table& all() const { return all_; }

  /// The message's array, or null.
  const thalweg_objects_array* of(const thalweg_message& message) const {
    return message.array < all_.size() && all_[message.array] ? &*all_[message.array] : nullptr;
  }
  /// A message has failed, and none is left.
  void begin_anew() const;

private:
  Table all_;
};

/// What an element has sent to another, as far as calls were recorded.
struct Exchanged {
  std::uint16_t from_array = 0;
  std::uint16_t to_array = 0;
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  double bytes = 0;
};

/// A sample of calls of elements by elements: one of so many, which stands for them all.
class CallSample {
public:
  /// `view`: who calls, and how many calls there are to a sample.
  explicit CallSample(thalweg_objects_view& view) : view_(view) {}

  /// From now on calls are recorded, some of them.
  void begin();
  /// The element that runs calls this one.
  void add(std::uint16_t array, std::uint32_t element, std::size_t bytes);
  /// What was recorded, which begins anew.
  std::vector<Exchanged> take();

private:
  thalweg_objects_view& view_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, double> bytes_; // by both elements
};

} // namespace thalweg::objects
