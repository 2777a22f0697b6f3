#include "mpi/wait/stream_hooks.hpp"

#include <array>

#include "mpi/state/runtime.hpp"
#include "mpi/wait/progress.hpp"

namespace thalweg::mpi {

namespace {

constinit std::array<std::atomic<const thalweg_stream_hooks*>, 4> libraries{};

// Libraries of other versions may have fewer functions.
template <typename Member>
Member function_of(const thalweg_stream_hooks& hooks, Member thalweg_stream_hooks::*member) {
  const auto end = reinterpret_cast<const char*>(&(hooks.*member) + 1) - reinterpret_cast<const char*>(&hooks);
  return static_cast<std::size_t>(end) <= hooks.size ? hooks.*member : nullptr;
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

template <typename Use>
void for_each_library(Use use) {
  for (const auto& library : libraries) {
    if (const thalweg_stream_hooks* hooks = library.load(std::memory_order_acquire)) {
      use(*hooks);
    }
  }
}

void count(int more) {
  attached_hooks.fetch_add(more, std::memory_order_relaxed);
  background_work.fetch_add(more, std::memory_order_release);
}

} // namespace

void attach_stream_hooks(const thalweg_stream_hooks& hooks) {
  if (replace(nullptr, &hooks) && runtime.settings.stream_progress) {
    count(1);
  }
}

void detach_stream_hooks(const thalweg_stream_hooks& hooks) {
  if (replace(&hooks, nullptr) && runtime.settings.stream_progress) {
    count(-1);
  }
}

bool call_stream_hooks() {
  bool moved = false;
  for_each_library([&](const thalweg_stream_hooks& hooks) {
    const auto progress = function_of(hooks, &thalweg_stream_hooks::progress);
    moved |= progress != nullptr && progress() != 0;
  });
  return moved;
}

void ask_stream_hooks_for_reports() {
  for_each_library([](const thalweg_stream_hooks& hooks) {
    if (const auto report = function_of(hooks, &thalweg_stream_hooks::report)) {
      report();
    }
  });
}

} // namespace thalweg::mpi
