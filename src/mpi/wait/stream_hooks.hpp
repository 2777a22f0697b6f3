#pragma once

// The libraries with streams that are in this process (thalweg/interposer.h): one, unless a program and its
// interpreter bring one each.

#include <atomic>

#include "thalweg/interposer.h"

namespace thalweg::mpi {

inline constinit std::atomic<int> attached_hooks{0};

inline bool has_stream_hooks() {
  return attached_hooks.load(std::memory_order_relaxed) > 0;
}

// What has no function to progress is there for the report only. There are no more than a few: others are
// left alone.
void attach_stream_hooks(const thalweg_stream_hooks& hooks);
void detach_stream_hooks(const thalweg_stream_hooks& hooks);

// Lets the streams of all libraries progress. Has anything moved?
bool call_stream_hooks();
// All libraries tell what their streams have done.
void ask_stream_hooks_for_reports();

} // namespace thalweg::mpi
