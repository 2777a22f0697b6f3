// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// All arrays of a communicator, written to a folder and read from it again, by any number of ranks.

#include "objects/checkpoint_files.hpp"
#include "objects/mpi/migration.hpp"
#include "objects/mpi/scheduler.hpp"

#include <functional>
#include <string>

namespace thalweg::objects {

class Checkpoint {
public:
  Checkpoint(Scheduler& scheduler, Migration& migration) : scheduler_(scheduler), migration_(migration) {}

  /// Collective. Runs all messages, and writes all elements. Throws Error on all ranks where one fails; the
  /// checkpoint before is whole then.
  void write(const std::string& folder);
  /// Collective. Runs all messages, and puts what was written in the place of all elements. Throws Error on
  /// all ranks, before any element is touched, where files are not what was written, or arrays differ.
  void restore(const std::string& folder);

private:
  std::vector<SavedArray> arrays() const;
  void must_be_settled() const;
  SavedPart write_part(const std::string& name) const;
  /// The parts that this rank reads: number and bytes.
  using Parts = std::vector<std::pair<std::size_t, std::string>>;
  Parts read_parts(const std::string& folder, const Manifest& manifest) const;
  /// Every rank does its part. Where one throws, all do, with the text of the first.
  template <typename Work>
  void together(const Work& work) const;

  Scheduler& scheduler_;
  Migration& migration_;
};

} // namespace thalweg::objects
