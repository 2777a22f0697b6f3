#include "boundary/last_error.hpp"

#include <cstddef>
#include <cstdio>

namespace {

/// Texts of fixed size: an error can be kept when memory has run out, and in destructors after main().
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

} // namespace

extern "C" const thalweg_error* thalweg_keep_error(const thalweg_error* failed) {
  static thread_local Kept kept;
  if (failed != nullptr)
    kept.error = {failed->status, failed->rank, copy(kept.call, failed->call),
                  copy(kept.remedy, failed->remedy), copy(kept.message, failed->message)};
  return &kept.error;
}
