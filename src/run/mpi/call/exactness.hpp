// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Whether a call's result depends on what runs it, and how: the same answer on all ranks.

#include "mpi/call/collective_call.hpp"

namespace thalweg::mpi {

bool is_predefined_operation(MPI_Op op);
bool is_commutative(MPI_Op op);

// Whether every strategy and the library give the same bits: calls that only move data, and reductions of
// whole numbers, truth values, or whole numbers with places, but for sums of numbers of one or two bytes. Of
// floating-point numbers not even minima and maxima do, as the order of operands tells where one is no number
// or zeros have two signs; nor do operators of the program's own.
bool is_exact(const CollectiveCall& call);
// Whether strategies differ in rounding, and in which of several NaNs comes out: sums and products of real
// numbers, sums of complex ones.
bool only_rounds(const CollectiveCall& call);

} // namespace thalweg::mpi
