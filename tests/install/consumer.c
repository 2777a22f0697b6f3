#include <stdio.h>
#include <thalweg/thalweg.h>

int main(void) {
  char* text = thalweg_schedule("alltoall=direct", 4, 0, 1, thalweg_form_text);
  if (text == NULL) {
    fprintf(stderr, "%s\n", thalweg_error());
    return 1;
  }
  printf("%s %s", thalweg_version(), text);
  thalweg_free(text);
  return thalweg_prove("alltoall=direct", 4, 0);
}
