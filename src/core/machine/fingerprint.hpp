// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What must be the same for measured times to hold again.

#include <cstdint>
#include <string>
#include <string_view>

#include "machine/own_settings.hpp"

namespace thalweg::machine {

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
