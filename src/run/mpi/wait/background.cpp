// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/wait/background.hpp"

#include "base/assertion.hpp"
#include "mpi/observe/ticks.hpp"
#include "mpi/state/gate.hpp"
#include "mpi/state/runtime.hpp"

#include <array>
#include <atomic>

namespace thalweg::mpi {

namespace {

constinit std::array<std::atomic<const thalweg_stream_hooks*>, 4> libraries{};

// Libraries of other versions may have fewer functions.
template <typename Member>
Member function_of(const thalweg_stream_hooks& hooks, Member thalweg_stream_hooks::*member) {
  const auto* const end = reinterpret_cast<const char*>(&(hooks.*member) + 1);
  const auto bytes = static_cast<std::size_t>(end - reinterpret_cast<const char*>(&hooks));
  return bytes <= hooks.size ? hooks.*member : nullptr;
}

template <typename Use>
void for_each_library(Use use) {
  for (const auto& library : libraries) {
    if (const thalweg_stream_hooks* hooks = library.load(std::memory_order_acquire)) {
      use(*hooks);
    }
  }
}

bool call_hooks() {
  bool moved = false;
  for_each_library([&](const thalweg_stream_hooks& hooks) {
    const auto progress = function_of(hooks, &thalweg_stream_hooks::progress);
    moved |= progress != nullptr && progress() != 0;
  });
  return moved;
}

// A look at streams between nodes takes as long as a short call, so that programs which make many calls would
// feel one in each.
bool is_due() {
  const std::uint64_t now = observe::ticks();
  if (now - this_thread.looked_at_streams_ticks < observe::lengthy_ticks()) {
    return false;
  }
  this_thread.looked_at_streams_ticks = now;
  return true;
}

// Streams call MPI themselves, which comes here as well.
bool is_progressing() {
  for (const Frame* frame = this_thread.innermost_frame; frame != nullptr; frame = frame->outer()) {
    if (!frame->is_inside()) {
      return true;
    }
  }
  return false;
}

// What handlers call is the program's, as it is when they run in calls of streams.
bool progress_all(bool waits) {
  if (process.background.libraries_with_streams.load(std::memory_order_relaxed) == 0 || is_progressing() ||
      !(waits || is_due())) {
    return false;
  }
  const Outside outside;
  return call_hooks();
}

bool replace(const thalweg_stream_hooks* from, const thalweg_stream_hooks* to) {
  for (auto& library : libraries) {
    const thalweg_stream_hooks* expected = from;
    if (library.compare_exchange_strong(expected, to)) {
      return true;
    }
  }
  return false;
}

void count(int more) {
  if (!runtime.settings.stream_progress) {
    return; // they are there for the report alone
  }
  process.background.progress_streams.store(progress_all, std::memory_order_relaxed);
  THALWEG_ASSERT(light,
                 process.background.libraries_with_streams.load(std::memory_order_relaxed) + more >= 0);
  process.background.libraries_with_streams.fetch_add(more, std::memory_order_relaxed);
  background_begun(more);
}

} // namespace

void attach_stream_hooks(const thalweg_stream_hooks& hooks) {
  if (replace(nullptr, &hooks)) {
    count(1);
  }
}

void detach_stream_hooks(const thalweg_stream_hooks& hooks) {
  if (replace(&hooks, nullptr)) {
    count(-1);
  }
}

void ask_stream_hooks_for_reports() {
  for_each_library([](const thalweg_stream_hooks& hooks) {
    if (const auto report = function_of(hooks, &thalweg_stream_hooks::report)) {
      report();
    }
  });
}

} // namespace thalweg::mpi
