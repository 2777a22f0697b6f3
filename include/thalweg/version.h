/* SPDX-License-Identifier: BSD-3-Clause */
/* The version of the headers. Made from CMakeLists.txt by `make interfaces`.
 *
 * Calls that make something tell the library this number, as headers of another version may use memory of the
 * library otherwise than this library does. The library refuses them: thalweg_error_unsupported. */
#ifndef THALWEG_VERSION_H
#define THALWEG_VERSION_H

#define THALWEG_HEADER_VERSION 2 /* 1000 * major + minor */

#endif
