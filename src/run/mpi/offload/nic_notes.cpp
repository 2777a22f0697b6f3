// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/offload/nic_notes.hpp"

#include <mutex>
#include <set>

#include "mpi/state/runtime.hpp"

namespace thalweg::mpi {

void note_nic(const std::string& text) {
  static std::mutex mutex;
  static std::set<std::string> notes;
  const std::scoped_lock lock(mutex);
  if (notes.insert(text).second)
    runtime.nic += (runtime.nic.empty() ? "" : "; ") + text;
}

} // namespace thalweg::mpi
