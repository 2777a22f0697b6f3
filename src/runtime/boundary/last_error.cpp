// SPDX-License-Identifier: BSD-3-Clause
#include "boundary/last_error.hpp"

#include "base/per_thread.hpp"

#include <cstddef>
#include <cstdio>
#include <new>

namespace {

/// Texts of fixed size: an error can be kept in destructors after main().
struct Kept {
  thalweg_error error{thalweg_success, -1, "", "", ""};
  char call[64] = "";
  char remedy[512] = "";
  char message[2048] = "";
};

template <std::size_t size>
const char* copy(char (&place)[size], const char* text) {
  std::snprintf(place, size, "%s", text);
  return place;
}

/// The thread's own; where memory has run out before its first error, one that all such threads share.
Kept& kept_to_write() {
  static Kept of_last_resort;
  try {
    return thalweg::PerThread<Kept>::own();
  } catch (const std::bad_alloc&) {
    return of_last_resort;
  }
}

} // namespace

extern "C" const thalweg_error* thalweg_keep_error(const thalweg_error* failed) {
  if (failed == nullptr)
    return &thalweg::PerThread<Kept>::here().error;
  Kept& kept = kept_to_write();
  kept.error = {failed->status, failed->rank, copy(kept.call, failed->call),
                copy(kept.remedy, failed->remedy), copy(kept.message, failed->message)};
  return &kept.error;
}
