#pragma once

// Blocking calls as loops that look and give way: to yield, and to advance our own operations in flight.

#include "mpi/state/gate.hpp"
#include "mpi/wait/progress.hpp"
#include "mpi/wait/wait_mode.hpp"

namespace thalweg::mpi {

// Whether a blocking call of the program must not block inside of the library.
inline bool must_poll() {
  return yields_when_waiting() || has_background_work();
}

// While it lives, this thread looks for something in a loop, which gives way itself (see ucx_progress.cpp).
class Looking {
public:
  Looking() : before_(looks_in) { looks_in = innermost_frame; }
  ~Looking() { looks_in = before_; }
  Looking(const Looking&) = delete;
  Looking& operator=(const Looking&) = delete;

private:
  const Frame* before_;
};

// Calls `look(found)`, which returns MPI's code, until it fails or has found something.
template <class Look>
int poll(Look look) {
  wait::Waiter waiter = yielding_waiter();
  for (;;) {
    bool found = false;
    const int code = [&] {
      const Looking looking;
      return look(found);
    }();
    if (code != MPI_SUCCESS || found) {
      return code;
    }
    if (progress_in_wait()) {
      waiter.reset();
    } else if (yields_when_waiting()) {
      waiter.pause();
    }
  }
}

// Waits for one request of our own making, or of the program's.
inline int poll_request(MPI_Request* request, MPI_Status* status) {
  return poll([&](bool& found) {
    int flag = 0;
    const int code = native.Test(request, &flag, status);
    found = flag != 0;
    return code;
  });
}

} // namespace thalweg::mpi
