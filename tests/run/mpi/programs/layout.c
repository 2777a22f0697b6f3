/* SPDX-License-Identifier: BSD-3-Clause */
#include "layout.h"

#include <stdlib.h>
#include <string.h>

enum { GUARD_BYTES = 64, INTERLEAVE = 256 };

static Layout layouts[LAYOUT_COUNT];

static void keep(int index, const char* name, MPI_Datatype type, int factor, int units_max,
                 const int offsets[UNIT]) {
  Layout* made = &layouts[index];
  MPI_Aint lower_bound = 0, extent = 0;
  MUST(MPI_Type_commit(&type));
  MUST(MPI_Type_get_extent(type, &lower_bound, &extent));
  *made = (Layout){name, type, factor, extent, extent * factor, {0}, units_max};
  memcpy(made->offsets, offsets, sizeof made->offsets);
}

static MPI_Datatype resized(MPI_Datatype type, MPI_Aint lower_bound, MPI_Aint extent) {
  MPI_Datatype made;
  MUST(MPI_Type_create_resized(type, lower_bound, extent, &made));
  MUST(MPI_Type_free(&type));
  return made;
}

void layouts_make(void) {
  const int many = 1 << 30;
  MPI_Datatype type;
  // As a rule one call has different counts at its two ends; an MPI that breaks on it gets one item per unit
  // always.
  const int at_once = known("counts-differ") ? UNIT : 1, pairs = known("counts-differ") ? 2 : 1;
  MUST(MPI_Type_contiguous(at_once, MPI_INT, &type));
  keep(0, "int", type, UNIT / at_once, many, (int[]){0, 4, 8, 12});
  MUST(MPI_Type_contiguous(2 * pairs, MPI_INT, &type));
  keep(1, "contiguous", type, 2 / pairs, many, (int[]){0, 4, 8, 12});
  MUST(MPI_Type_vector(2, 2, 3, MPI_INT, &type));
  keep(2, "vector", type, 1, many, (int[]){0, 4, 12, 16});
  MUST(MPI_Type_indexed(3, (int[]){1, 2, 1}, (int[]){5, 1, 7}, MPI_INT, &type));
  keep(3, "indexed, out of order", type, 1, many, (int[]){20, 4, 8, 28});
  MUST(MPI_Type_create_struct(3, (int[]){1, 2, 1}, (MPI_Aint[]){8, 24, 16},
                              (MPI_Datatype[]){MPI_INT, MPI_INT, MPI_INT}, &type));
  keep(4, "struct with a positive lower bound", type, 1, many, (int[]){8, 24, 28, 16});
  MUST(MPI_Type_create_hindexed(2, (int[]){2, 2}, (MPI_Aint[]){-12, 4}, MPI_INT, &type));
  keep(5, "resized, negative lower bound", resized(type, -16, 36), 1, many, (int[]){-12, -8, 4, 8});
  MUST(MPI_Type_create_hvector(4, 1, -8, MPI_INT, &type));
  keep(6, "vector backwards", type, 1, many, (int[]){0, -8, -16, -24});
  // A column of a matrix of ints with rows of 256: consecutive units interleave.
  MUST(MPI_Type_vector(UNIT, 1, INTERLEAVE, MPI_INT, &type));
  keep(7, "interleaved", resized(type, 0, sizeof(int)), 1, INTERLEAVE,
       (int[]){0, 4 * INTERLEAVE, 8 * INTERLEAVE, 12 * INTERLEAVE});
  MUST(MPI_Type_contiguous(UNIT, MPI_INT, &type));
  keep(8, "resized, negative extent", resized(type, 0, -20), 1, many, (int[]){0, 4, 8, 12});
}

void layouts_free(void) {
  for (int i = 0; i < LAYOUT_COUNT; ++i)
    MUST(MPI_Type_free(&layouts[i].type));
}

const Layout* layout(int index) {
  return &layouts[index];
}

const Layout* plain(void) {
  return &layouts[0];
}

const Layout* some_layout(Dice* dice, ptrdiff_t units) {
  const int count = known("negative-extent") ? LAYOUT_COUNT - 1 : LAYOUT_COUNT;
  const Layout* chosen = &layouts[roll(dice, count)];
  if (units > chosen->units_max || (chosen == &layouts[7] && known("interleaved")))
    chosen = &layouts[2];
  context_add(chosen->name);
  return chosen;
}

Span widen(Span span, const Layout* of, ptrdiff_t offset, ptrdiff_t units) {
  for (int end = 0; units > 0 && end < 2; ++end) {
    const ptrdiff_t unit_at = offset + (end ? (units - 1) * of->extent : 0);
    for (int element = 0; element < UNIT; ++element) {
      const ptrdiff_t at = unit_at + of->offsets[element];
      if (at < span.low)
        span.low = at;
      if (at + (ptrdiff_t)sizeof(int) > span.high)
        span.high = at + (ptrdiff_t)sizeof(int);
    }
  }
  return span;
}

Image image_new(Span span) {
  Image image;
  image.bytes = (size_t)(span.high - span.low) + 2 * GUARD_BYTES;
  image.memory = malloc(image.bytes);
  REQUIRE(image.memory != NULL, "no memory for %zu bytes", image.bytes);
  image.origin = image.memory + GUARD_BYTES - span.low;
  for (size_t i = 0; i < image.bytes; ++i)
    image.memory[i] = (unsigned char)(i * 37 + 0xa5);
  return image;
}

Image image_copy(const Image* image) {
  Image copy = {malloc(image->bytes), image->bytes, NULL};
  REQUIRE(copy.memory != NULL, "no memory for %zu bytes", copy.bytes);
  memcpy(copy.memory, image->memory, image->bytes);
  copy.origin = copy.memory + (image->origin - image->memory);
  return copy;
}

void image_free(Image* image) {
  free(image->memory);
  *image = (Image){0};
}

static unsigned char* place(const Image* image, const Layout* of, ptrdiff_t offset, ptrdiff_t unit,
                            int element) {
  unsigned char* at = image->origin + offset + unit * of->extent + of->offsets[element];
  REQUIRE(at >= image->memory && at + sizeof(int) <= image->memory + image->bytes,
          "the check itself is wrong: unit %td of layout %s is outside of its image", unit, of->name);
  return at;
}

void image_put(Image* image, const Layout* of, ptrdiff_t offset, ptrdiff_t unit, int element, int value) {
  memcpy(place(image, of, offset, unit, element), &value, sizeof value);
}

int image_get(const Image* image, const Layout* of, ptrdiff_t offset, ptrdiff_t unit, int element) {
  int value;
  memcpy(&value, place(image, of, offset, unit, element), sizeof value);
  return value;
}

bool image_equal(const Image* one, const Image* other) {
  return one->bytes == other->bytes && memcmp(one->memory, other->memory, one->bytes) == 0;
}

void image_compare(const Image* actual, const Image* expected, const char* what) {
  REQUIRE(actual->bytes == expected->bytes, "the check itself is wrong: images differ in size");
  if (memcmp(actual->memory, expected->memory, actual->bytes) == 0)
    return;
  size_t at = 0;
  while (actual->memory[at] == expected->memory[at])
    ++at;
  size_t wrong = 0;
  for (size_t i = at; i < actual->bytes; ++i)
    wrong += actual->memory[i] != expected->memory[i];
  int got = 0, wanted = 0;
  const size_t word = at + sizeof(int) <= actual->bytes ? at : actual->bytes - sizeof(int);
  memcpy(&got, actual->memory + word, sizeof got);
  memcpy(&wanted, expected->memory + word, sizeof wanted);
  fail("%s is wrong in %zu of %zu bytes, first at byte %td from its origin: got 0x%02x, expected 0x%02x (as "
       "int %d, %d)",
       what, wrong, actual->bytes, (actual->memory + at) - actual->origin, actual->memory[at],
       expected->memory[at], got, wanted);
}

int value_of(uint64_t salt, int from, int to, ptrdiff_t unit, int element) {
  // Not a hash of everything: the parts must be readable in a failure's text.
  return (int)((salt % 97) * 20000000u) + (from * 40 + to) * 20011 + (int)(unit % 5000) * UNIT + element;
}

void fill_block(Image* image, const Layout* of, ptrdiff_t offset, ptrdiff_t units, uint64_t salt, int from,
                int to) {
  for (ptrdiff_t unit = 0; unit < units; ++unit)
    for (int element = 0; element < UNIT; ++element)
      image_put(image, of, offset, unit, element, value_of(salt, from, to, unit, element));
}
