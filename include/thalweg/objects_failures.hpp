// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The state of an array after an entry method, or an element's serializer, has thrown. Programs include
// thalweg/objects.hpp.
//
// Calls are lost then, and results and sums that were on their way. Elements are not: those that travel still
// come, and after the failure all can work as before it.

#include "thalweg/objects_array_base.hpp"

#include <utility>

namespace thalweg::detail {

inline std::string array_base::text_of(std::uint32_t number) const {
  std::string text;
  for (int d = functions_.dimensions; d-- > 0;) {
    const auto side = static_cast<std::uint32_t>(functions_.shape[d]);
    text = (d == 0 ? "[" : ", ") + std::to_string(number % side) + text;
    number /= side;
  }
  return text + "]";
}

inline void array_base::fail(const char* what, std::uint32_t number, const char* why) const {
  const std::string who = number < THALWEG_OBJECTS_ALL ? " of element " + text_of(number) : "";
  thalweg_objects_fail(objects_, ((what == nullptr ? running_ : what) + who + " threw: " + why).c_str());
}

inline const char* array_base::unsettled() {
  unsettled_ = reductions_.empty() ? "" : "elements have not all taken part in a reduction";
  places_.each_record([&](const element_record& one) {
    if (one.tasks != 0)
      unsettled_ = "a task of element " + text_of(one.number) + " waits";
  });
  if (!tasks_.empty())
    unsettled_ = "element " + text_of(tasks_.front()->element->number) + " waits in " + tasks_.front()->name;
  if (!unwritten_.empty())
    unsettled_ = std::exchange(unwritten_, {});
  return unsettled_.empty() ? nullptr : unsettled_.c_str();
}

template <typename Write>
std::size_t array_base::written(std::uint32_t number, Write&& write) noexcept {
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

inline void array_base::save(const thalweg_message& message) noexcept {
  const entry* const what = (*entries_)[message.entry & ~THALWEG_OBJECTS_URGENT];
  if (what == arrive_entry_ || what == moved_entry_ || what == where_entry_)
    run(message);
}

inline void array_base::begin_anew() {
  forget_moves();
  for (std::size_t place = tasks_.size(); place-- > 0;) // the last one takes the place of one that is removed
    if (!tasks_[place]->is_in_inbox)
      ended(remove(task::handle::from_promise(*tasks_[place])));
  reductions_.clear();
  places_.each_record([](element_record& one) { one.reductions = one.brackets = 0; });
}

} // namespace thalweg::detail
