// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What is measured; each function is a case or several. docs/results/benchmarks.md has figures.

#include "harness.hpp"

namespace thalweg::bench {

void histograms(const Options& options);
void permutation(const Options& options);
void ring(const Options& options);
void random_access(const Options& options);
void gather(const Options& options);
void visits(const Options& options);
void questions(const Options& options);
void any_bytes(const Options& options);
void merged(const Options& options);
void everybody(const Options& options);
void shapes(const Options& options);
void idle(const Options& options);

} // namespace thalweg::bench
