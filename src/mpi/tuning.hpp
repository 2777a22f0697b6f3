#pragma once

// The tuning file at the start of a job: rank 0 reads it, all get what it says of this machine and job.

#include <string>

#include "machine/fingerprint.hpp"
#include "machine/machine.hpp"
#include "tune/tuning_file.hpp"

namespace thalweg::mpi {

// Of this job, once its placement is known.
machine::Fingerprint job_fingerprint();

// It as text, a line for each part (include/thalweg/control.h).
std::string fingerprint_text();

// What rank 0 found, packed for all ranks (tune/agreed_picks.hpp), and in words for people.
struct FoundTuning {
  std::string picks;
  std::string reason;
};
FoundTuning read_tuning(const std::string& path);

// The machine file of this job, or a standard machine where it was not probed; of this rank alone.
const machine::Machine& known_machine();

// Adds what was learned to the tuning file; on rank 0. What cannot be written is said to be lost.
void save_learned(const std::vector<tune::Pick>& picks);

} // namespace thalweg::mpi
