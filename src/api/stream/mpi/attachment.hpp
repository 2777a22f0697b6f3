// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The process's streams as the interposer sees them, if there is one: it lets them progress in the program's
// MPI calls, and its report tells of them (thalweg/interposer.h).

struct thalweg_stream;

namespace thalweg::streams {

/// A stream has been made.
void attach(thalweg_stream& stream);
/// It is about to go: the interposer is told what it has done.
void detach(thalweg_stream& stream);

} // namespace thalweg::streams
