/* SPDX-License-Identifier: BSD-3-Clause */
// Datatypes whose layout in memory the checks know byte by byte, and images of memory to compare with.
//
// Every layout carries the same type signature per *unit*, four ints, so that any layout may meet any other
// in one call. An image is a piece of memory filled with a pattern, with guard bytes around: the check writes
// what it expects into a copy and compares everything, so that one wrong, missing or superfluous byte
// anywhere (guards and gaps included) is found.
#pragma once

#include "check.h"

enum { UNIT = 4, LAYOUT_COUNT = 9 };

typedef struct {
  const char* name;
  MPI_Datatype type;
  int factor;            // items of `type` per unit
  ptrdiff_t item_extent; // bytes, as MPI_Type_get_extent says
  ptrdiff_t extent;      // bytes from one unit to the next
  int offsets[UNIT];     // bytes of the four ints from the unit's origin
  int units_max;         // how many consecutive units may be used before they overlap
} Layout;

void layouts_make(void);
void layouts_free(void);
const Layout* layout(int index);
// One of the layouts that can hold that many consecutive units.
const Layout* some_layout(Dice* dice, ptrdiff_t units);
// The layout without gaps.
const Layout* plain(void);

typedef struct {
  ptrdiff_t low; // bytes relative to the origin, low <= 0 <= high
  ptrdiff_t high;
} Span;
// The smallest span that has `span` and `units` units from byte `offset` on.
Span widen(Span span, const Layout* layout, ptrdiff_t offset, ptrdiff_t units);

typedef struct {
  unsigned char* memory;
  size_t bytes;
  unsigned char* origin; // what MPI gets as buffer address
} Image;
Image image_new(Span span);
Image image_copy(const Image* image);
void image_free(Image* image);
void image_put(Image* image, const Layout* layout, ptrdiff_t offset, ptrdiff_t unit, int element, int value);
int image_get(const Image* image, const Layout* layout, ptrdiff_t offset, ptrdiff_t unit, int element);
bool image_equal(const Image* one, const Image* other);
// Fails with the first byte that differs; `what` names the buffer.
void image_compare(const Image* actual, const Image* expected, const char* what);

// The value that rank `from` sends to rank `to` in position (unit, element) of check number `salt`.
int value_of(uint64_t salt, int from, int to, ptrdiff_t unit, int element);
void fill_block(Image* image, const Layout* layout, ptrdiff_t offset, ptrdiff_t units, uint64_t salt,
                int from, int to);
