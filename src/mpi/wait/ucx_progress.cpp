// MPICH on UCX waits inside of many calls that have no nonblocking form (making communicators and windows,
// files, MPI_Finalize) by calling ucp_worker_progress over and over. Where ranks wait by yielding, this
// function in front of UCX's own gives the core away when it is called in vain again and again.

#include "mpi/abi/families/family.hpp"

#if !defined(THALWEG_FAMILY_OPENMPI)

#include <dlfcn.h>

#include "mpi/wait/polling.hpp"

namespace {

using Progress = unsigned (*)(void* worker);

Progress find_progress() {
  void* address = dlsym(RTLD_NEXT, "ucp_worker_progress");
  if (address == nullptr) {
    if (void* library = dlopen("libucp.so.0", RTLD_NOLOAD | RTLD_LAZY)) {
      address = dlsym(library, "ucp_worker_progress");
    }
  }
  return reinterpret_cast<Progress>(address);
}

} // namespace

extern "C" __attribute__((visibility("default"))) unsigned ucp_worker_progress(void* worker) {
  using namespace thalweg;
  static const Progress progress = find_progress();
  constexpr int patience = 32; // a call that only looks comes here too, and must not pause each time
  constinit static thread_local int in_vain = 0;
  const unsigned moved = progress == nullptr ? 0 : progress(worker);
  if (!mpi::yields_when_waiting() || mpi::looks_in != nullptr) {
    return moved;
  }
  in_vain = moved == 0 ? in_vain + 1 : 0;
  if (moved == 0 && in_vain % patience == 0) {
    wait::System system;
    wait::yield_or_sleep(system, wait::thread_yield_history(), mpi::runtime.settings.waiting.sleep_us_min);
  }
  return moved;
}

#endif
