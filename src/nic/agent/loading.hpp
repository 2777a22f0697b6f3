// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// How the kernel gets the card's programs, with as many operators of users as it takes.

#include "nic/agent/operators.hpp"

#include <bpf/libbpf.h>
#include <memory>
#include <string>

namespace thalweg::nic {

struct CloseObject {
  void operator()(bpf_object* object) const { bpf_object__close(object); }
};
using LoadedObject = std::unique_ptr<bpf_object, CloseObject>;

/// Loads the object file's programs with all operators that the kernel's verifier does not refuse. Others are
/// left out, and say so from then on. Throws Error where it refuses the programs themselves, or the file
/// cannot be read.
LoadedObject load_programs(const std::string& file, Operators& operators);

} // namespace thalweg::nic
