// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The exception of the C++ interfaces: one class for all, with the status and the parts of the message.

#include "thalweg/status.h"

#include <stdexcept>
#include <string>
#include <utility>

namespace thalweg {

class error : public std::runtime_error {
public:
  /// The failure of a C function: thalweg_last_error().
  explicit error(const thalweg_error& failed)
      : runtime_error(failed.message), status_(failed.status), rank_(failed.rank), call_(failed.call),
        remedy_(failed.remedy) {}
  /// An error that a header found by itself.
  error(thalweg_status status, const std::string& call, int rank, const std::string& problem,
        const std::string& remedy)
      : runtime_error(call + " on rank " + std::to_string(rank) + ": " + problem + "; " + remedy),
        status_(status), rank_(rank), call_(call), remedy_(remedy) {}

  /// The kind of failure: thalweg/status.h lists them.
  thalweg_status status() const noexcept { return status_; }
  /// The name of the call that failed, "allreduce".
  const std::string& call() const noexcept { return call_; }
  /// The rank that it failed on, in the team of the call; -1 where no ranks are concerned.
  int rank() const noexcept { return rank_; }
  /// The remedy; may be empty.
  const std::string& remedy() const noexcept { return remedy_; }

private:
  thalweg_status status_;
  int rank_;
  std::string call_;
  std::string remedy_;
};

namespace detail {

inline void check(thalweg_status status) {
  if (status != thalweg_success)
    throw error(*thalweg_last_error());
}

} // namespace detail

} // namespace thalweg
