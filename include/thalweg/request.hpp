// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Operations that were started and go on, of whatever kind: thalweg/request.h for C++.

#include "thalweg/error.hpp"
#include "thalweg/request.h"

#include <span>
#include <utility>

namespace thalweg {

/// An operation under way. One that was default-made, moved from or waited for counts as finished.
class request {
public:
  request() = default;
  /// Takes over an operation that a C function has started.
  explicit request(thalweg_request* started) : request_(started) {}
  request(request&& other) noexcept : request_(std::exchange(other.request_, nullptr)) {}
  request& operator=(request&& other) noexcept {
    std::swap(request_, other.request_);
    return *this;
  }
  /// Waits, as buffers belong to the operation until it ends. A failure is lost here: wait() reports it.
  ~request() {
    if (thalweg_request_wait(&request_) != thalweg_success)
      thalweg_request_free(&request_);
  }

  /// Has it finished? Makes progress, does not wait.
  bool test() {
    int finished = 0;
    detail::check(thalweg_request_test(&request_, &finished));
    return finished != 0;
  }
  /// Waits until it has finished.
  void wait() { detail::check(thalweg_request_wait(&request_)); }

private:
  thalweg_request* request_ = nullptr;
};

/// Waits for all of them, one after the other. The first failure is thrown at once.
inline void wait_all(std::span<request> requests) {
  for (request& one : requests)
    one.wait();
}
template <typename... Requests>
void wait_all(request& first, Requests&... others) {
  first.wait();
  (others.wait(), ...);
}

} // namespace thalweg
