// SPDX-License-Identifier: BSD-3-Clause
#include "team/attention.hpp"

#include "base/assertion.hpp"
#include "base/of_process.hpp"
#include "team/operations.hpp"
#include "thalweg/interposer.h"
#include "wait/waiter.hpp"

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <dlfcn.h>
#include <mpi.h>
#include <mutex>
#include <string_view>
#include <system_error>
#include <thread>

namespace thalweg::teams {

namespace {

struct Attention {
  std::mutex mutex;
  int teams = 0;
  bool has_interposer = false;
  bool has_ended = false; ///< MPI has, or is about to
  std::atomic<bool> is_stopping{false};
  std::thread thread;
};

int progress_in_mpi_call() {
  return !InTeams::is_this_thread() && visit_teams() == wait::Visit::moved ? 1 : 0;
}

const thalweg_stream_hooks hooks{sizeof hooks, progress_in_mpi_call, nullptr};

/// Tells the interposer. Is there one?
bool call_interposer(const char* function) {
  using Function = decltype(&thalweg_attach_streams);
  const auto found = reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, function));
  if (found != nullptr)
    found(&hooks);
  return found != nullptr;
}

// As the interposer's own thread does: often on a core that no rank needs, else now and then, and ever less
// often the longer nothing comes.
wait::Settings pauses(const job::Placement& placement) {
  const bool has_core = !placement.oversubscribed && 2 * placement.max_on_node <= placement.cores;
  return has_core ? wait::Settings{.poll_us = 20, .yield_us = 100, .sleep_us_min = 20, .sleep_us_max = 200}
                  : wait::Settings{.poll_us = 0, .yield_us = 0, .sleep_us_min = 100, .sleep_us_max = 1000};
}

void run(const Attention& self, const wait::Settings& settings) {
  wait::Waiter waiter(settings);
  while (!self.is_stopping.load())
    if (visit_teams() == wait::Visit::moved)
      waiter.reset();
    else
      waiter.pause();
}

bool is_wanted() {
  const char* const value = std::getenv("THALWEG_PROGRESS_THREAD");
  int level = MPI_THREAD_SINGLE;
  return value != nullptr && std::string_view(value) == "1" && PMPI_Query_thread(&level) == MPI_SUCCESS &&
         level == MPI_THREAD_MULTIPLE;
}

void stop(Attention& self) {
  if (!self.thread.joinable())
    return;
  self.is_stopping = true;
  self.thread.join();
  self.is_stopping = false;
}

// MPI calls it at the beginning of its end.
int stop_for_good(MPI_Comm, int, void*, void*) {
  auto& self = of_process<Attention>();
  const std::scoped_lock lock(self.mutex);
  self.has_ended = true;
  stop(self);
  return MPI_SUCCESS;
}

bool will_stop_when_mpi_ends() {
  static const bool will_stop = [] {
    int key = MPI_KEYVAL_INVALID;
    if (PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, stop_for_good, &key, nullptr) != MPI_SUCCESS)
      return false;
    const bool is_set = PMPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr) == MPI_SUCCESS;
    PMPI_Comm_free_keyval(&key);
    return is_set;
  }();
  return will_stop;
}

// Signals are the program's threads'. Where the system gives no more threads, puts land in the program's
// calls.
void start(Attention& self, const wait::Settings& settings) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    self.thread = std::thread([&self, settings] { run(self, settings); });
  } catch (const std::system_error&) {
    THALWEG_ASSERT(light, !self.thread.joinable());
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

} // namespace

bool begin_attention(const job::Placement& placement) {
  auto& self = of_process<Attention>();
  const std::scoped_lock lock(self.mutex);
  if (++self.teams == 1) {
    self.has_interposer = call_interposer("thalweg_attach_streams");
    if (!self.has_ended && is_wanted() && will_stop_when_mpi_ends())
      start(self, pauses(placement));
  }
  return self.has_interposer || self.thread.joinable();
}

void end_attention() {
  auto& self = of_process<Attention>();
  const std::scoped_lock lock(self.mutex);
  THALWEG_ASSERT(light, self.teams > 0);
  if (--self.teams > 0)
    return;
  call_interposer("thalweg_detach_streams");
  stop(self);
}

} // namespace thalweg::teams
