// SPDX-License-Identifier: BSD-3-Clause
#include "stream/mpi/attachment.hpp"

#include "base/of_process.hpp"
#include "stream/mpi/handle.hpp"
#include "stream/mpi/report.hpp"
#include "thalweg/interposer.h"

#include <dlfcn.h>
#include <exception>
#include <mutex>
#include <vector>

namespace thalweg::streams {

namespace {

/// What the interposer has; null where it does not have it, or is not there.
struct Interposer {
  decltype(&thalweg_attach_streams) attach =
      find<decltype(&thalweg_attach_streams)>("thalweg_attach_streams");
  decltype(&thalweg_detach_streams) detach =
      find<decltype(&thalweg_detach_streams)>("thalweg_detach_streams");
  decltype(&thalweg_report_stream) report = find<decltype(&thalweg_report_stream)>("thalweg_report_stream");

private:
  template <typename Function>
  static Function find(const char* name) {
    return reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
  }
};

const Interposer& interposer() {
  static const Interposer found;
  return found;
}

struct LivingStreams {
  std::vector<thalweg_stream*> all;
};

std::vector<thalweg_stream*>& living() {
  return of_process<LivingStreams>().all;
}

// Handlers may run in an MPI call where the program could be in a call of a stream instead, and nowhere else:
// not in a call of a stream, not beside another thread that uses streams. From the end of a phase to the next
// call of a stream there are none, as the program has its data to itself then: what arrives is kept.
int progress_in_mpi_call() {
  if (Call::is_open() || (Call::user() != std::this_thread::get_id() && !ProcessLock::is_held()))
    return 0;
  const std::unique_lock lock(process_lock(), std::try_to_lock);
  if (!lock.owns_lock() || living().empty())
    return 0;
  const Call call(false);
  for (thalweg_stream* stream : living())
    stream->items().hold(!stream->is_used());
  bool moved = false;
  try {
    moved = living().front()->items().progress();
  } catch (const std::exception& failed) {
    // There is no call of a stream to return it from: the end of the phase tells all ranks.
    for (thalweg_stream* stream : living())
      stream->items().fail(failed.what());
  }
  for (thalweg_stream* stream : living())
    stream->items().hold(false);
  return moved ? 1 : 0;
}

// Without memory for it, there is no report on this stream.
void report(const thalweg_stream& stream) noexcept {
  try {
    if (interposer().report != nullptr)
      interposer().report(report_of(stream).c_str());
  } catch (const std::exception&) {
  }
}

void report_all() {
  for (const thalweg_stream* stream : living())
    report(*stream);
}

constexpr thalweg_stream_hooks hooks{
    .size = sizeof(thalweg_stream_hooks), .progress = progress_in_mpi_call, .report = report_all};

} // namespace

void attach(thalweg_stream& stream) {
  const std::lock_guard lock(process_lock());
  living().push_back(&stream);
  if (living().size() == 1 && interposer().attach != nullptr)
    interposer().attach(&hooks);
}

void detach(thalweg_stream& stream) {
  report(stream);
  const std::lock_guard lock(process_lock());
  std::erase(living(), &stream);
  if (living().empty() && interposer().detach != nullptr)
    interposer().detach(&hooks);
}

} // namespace thalweg::streams
