// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What the process's streams have told of themselves, until the report is made.

#include <string>
#include <vector>

namespace thalweg::mpi {

void keep_stream_report(const char* json);
std::vector<std::string> take_stream_reports();

} // namespace thalweg::mpi
