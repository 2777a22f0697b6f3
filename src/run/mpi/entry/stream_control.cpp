// SPDX-License-Identifier: BSD-3-Clause

// What libraries with streams call (thalweg/interposer.h).

#include <exception>

#include "mpi/report/kept_streams.hpp"
#include "mpi/state/runtime.hpp"
#include "mpi/wait/stream_hooks.hpp"

extern "C" __attribute__((visibility("default"))) void
thalweg_attach_streams(const thalweg_stream_hooks* hooks) {
  if (hooks != nullptr) {
    thalweg::mpi::attach_stream_hooks(*hooks);
  }
}

extern "C" __attribute__((visibility("default"))) void
thalweg_detach_streams(const thalweg_stream_hooks* hooks) {
  if (hooks != nullptr) {
    thalweg::mpi::detach_stream_hooks(*hooks);
  }
}

extern "C" __attribute__((visibility("default"))) void thalweg_report_stream(const char* json) {
  try {
    thalweg::mpi::keep_stream_report(json);
  } catch (const std::exception& error) {
    thalweg::mpi::log_line(error.what());
  }
}
