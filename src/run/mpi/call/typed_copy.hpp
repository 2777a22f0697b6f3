// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Copies between a program's typed buffers and rows of bytes. All return MPI's error code.

#include <cstddef>
#include <cstdint>

#include "mpi/abi/native.hpp"

namespace thalweg::mpi {

// The data of `count` elements as bytes without gaps.
int pack(const std::byte* user, std::int64_t count, MPI_Datatype type, std::byte* row);
int unpack(const std::byte* row, std::byte* user, std::int64_t count, MPI_Datatype type);

// Elements in their own layout, from one address to another; gaps are not touched.
int copy_elements(const std::byte* from, std::byte* to, std::int64_t count, MPI_Datatype type);

} // namespace thalweg::mpi
