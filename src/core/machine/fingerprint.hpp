// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What must be the same for measured times to hold again, and which settings in the environment are the
// user's.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace thalweg::machine {

/// The value of an environment variable, or null.
using Environment = const char* (*)(const char* name);

/// The names of the MPI library's variables that the commands of Thalweg have set: `thalweg run` lists them
/// in THALWEG_OWN_SETTINGS, separated by commas.
std::vector<std::string_view> own_settings(Environment environment);

/// Has Thalweg itself set that variable for the ranks of a job? Then it counts nowhere as the user's.
bool is_own_setting(std::string_view name, Environment environment);

/// Of a machine, and how a job uses it.
struct Fingerprint {
  std::string processor;  ///< the model's name
  std::int64_t cores = 0; ///< that ranks may run on, of a node
  std::string quota;      ///< the control group's limit in cores, "none" without
  std::string kernel;     ///< "6.1"
  std::string mpi;        ///< name and version
  std::string
      transport; ///< the settings that decide how the library moves bytes; "default" if there are none
  std::int64_t nodes = 1;
  std::string ranks_per_node; ///< "4", or "3..4" where nodes have different numbers

  bool operator==(const Fingerprint&) const = default;
};

/// Fills in what this process can see by itself: processor, kernel and, from the environment, transport.
Fingerprint local_fingerprint(Environment environment);

/// A library's name and version out of what MPI_Get_library_version tells: "MPICH 4.0.2", "Open MPI v4.1.4".
std::string library_name(std::string_view version);

/// In a line, for people.
std::string describe(const Fingerprint& fingerprint);

/// What differs between two, for people: "cores 2, not 4; kernel 6.1, not 6.18".
std::string differences(const Fingerprint& wanted, const Fingerprint& found);

} // namespace thalweg::machine
