// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The MPI library under the interposer.

#include "native_table.hpp"

#include <array>

namespace thalweg::mpi {

inline constexpr std::size_t function_count = static_cast<std::size_t>(Function::count);
inline constexpr std::size_t native_count = sizeof(NativeTable) / sizeof(void (*)());

extern constinit NativeTable native;
extern const std::array<const char*, function_count> function_names; ///< "MPI_…", by Function
extern const std::array<const char*, native_count> native_symbols;   ///< "PMPI_…", in the table's order

enum class Library { absent, fits, foreign };

/// Finds the MPI library of this process and fills `native`; functions that the library does not have answer
/// MPI_ERR_OTHER. `foreign`: the library belongs to another family, so `native` may be used to pass calls on
/// with their registers untouched, and for nothing else.
Library resolve_library();

/// The file that the functions in `native` come from, "" before resolve_library().
const char* library_path();

Family library_family();

/// A variable or function of the library, or of those that it is made of; nullptr if it has none of that
/// name.
void* library_symbol(const char* name);

/// True where the library itself has the function (and not our stand-in that answers with an error).
template <typename Pointer>
bool is_native(Pointer function);

bool is_missing_function(const void* function);

template <typename Pointer>
bool is_native(Pointer function) {
  return !is_missing_function(reinterpret_cast<const void*>(function));
}

} // namespace thalweg::mpi
