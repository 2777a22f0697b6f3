// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/wait/progress_thread.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <semaphore>
#include <thread>

#include "mpi/state/gate.hpp"
#include "mpi/state/runtime.hpp"
#include "mpi/wait/progress.hpp"
#include "mpi/wait/wait_mode.hpp"

namespace thalweg::mpi {

namespace {

struct Helper {
  std::counting_semaphore<> work{0};
  std::atomic<bool> stopping{false};
  std::thread thread;
};

Helper* helper = nullptr; // made once at start-up, gone before the library is

void help(Helper& self) {
  const Inside inside;
  while (!self.stopping.load()) {
    self.work.acquire();
    wait::Waiter waiter = yielding_waiter();
    while (!self.stopping.load() && process.background.executions.load() > 0) {
      progress_executions();
      waiter.pause();
    }
  }
}

} // namespace

int thread_level_to_ask_for(int wanted) {
  const char* value = std::getenv("THALWEG_PROGRESS_THREAD");
  const bool needed = value != nullptr && std::strcmp(value, "1") == 0;
  return needed ? MPI_THREAD_MULTIPLE : wanted;
}

void start_progress_thread() {
  if (!runtime.settings.progress_thread || helper != nullptr)
    return;
  int provided = MPI_THREAD_SINGLE;
  native.Query_thread(&provided);
  if (provided != MPI_THREAD_MULTIPLE) {
    if (runtime.world.rank == 0)
      log_line(
          "no progress thread: the MPI library does not give MPI_THREAD_MULTIPLE; collectives progress in "
          "MPI calls only");
    return;
  }
  helper = new Helper;
  helper->thread = std::thread([] { help(*helper); });
}

void stop_progress_thread() {
  if (helper == nullptr)
    return;
  helper->stopping = true;
  helper->work.release();
  helper->thread.join();
  delete helper;
  helper = nullptr;
}

void wake_progress_thread() {
  if (helper != nullptr)
    helper->work.release();
}

} // namespace thalweg::mpi
