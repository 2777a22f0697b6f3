#ifndef THALWEG_PLACES_H
#define THALWEG_PLACES_H

#include <stddef.h>

/* The text of a file of the system, without its end of line; empty if there is none. */
void read_line(const char* path, char* text, int capacity);

/* Where in its node this rank runs: "now;may;share;socket", the processor that it is on, and lists of those
 * that it may run on, that share the last cache with it and that are of its socket. What the system does not
 * tell is empty. */
void describe_place(char* text, size_t capacity);

#endif
