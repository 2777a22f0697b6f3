// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/entry/ending.hpp"

#include "base/of_process.hpp"
#include "mpi/choose/tuning.hpp"
#include "mpi/learn/learned.hpp"
#include "mpi/record/recording.hpp"
#include "mpi/state/gate.hpp"
#include "mpi/state/runtime.hpp"
#include "mpi/timeline/timeline.hpp"
#include "mpi/trace/tracing.hpp"
#include "mpi/wait/background.hpp"
#include "mpi/wait/progress_thread.hpp"

#include <exception>
#include <fmt/format.h>
#include <mutex>
#include <utility>

namespace thalweg::mpi {

namespace {

struct JobEnd {
  std::mutex mutex;
  bool has_begun = false;
};

void log_no_report(const std::exception& error) {
  log_line(fmt::format("no report: {}", error.what()));
}

} // namespace

std::optional<GatheredReport> finish() {
  const Inside inside;
  auto& ending = of_process<JobEnd>();
  const std::lock_guard lock(ending.mutex);
  if (ending.has_begun || !runtime.ready || !runtime.world.is_begun) {
    return std::nullopt;
  }
  ending.has_begun = true;
  stop_progress_thread();
  try {
    const LearningResults learned = runtime.learns ? gather_learned() : LearningResults{};
    if (runtime.world.rank == 0)
      save_learned(learned.picks, learned.nonblocking);
    ask_stream_hooks_for_reports();
    const std::string trace_line = keep_trace();
    timeline::keep();
    const KeptPattern pattern = keep_pattern();
    return gather_report({learned.document, pattern.document, pattern.line, trace_line});
  } catch (const std::exception& error) {
    log_no_report(error);
  }
  return std::nullopt;
}

void finish_report(GatheredReport report) {
  try {
    write_report(std::move(report));
  } catch (const std::exception& error) {
    log_no_report(error);
  }
}

void finish_unseen() {
  if (std::optional<GatheredReport> report = finish())
    finish_report(std::move(*report));
}

} // namespace thalweg::mpi

// Nothing static of the interposer is ever destroyed. Programs may call MPI until after their last static
// object has gone: MPI_Finalize stands in exit handlers and in destructors of C++ programs, and our report is
// written there. What the compiler registers for destruction at exit goes through this function, which
// forgets it. The system frees the memory.
extern "C" __attribute__((visibility("hidden"))) int __cxa_atexit(void (*)(void*), void*, void*);

int __cxa_atexit(void (*)(void*), void*, void*) {
  return 0;
}
