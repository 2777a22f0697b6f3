/* SPDX-License-Identifier: BSD-3-Clause */
/* Collectives of a team (thalweg/team.h) among what is measured: "team_allreduce" with `mine` at both ends,
 * "team_allreduce@strict" with `all`, and "team_allreduce@loose" with `none`; "team_allreduce@mine-all" and
 * the like name both ends. Calls with `none` after them are made ten in a row, with a barrier behind, which
 * count as one call. */
#ifndef THALWEG_TEAM_CALLS_H
#define THALWEG_TEAM_CALLS_H

#include "operations.h"

/* Is the operation a team's? */
int is_of_team(const char* operation);
/* Its function; ends the job where teams have none such, or where there are no teams. */
call_function* find_team_call(const char* operation);
/* Makes the team of the group, if there is none. Collective. */
void begin_team(void);
/* The same, and lets it run a strategy; "": its own choice. Gives 0, or an error. */
int choose_for_team(const char* selection);
/* Collective; before the group changes and before MPI ends. */
void leave_team(void);

#endif
