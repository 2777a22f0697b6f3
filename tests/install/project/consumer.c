/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <thalweg/thalweg.h>

int main(void) {
  char* text = NULL;
  if (thalweg_schedule("alltoall=direct", 4, 0, 1, thalweg_schedule_format_text, &text) != thalweg_success) {
    fprintf(stderr, "%s\n", thalweg_error_message());
    return 1;
  }
  printf("%s %s", thalweg_version(), text);
  thalweg_free(text);
  return thalweg_prove("alltoall=direct", 4, 0) == thalweg_success ? 0 : 1;
}
