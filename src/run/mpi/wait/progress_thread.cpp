// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/wait/progress_thread.hpp"

#include "base/of_process.hpp"
#include "mpi/state/gate.hpp"
#include "mpi/state/runtime.hpp"
#include "mpi/wait/polling.hpp"
#include "mpi/wait/wait_mode.hpp"

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <mutex>
#include <semaphore>
#include <system_error>
#include <thread>
#include <utility>

namespace thalweg::mpi {

namespace {

enum class Core { unknown, own, shared };

struct ProgressThread {
  std::counting_semaphore<> work{0};
  std::atomic<bool> is_stopping{false};
  std::mutex starting;
  std::thread thread;
  std::atomic<Core> core{Core::unknown}; // until it has begun
};

// A rank's own core and another one, which no rank needs.
bool has_core_of_its_own() {
  const job::Placement& placement = runtime.world.placement;
  const std::optional<cpu_set_t> allowed = wait::System::allowed_cores();
  return !placement.oversubscribed && allowed && CPU_COUNT(&*allowed) > 1 &&
         2 * placement.max_on_node <= placement.cores;
}

// Between looks in vain. On cores that ranks compute on, a look costs two switches of the core, so there are
// few; and ever fewer the longer nothing comes.
wait::Settings pauses(bool has_core) {
  return has_core ? wait::Settings{.poll_us = 20, .yield_us = 100, .sleep_us_min = 20, .sleep_us_max = 200}
                  : wait::Settings{.poll_us = 0, .yield_us = 0, .sleep_us_min = 100, .sleep_us_max = 1000};
}

bool has_work(const ProgressThread& self) {
  return !self.is_stopping.load() && process.background.executions_of_thread.load() > 0;
}

void advance_all(const ProgressThread& self, const wait::Settings& settings) {
  wait::Waiter waiter(settings);
  std::uint32_t seen = process.background.advances_in_calls.load(std::memory_order_relaxed);
  while (has_work(self)) {
    const std::uint32_t now = process.background.advances_in_calls.load(std::memory_order_relaxed);
    const bool are_others_at_it = std::exchange(seen, now) != now;
    if (are_others_at_it || !progress_executions(AdvancedFrom::progress_thread))
      waiter.pause();
    else
      waiter.reset();
  }
}

void run(ProgressThread& self) {
  const Inside inside;
  const bool has_core = has_core_of_its_own();
  self.core = has_core ? Core::own : Core::shared;
  process.background.thread_shares_core.store(!has_core, std::memory_order_relaxed);
  const wait::Settings settings = pauses(has_core);
  while (!self.is_stopping.load()) {
    self.work.acquire();
    advance_all(self, settings);
  }
}

// Signals are the program's threads'. False, for good, where the system gives no more threads: operations
// then go on in the program's calls.
bool start(ProgressThread& self) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    self.thread = std::thread([&self] { run(self); });
  } catch (const std::system_error& error) {
    self.is_stopping = true;
    log_line(fmt::format("no progress thread: {}; collectives progress in MPI calls", error.what()));
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return self.thread.joinable();
}

bool is_set(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr && std::strcmp(value, "1") == 0;
}

// What launchers say of all ranks and of those on this host. Where none says anything, ranks are taken to be
// on one host.
bool are_ranks_on_several_hosts() {
  struct Counts {
    const char* here;
    const char* all;
  };
  for (const auto& [here, all] : {Counts{"OMPI_COMM_WORLD_LOCAL_SIZE", "OMPI_COMM_WORLD_SIZE"},
                                  Counts{"MPI_LOCALNRANKS", "PMI_SIZE"}}) {
    const char* const ranks_here = std::getenv(here);
    const char* const ranks = std::getenv(all);
    if (ranks_here != nullptr && ranks != nullptr)
      return std::strcmp(ranks_here, ranks) != 0;
  }
  const char* const hosts = std::getenv("SLURM_STEP_NUM_NODES");
  return hosts != nullptr && std::strcmp(hosts, "1") != 0;
}

bool names_thread(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr && std::strstr(value, "+thread") != nullptr;
}

} // namespace

int thread_level_to_ask_for(int wanted) {
  const bool is_chosen = is_set("THALWEG_THREADS_ON_HOSTS") || names_thread("THALWEG_USE");
  return is_set("THALWEG_PROGRESS_THREAD") || (is_chosen && are_ranks_on_several_hosts())
             ? MPI_THREAD_MULTIPLE
             : wanted;
}

bool thread_may_call_library() {
  return runtime.wait.has_threads;
}

const char* name_without_thread(const char* text) {
  static std::once_flag once;
  std::call_once(once, [text] {
    if (runtime.settings.verbose && runtime.world.rank == 0)
      log_line(
          fmt::format("{} runs without its thread, which may not call the MPI library; ask MPI_Init_thread "
                      "for MPI_THREAD_MULTIPLE, or give --progress-thread",
                      text));
  });
  return kept_text(fmt::format("{} without its thread", text));
}

const char* progress_thread_limit() {
  if (!runtime.settings.progress_thread || thread_may_call_library())
    return "";
  return "the MPI library does not give MPI_THREAD_MULTIPLE: the progress thread advances only collectives "
         "of "
         "one node, on plain data";
}

const char* progress_thread_text() {
  switch (of_process<ProgressThread>().core) {
  case Core::own:
    return "; a thread of each rank advances collectives beside the program, on cores that no rank needs";
  case Core::shared:
    return "; a thread of each rank advances collectives beside the program, now and then on the ranks' "
           "cores";
  case Core::unknown:
    break;
  }
  return "";
}

void wake_progress_thread() {
  auto& self = of_process<ProgressThread>();
  {
    const std::lock_guard lock(self.starting);
    if (self.is_stopping.load())
      return;
    if (!self.thread.joinable() && !start(self))
      return;
  }
  self.work.release();
}

void stop_progress_thread() {
  auto& self = of_process<ProgressThread>();
  const std::lock_guard lock(self.starting);
  self.is_stopping = true;
  if (!self.thread.joinable())
    return;
  self.work.release();
  self.thread.join();
}

} // namespace thalweg::mpi
