/* Thalweg's library: strategies, their schedules and proofs, without MPI. C, so that every language can call
 * it.
 *
 * Selections are written as for `thalweg run --use`: "allreduce=ring", "alltoall=bruck:radix=4". A call that
 * fails says why in thalweg_error() and changes nothing. All functions may be called from any thread. */
#ifndef THALWEG_THALWEG_H
#define THALWEG_THALWEG_H

#ifdef __cplusplus
extern "C" {
#endif

#define THALWEG_API __attribute__((visibility("default")))

/* "1.2.3" */
THALWEG_API const char* thalweg_version(void);

/* What the last failed call of this thread complained about, with the remedy; "" if none has failed. Valid
 * until the next call of this thread. */
THALWEG_API const char* thalweg_error(void);

/* Calls `visit` for every strategy of the index until it returns non-zero; returns what the last visit did,
 * or 0. */
typedef int thalweg_visit(const char* operation, const char* name, const char* summary, void* context);
THALWEG_API int thalweg_strategies(thalweg_visit* visit, void* context);

enum thalweg_form {
  thalweg_form_text, /* one rank's steps, for people */
  thalweg_form_dot,  /* all ranks, for Graphviz */
  thalweg_form_goal  /* all ranks, for LogGOPSim and its kin; units of 1,024 bytes */
};

/* The schedule that a selection means for `ranks` ranks and a root, as text that the caller frees with
 * thalweg_free(); NULL on failure. `rank` counts for thalweg_form_text alone. */
THALWEG_API char* thalweg_schedule(const char* selection, int ranks, int root, int rank,
                                   enum thalweg_form form);

/* Executes a selection's schedules symbolically over all ranks: 0 if it is proven to do what the operation
 * says, the number of faults (the first is in thalweg_error()) if not, -1 on failure. */
THALWEG_API int thalweg_prove(const char* selection, int ranks, int root);

THALWEG_API void thalweg_free(char* text);

#ifdef __cplusplus
}
#endif

#endif
