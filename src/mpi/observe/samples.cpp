#include "mpi/observe/samples.hpp"

#include <algorithm>

namespace thalweg::mpi::observe {

void SampleStore::thin() {
  stride_ *= 2;
  std::erase_if(samples_, [this](const Sample& sample) { return !wants(sample.call); });
}

} // namespace thalweg::mpi::observe
