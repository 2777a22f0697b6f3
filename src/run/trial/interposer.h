/* SPDX-License-Identifier: BSD-3-Clause */
/* The interposer's control functions (thalweg/control.h), which are looked up by name, so that this is an
 * ordinary MPI program otherwise. */
#ifndef THALWEG_INTERPOSER_H
#define THALWEG_INTERPOSER_H

struct interposer {
  int (*choose)(const char* selections);
  int (*bypass)(int on);
  const char* (*fingerprint)(void);
  int (*leaf_of)(int of_rank);
  int (*has_nic_groups)(void);
  /* Strategies are the tuning file's, not chosen here. */
  int is_tuned;
};

extern struct interposer interposer;

/* `mode`: "native" for a job without Thalweg, "tuned" for one that follows its tuning file, or "". Ends the
 * job where Thalweg should be there and is not. */
void find_interposer(const char* mode);

#endif
