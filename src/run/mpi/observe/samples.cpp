// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/observe/samples.hpp"

#include <algorithm>

namespace thalweg::mpi::observe {

void SampleStore::thin() {
  first_ = 0;
  limit_ /= 2;
  std::erase_if(samples_, [this](const Sample& sample) { return !wants(sample.call); });
}

} // namespace thalweg::mpi::observe
