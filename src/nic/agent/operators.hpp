// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Operators of users that the administrator has given the agent (thalweg/nic_operator.h): which there are,
// which were refused, and how the kernel gets the card's programs with as many of them as it takes.

#include <bpf/libbpf.h>
#include <cstdint>
#include <linux/bpf.h>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace thalweg::nic {

class Operators {
public:
  struct Entry {
    std::string name;             ///< the function's, or the file's where there is none
    std::uint32_t words = 0;      ///< of an element
    std::uint64_t digest = 0;     ///< of what it does
    std::uint32_t slot = 0;       ///< where the programs have it, from 1 on; 0: it was refused
    std::string objection{};      ///< why
    std::vector<bpf_insn> code{}; ///< its instructions
  };

  /// Reads the folder's files *.o in the order of their names; without a folder there are none. What is no
  /// operator is refused. All others have slots. Throws Error where the folder cannot be read.
  explicit Operators(const std::string& folder);

  std::vector<Entry>& all() { return entries_; }
  const std::vector<Entry>& all() const { return entries_; }
  /// Throws Error where it is not there, or was refused.
  const Entry& named(std::string_view name) const;
  /// The slot of the one with that digest; 0 without one. Throws Error where it is not there.
  std::uint32_t slot_of(std::uint64_t digest) const;
  /// As an array of JSON.
  std::string describe() const;

private:
  void read(const std::string& file);

  std::vector<Entry> entries_{};
};

struct CloseObject {
  void operator()(bpf_object* object) const { bpf_object__close(object); }
};
using LoadedObject = std::unique_ptr<bpf_object, CloseObject>;

/// Loads the object file's programs with all operators that the kernel's verifier does not refuse. Others are
/// left out, and say so from then on. Throws Error where it refuses the programs themselves, or the file
/// cannot be read.
LoadedObject load_programs(const std::string& file, Operators& operators);

} // namespace thalweg::nic
