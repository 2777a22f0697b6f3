// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What the last fences have decided and why, in lines for people.

#include <cstdint>
#include <deque>
#include <string>

namespace thalweg::objects {

class FenceNotes {
public:
  void begin_fence() { ++fences_; }
  /// Of the fence that goes on.
  void add(const std::string& text) {
    constexpr std::size_t kept = 16;
    lines_.push_back("fence " + std::to_string(fences_) + ": " + text + "\n");
    if (lines_.size() > kept)
      lines_.pop_front();
  }
  std::string text() const {
    std::string all;
    for (const std::string& one : lines_)
      all += one;
    return all;
  }

private:
  std::uint64_t fences_ = 0;
  std::deque<std::string> lines_;
};

} // namespace thalweg::objects
