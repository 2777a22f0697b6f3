// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace thalweg::mpi {

// Notes for the report what the network devices do, or why they do not; each text once.
void note_nic(const std::string& text);

} // namespace thalweg::mpi
