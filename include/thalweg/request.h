/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests: operations that were started and go on, of whatever kind (thalweg/team.h starts some).
 *
 * None of these functions is collective, but waiting needs the other ranks to take part in the operation.
 * A request belongs to one thread at a time. NULL as a request counts as finished. */
#ifndef THALWEG_REQUEST_H
#define THALWEG_REQUEST_H

#include "thalweg/status.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct thalweg_request thalweg_request;

/* Makes progress without waiting, and says whether the operation has finished. A finished request is freed
 * and set to NULL; one that failed is neither. */
THALWEG_API thalweg_status thalweg_request_test(thalweg_request** request, int* finished);
/* Waits until the operation has finished, then frees the request and sets it to NULL. */
THALWEG_API thalweg_status thalweg_request_wait(thalweg_request** request);
/* Waits for one after the other. The first failure ends the call: requests that are not NULL then may
 * still be waited for. */
THALWEG_API thalweg_status thalweg_request_wait_all(size_t count, thalweg_request* requests[]);
/* Forgets the request and sets it to NULL. The operation goes on, and its buffers still belong to it. */
THALWEG_API thalweg_status thalweg_request_free(thalweg_request** request);

#ifdef __cplusplus
}
#endif

#endif
