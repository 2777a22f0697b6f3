// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The edge of the C interfaces: exceptions end here, as a status and as the thread's last error, of which
// there is one for all of Thalweg's libraries in a process.

#include "base/error.hpp"
#include "thalweg/status.h"

#include <string_view>
#include <utility>

/// Keeps a copy of a failure, or nothing where `failed` is null. Gives what is kept. Every library exports
/// it, and all reach it through the dynamic linker: whoever asks is told what any of them kept.
extern "C" THALWEG_API const thalweg_error* thalweg_keep_error(const thalweg_error* failed);

namespace thalweg::boundary {

/// What messages begin with.
struct Caller {
  std::string_view call;
  int rank = -1; ///< -1: no ranks are concerned
  int ranks = 0;
};

/// Keeps the exception that is being handled, and gives its status.
thalweg_status keep_exception(const Caller& caller) noexcept;

/// Does the work of a C function.
template <typename Work>
thalweg_status guarded(const Caller& caller, Work&& work) noexcept {
  try {
    std::forward<Work>(work)();
    return thalweg_success;
  } catch (...) {
    return keep_exception(caller);
  }
}

/// Throws Error for a null pointer where an argument called `name` is needed.
void must_be_given(const void* argument, std::string_view name);

} // namespace thalweg::boundary
