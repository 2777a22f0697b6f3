// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/wait/library_progress.hpp"

#include "mpi/abi/families/family.hpp"
#include "mpi/abi/looks.hpp"
#include "mpi/abi/native.hpp"
#include "mpi/observe/ticks.hpp"
#include "mpi/state/gate.hpp"
#include "mpi/state/process_state.hpp"
#include "mpi/wait/polling.hpp"
#include "mpi/wait/wait_mode.hpp"
#include "wait/foreign_load.hpp"

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <dlfcn.h>
#include <initializer_list>
#include <sched.h>
#include <utility>

namespace thalweg::mpi {

namespace {

void note(std::atomic<bool>& seen) {
  if (!seen.load(std::memory_order_relaxed)) [[unlikely]] {
    seen.store(true, std::memory_order_relaxed);
  }
}

// A library may hold a lock while it progresses, so none sleeps where several threads wait.
bool waits_alone() {
  if (!this_thread.is_counted_as_waiting) {
    this_thread.is_counted_as_waiting = true;
    process.progress.waiting_threads.fetch_add(1, std::memory_order_relaxed);
  }
  return process.progress.waiting_threads.load(std::memory_order_relaxed) == 1;
}

// Calls that have no entry of ours look like one long wait. Sleeps there would add up where messages are not
// seen.
bool may_sleep() {
  return (process.progress.sees_messages.load(std::memory_order_relaxed) ||
          this_thread.innermost_frame != nullptr) &&
         waits_alone();
}

// What a thread's looks have found in the wait that it is in.
class ProgressWait {
public:
  void looked(bool in_vain) {
    constexpr int patience = 4; // looks are cheaper than yields, and ranks on other cores send meanwhile
    if (!in_vain || begun_ != looks_begun) {
      begun_ = looks_begun;
      in_vain_ = 0;
      waiter_.reset();
    } else if (++in_vain_ % patience == 0) {
      pause();
    }
  }

private:
  void pause() {
    if (may_sleep()) {
      waiter_.pause();
    } else {
      wait::System system;
      wait::yield_or_move(system, wait::thread_yield_history(), system.now_ns(),
                          waiting_settings().long_yield_us);
    }
  }

  wait::Waiter waiter_ = yielding_waiter();
  std::uint32_t begun_ = 0;
  int in_vain_ = 0;
};

// Yields that take long, and what is done about it where that is not due to the ranks alone.
class YieldsUnderLoad {
public:
  /// Has a sleep taken the place of a yield?
  bool slept(const wait::YieldHistory& history) {
    const std::uint64_t now_ns = wait::System::now_ns();
    if (!foreign_load_.is_there(now_ns) || !history.prefers_sleep(now_ns)) {
      return false;
    }
    if (begun_ != looks_begun) {
      begun_ = looks_begun;
      begin_ns_ = now_ns;
    }
    const int errors = errno;
    wait::System::sleep_us(wait::sleep_us_after(waiting_settings(), (now_ns - begin_ns_) / 1000));
    errno = errors; // a signal may have ended it
    return true;
  }

  void yielded(const wait::YieldHistory& history, std::uint64_t after_ns) {
    if (history.prefers_sleep(after_ns))
      foreign_load_.seen(after_ns, wait::runnable_threads(),
                         wait::ranks_here.load(std::memory_order_relaxed));
  }

  bool may_sleep() const { return foreign_load_.has_been_there(); }

private:
  wait::ForeignLoad foreign_load_;
  std::uint64_t begin_ns_ = 0;
  std::uint32_t begun_ = 0;
};

struct ThreadWaits {
  ProgressWait in_progress;
  YieldsUnderLoad under_load;
};

ThreadWaits& thread_waits() {
  static thread_local ThreadWaits waits;
  return waits;
}

// Ranks with a core each look by the million, and what is added to a look holds up a message that comes
// meanwhile.
bool has_work_in_progress() {
  return runtime.wait.yields_in_progress || process.background.executions.load(std::memory_order_relaxed) > 0;
}

// An operation of ours that looks at its messages comes here as well, and is not to wait. Where progress is
// made inside of progress, the library may be in the midst of something.
void looked(bool in_vain, bool is_within_progress) {
  if (this_thread.is_advancing) {
    return;
  }
  if (runtime.wait.executes_in_progress && !is_within_progress) {
    progress_executions(AdvancedFrom::in_progress);
  }
  if (runtime.wait.yields_in_progress) {
    thread_waits().in_progress.looked(in_vain);
  }
}

// The library's own; `files` may have it where the program has loaded the library for itself alone.
template <typename Progress>
Progress find_progress(const char* name, std::initializer_list<const char*> files) {
  void* address = dlsym(RTLD_NEXT, name);
  for (const char* const file : files) {
    void* const library = address == nullptr ? dlopen(file, RTLD_NOLOAD | RTLD_LAZY) : nullptr;
    if (library != nullptr) {
      address = dlsym(library, name);
    }
  }
  return reinterpret_cast<Progress>(address);
}

} // namespace

#if defined(THALWEG_FAMILY_OPENMPI)

bool progress_comes_here() {
  return process.progress.came_here.load(std::memory_order_relaxed) &&
         library_symbol("opal_progress_yield_when_idle") != nullptr;
}

// Open MPI says that it found nothing by a call of sched_yield, if it is to yield.
void yield_in_progress() {
  runtime.wait.yields_in_progress = true;
  note(process.progress.sees_messages);
  *static_cast<bool*>(library_symbol("opal_progress_yield_when_idle")) = true;
}

bool may_execute_in_progress() {
  return true;
}

// Where Open MPI yields by itself and only operations of ours go on there, the core is its to give away.
bool progress_was_in_vain() {
  this_thread.found_nothing = true;
  return this_thread.is_in_progress && runtime.wait.yields_in_progress;
}

#else

bool progress_comes_here() {
  return process.progress.came_here.load(std::memory_order_relaxed);
}

void yield_in_progress() {
  runtime.wait.yields_in_progress = true;
}

// Where threads are multiple, MPICH holds a lock that others of its functions may want.
bool may_execute_in_progress() {
  return !runtime.wait.has_threads;
}

bool progress_was_in_vain() {
  return false;
}

#endif

} // namespace thalweg::mpi

#if defined(THALWEG_FAMILY_OPENMPI)

namespace thalweg::mpi {

namespace {

using Progress = int (*)();

int no_progress() {
  return 0;
}

[[gnu::noinline]] int progress_with_work() {
  Progress progress = process.progress.function.load(std::memory_order_relaxed);
  if (progress == nullptr) {
    progress = find_progress<Progress>("opal_progress", {"libopen-pal.so.40", "libopen-pal.so.80"});
    progress = progress == nullptr ? no_progress : progress;
    note(process.progress.came_here);
    process.progress.function.store(progress, std::memory_order_relaxed);
  }
  if (!has_work_in_progress()) {
    return progress();
  }
  const bool outer = std::exchange(this_thread.is_in_progress, true);
  this_thread.found_nothing = false;
  const int found = progress();
  this_thread.is_in_progress = outer;
  looked(this_thread.found_nothing, outer);
  return found;
}

} // namespace

} // namespace thalweg::mpi

// Open MPI 4.1's returns nothing, 5.0's how much it found.
extern "C" __attribute__((visibility("default"))) int opal_progress() {
  using namespace thalweg::mpi;
  Progress const progress = process.progress.function.load(std::memory_order_relaxed);
  if (progress == nullptr || has_work_in_progress()) [[unlikely]] {
    return progress_with_work();
  }
  return progress();
}

#else

extern "C" __attribute__((visibility("default"))) unsigned ucp_worker_progress(void* worker) {
  using namespace thalweg::mpi;
  static const auto progress = find_progress<unsigned (*)(void*)>("ucp_worker_progress", {"libucp.so.0"});
  note(process.progress.came_here);
  const unsigned moved = progress == nullptr ? 0 : progress(worker);
  if (moved != 0) {
    note(process.progress.sees_messages);
  }
  if (!has_work_in_progress()) {
    return moved;
  }
  if (process.progress.sees_messages.load(std::memory_order_relaxed)) {
    looked(moved == 0, false);
    return moved;
  }
  // MPICH 5 moves messages of the same node itself, which takes time between two looks.
  looked(observe::ticks() - this_thread.left_progress_ticks < observe::brief_ticks(), false);
  this_thread.left_progress_ticks = observe::ticks();
  return moved;
}

#endif

namespace thalweg::mpi {

namespace {

// Nearly all yields are short, and a library makes one for each look: hundreds of thousands in a second where
// ranks share cores. Two readings of the clock, and what has to be brought back into a cache after each
// change of processes, took a fiftieth of the time of 8 ranks on 2 cores. So while yields are short, one in
// several is timed, which notices a process that computes some milliseconds later.
constexpr std::uint32_t short_yields_per_timed = 8;

void yield_untimed(std::uint32_t following) {
  this_thread.untimed_yields = following;
  wait::System::yield();
}

[[gnu::noinline]] void yield_timed() {
  if (!process.progress.leaves_contended_cores.load(std::memory_order_relaxed)) {
    wait::System::yield();
    return;
  }
  wait::System system;
  wait::YieldHistory& history = wait::thread_yield_history();
  auto& under_load = thread_waits().under_load;
  if (under_load.may_sleep() && under_load.slept(history)) [[unlikely]] {
    return;
  }
  const int core = system.core();
  const std::uint64_t before = observe::ticks();
  wait::System::yield();
  const std::uint64_t taken = observe::ticks() - before;
  if (taken < observe::lengthy_ticks()) [[likely]] {
    this_thread.untimed_yields = history.yielded_shortly(short_yields_per_timed);
    return;
  }
  const std::uint64_t after_ns = system.now_ns();
  const auto taken_ns = static_cast<std::uint64_t>(runtime.tick_scale.ns_so_far(taken));
  wait::yielded(system, history, core, after_ns - taken_ns, after_ns);
  if (taken_ns > wait::YieldHistory::worth_leaving_ns) {
    under_load.yielded(history, after_ns);
  }
}

} // namespace

} // namespace thalweg::mpi

// Libraries that yield while they wait call sched_yield: Open MPI's progress where ranks outnumber cores.
// This function in front of the C library's brings a rank that loses milliseconds so to a core where it does
// not (wait/yield_history.hpp), or lets it sleep for moments where foreign processes want all of them. Beside
// a foreign process that computed, Open MPI 4.1's barrier of 8 ranks on 2 cores took 2.6 ms without it, 0.04
// with it, and 0.012 in quiet.
extern "C" __attribute__((visibility("default"))) int sched_yield() noexcept {
  using namespace thalweg;
  if (mpi::progress_was_in_vain()) {
    return 0;
  }
  if (mpi::this_thread.untimed_yields > 0) [[likely]] {
    mpi::yield_untimed(mpi::this_thread.untimed_yields - 1);
  } else {
    mpi::yield_timed();
  }
  return 0;
}
