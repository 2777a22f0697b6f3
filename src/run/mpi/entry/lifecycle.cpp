// SPDX-License-Identifier: BSD-3-Clause

// Beginning and end of MPI, communicators that are made without waiting, and files.

#include "mpi/entry/ending.hpp"
#include "mpi/entry/entry.hpp"
#include "mpi/entry/startup.hpp"
#include "mpi/observe/traffic_table.hpp"
#include "mpi/offload/nic_watch.hpp"
#include "mpi/state/process_state.hpp"
#include "mpi/state/runtime.hpp"
#include "mpi/trace/call_log.hpp"
#include "mpi/wait/polling.hpp"
#include "mpi/wait/progress_thread.hpp"

#include <cstdarg>

namespace thalweg::mpi {

int handle_Init(const CallSite&, int* argc, char*** argv) {
  int code = MPI_SUCCESS;
  nic::AggregatorQuestion question;
  {
    const Inside inside;
    const int level = thread_level_to_ask_for(MPI_THREAD_SINGLE);
    int provided = MPI_THREAD_SINGLE;
    code = level == MPI_THREAD_SINGLE ? native.Init(argc, argv)
                                      : native.Init_thread(argc, argv, level, &provided);
  }
  if (code == MPI_SUCCESS) {
    start_with_world(question);
  }
  return code;
}

int handle_Init_thread(const CallSite&, int* argc, char*** argv, int required, int* provided) {
  int code = MPI_SUCCESS;
  nic::AggregatorQuestion question;
  {
    const Inside inside;
    code = native.Init_thread(argc, argv, thread_level_to_ask_for(required), provided);
  }
  if (code == MPI_SUCCESS) {
    start_with_world(question);
  }
  return code;
}

int handle_Finalize(const CallSite&) {
  const Inside inside;
  close_nics();
  std::optional<GatheredReport> report = finish();
  const int code = native.Finalize();
  process.interposer.store(InterposerState::bypass);
  choose_way();
  if (report)
    finish_report(std::move(*report));
  return code;
}

int handle_Session_init(const CallSite&, MPI_Info info, MPI_Errhandler errhandler, MPI_Session* session) {
  const Inside inside;
  const int code = native.Session_init(info, errhandler, session);
  if (code == MPI_SUCCESS && !runtime.ready) {
    start_late();
  }
  return code;
}

int handle_Session_finalize(const CallSite&, MPI_Session* session) {
  const Inside inside;
  return native.Session_finalize(session);
}

int handle_Comm_idup(const CallSite& site, MPI_Comm comm, MPI_Comm* newcomm, MPI_Request* request) {
  const CallObserver observer(Function::Comm_idup, site, comm, no_bytes);
  return native.Comm_idup(comm, newcomm, request);
}

int handle_Comm_idup_with_info(const CallSite& site, MPI_Comm comm, MPI_Info info, MPI_Comm* newcomm,
                               MPI_Request* request) {
  const CallObserver observer(Function::Comm_idup_with_info, site, comm, no_bytes);
  return native.Comm_idup_with_info(comm, info, newcomm, request);
}

int handle_File_open(const CallSite&, MPI_Comm comm, const char* filename, int amode, MPI_Info info,
                     MPI_File* file) {
  process.background.has_opened_files.store(true, std::memory_order_relaxed);
  return native.File_open(comm, filename, amode, info, file);
}

} // namespace thalweg::mpi

namespace {

// 0 stops recording, 1 resumes it, 2 and above begin a new phase of the report.
int mark_phase(int level) {
  using namespace thalweg::mpi;
  const bool was_recording = process.observation.is_on;
  process.observation.is_on = level != 0 && process.observation.is_wanted();
  if (process.observation.is_tracing() && process.observation.keeps_trace && !was_recording)
    call_log().forget_computation();
  if (level >= 2) {
    ++process.observation.phase;
    if (process.observation.traffic)
      observe::begin_pattern_phase(level);
  }
  choose_way();
  invalidate_fast_path(); // whose calls are noted, or not, where they were
  return MPI_SUCCESS;
}

} // namespace

THALWEG_ENTRY int MPI_Pcontrol(const int level, ...) {
  return mark_phase(level);
}
THALWEG_ENTRY int PMPI_Pcontrol(const int level, ...) {
  return mark_phase(level);
}
