// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The state of an array after an entry method, or an element's serializer, has thrown. Programs include
// thalweg/objects.hpp.
//
// Calls are lost then, and results and sums that were on their way. Elements are not: those that travel still
// come, and after the failure all can work as before it.

#include "thalweg/objects.h"

#include <cstdint>
#include <exception>
#include <string>
#include <utility>

namespace thalweg::detail {

class array_failures {
public:
  /// `functions`: where the array's shape will stand.
  array_failures(thalweg_objects* objects, const thalweg_objects_array& functions)
      : objects_(objects), functions_(functions) {}

  /// An entry of this name runs from now on: static text, or as long as the entries.
  void runs(const char* entry) { running_ = entry; }
  /// An exception fails all ranks' finish(). `what`: the action; null: an entry runs. `number`: the
  /// element's, or one that none has.
  template <typename Work>
  void guarded(const char* what, std::uint32_t number, Work&& work) noexcept {
    try {
      work();
    } catch (const std::exception& thrown) {
      fail(what, number, thrown.what());
    } catch (...) {
      fail(what, number, "what is no std::exception");
    }
  }
  /// The result of `write`, or SIZE_MAX if it throws, and unsettled() gives the reason once.
  template <typename Write>
  std::size_t written(std::uint32_t number, Write&& write) noexcept {
    try {
      return write();
    } catch (const std::exception& thrown) {
      unwritten_ = thrown.what();
    } catch (...) {
      unwritten_ = "what is no std::exception";
    }
    unwritten_ = "element " + text_of(number) + " cannot be written: " + unwritten_;
    return SIZE_MAX;
  }
  /// Why elements cannot be written now, or null: the failure, or else `why`, which may be empty. Valid
  /// until the next call.
  const char* unsettled(std::string why = {}) {
    unsettled_ = unwritten_.empty() ? std::move(why) : std::exchange(unwritten_, {});
    return unsettled_.empty() ? nullptr : unsettled_.c_str();
  }
  /// An element's index: "[3, 4]".
  std::string text_of(std::uint32_t number) const {
    std::string text;
    for (int d = functions_.dimensions; d-- > 0;) {
      const auto side = static_cast<std::uint32_t>(functions_.shape[d]);
      text = (d == 0 ? "[" : ", ") + std::to_string(number % side) + text;
      number /= side;
    }
    return text + "]";
  }

private:
  [[gnu::cold]] void fail(const char* what, std::uint32_t number, const char* why) const {
    const std::string who = number < THALWEG_OBJECTS_ALL ? " of element " + text_of(number) : "";
    thalweg_objects_fail(objects_, ((what == nullptr ? running_ : what) + who + " threw: " + why).c_str());
  }

  thalweg_objects* objects_;
  const thalweg_objects_array& functions_;
  const char* running_ = "";
  std::string unsettled_; ///< that was told
  std::string unwritten_; ///< why an element was not written
};

} // namespace thalweg::detail
