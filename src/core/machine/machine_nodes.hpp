// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What a machine file says of where hosts are: a table of names and numbers, or the path of a list.

#include "machine/node_list.hpp"

#include <string>
#include <toml++/toml.h>

namespace thalweg::machine {

/// Reads the value of the key `nodes`. A path is relative to the folder of `file`, and its list needs to know
/// the network. Throws Error naming the file and the host.
NodeList read_nodes(const toml::node& value, const std::string& network, const std::string& file);

} // namespace thalweg::machine
