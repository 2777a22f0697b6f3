// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/place/trial_store.hpp"

#include <fstream>
#include <iterator>

#include "base/files.hpp"

namespace thalweg::mpi {

namespace {

std::string text_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::uint64_t key_of_trial(const std::string& pattern_file, const machine::Allocation& allocation,
                           const place::Slots& against) {
  return place::trial_key(text_of_file(pattern_file), allocation, against);
}

} // namespace

std::optional<place::KeptTrial> kept_trial(const std::string& pattern_file,
                                           const machine::Allocation& allocation,
                                           const place::Slots& against) {
  return place::find_trial(place::parse_trials(text_of_file(place::file_of_trials(pattern_file))),
                           key_of_trial(pattern_file, allocation, against),
                           static_cast<std::int32_t>(allocation.slots.size()));
}

bool keep_trial(const std::string& pattern_file, const machine::Allocation& allocation,
                const place::Slots& against, place::KeptTrial trial) {
  const std::string file = place::file_of_trials(pattern_file);
  trial.key = key_of_trial(pattern_file, allocation, against);
  std::vector<place::KeptTrial> trials = place::parse_trials(text_of_file(file));
  place::remember(trials, std::move(trial));
  return !write_file(file, place::to_text(trials));
}

} // namespace thalweg::mpi
