/* SPDX-License-Identifier: BSD-3-Clause */
// Completing requests in every way that MPI has; all of them must do.
#pragma once

#include "check.h"

enum { COMPLETION_COUNT = 10 };

// Completes one request in way `way` (any int; taken modulo COMPLETION_COUNT). A persistent one stays
// allocated.
void complete_one(MPI_Request* request, int way, bool persistent);
// Completes `count` requests in way `way`; each must become MPI_REQUEST_NULL.
void complete_all(MPI_Request* requests, int count, int way);
