// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/offload/nic_notes.hpp"

#include <algorithm>
#include <mutex>
#include <string>
#include <vector>

#include "mpi/state/runtime.hpp"

namespace thalweg::mpi {

void note_nic(const std::string& text) {
  static std::mutex mutex;
  const std::scoped_lock lock(mutex);
  std::vector<std::string>& notes = runtime.notes.nic;
  if (std::ranges::find(notes, text) == notes.end())
    notes.push_back(text);
}

} // namespace thalweg::mpi
