// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Operators of reductions: whether a result depends on what runs the call, which is the same answer on all
// ranks; which the library takes; and those of the program's own that have names.

#include "mpi/abi/native.hpp"
#include "mpi/call/collective_call.hpp"

#include <string>
#include <string_view>

namespace thalweg::mpi {

bool is_predefined_operation(MPI_Op op);
bool is_commutative(MPI_Op op);

/// Whether every strategy and the library give the same bits: calls that only move data, and reductions of
/// whole numbers, truth values, or whole numbers with places, but for sums of numbers of one or two bytes. Of
/// floating-point numbers not even minima and maxima do, as the order of operands tells where one is no
/// number or zeros have two signs; nor do operators of the program's own.
bool is_exact(const CollectiveCall& call);
/// Whether strategies differ in rounding, and in which of several NaNs comes out: sums and products of real
/// numbers, sums of complex ones.
bool only_rounds(const CollectiveCall& call);

/// Names an operator of the program's own for network devices (thalweg/nic.h). Throws Error where it cannot
/// have that name. One that has it is never freed: its handle must mean
/// no other one, and calls with it may be under way.
void name_operator(MPI_Op op, std::string_view name);
/// nullptr where it has none. The text lives as long as the process.
const std::string* name_of_operator(MPI_Op op);

/// Does the library take the operator, and reduce such elements with it? It is asked by a reduction of
/// nothing under a communicator of our own, so that its verdict is the one that the program's call will get.
bool is_valid_reduction(MPI_Op op, MPI_Datatype datatype);

} // namespace thalweg::mpi
