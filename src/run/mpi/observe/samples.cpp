// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/observe/samples.hpp"

#include <new>

namespace thalweg::mpi::observe {

namespace {

// A program may make communicators by the ten thousand, and rows are worth more.
constexpr std::size_t max_sample_stores = 64;

} // namespace

JournalSamples* Journal::add_samples(std::uint64_t communicator, int ranks) {
  if (sample_stores_ == max_sample_stores)
    return nullptr;
  void* const place = allocate(sizeof(JournalSamples));
  if (place == nullptr)
    return nullptr;
  const std::lock_guard lock(mutex_);
  ++sample_stores_;
  auto* const samples = new (place) JournalSamples{section_->first_samples, communicator, ranks, {}, {}};
  section_->first_samples = samples;
  return samples;
}

} // namespace thalweg::mpi::observe
