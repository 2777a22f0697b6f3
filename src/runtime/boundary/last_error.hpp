// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The last error of a thread, one for all of Thalweg's libraries in a process.

#include "thalweg/status.h"

/// Keeps a copy of a failure, or nothing where `failed` is null. Gives what is kept. Every library exports
/// it, and all reach it through the dynamic linker: whoever asks is told what any of them kept.
extern "C" THALWEG_API const thalweg_error* thalweg_keep_error(const thalweg_error* failed);
