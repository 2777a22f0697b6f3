// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Figures as people read them, for the summary.

#include <string>

namespace thalweg::mpi::observe {

std::string duration_text(double ns);
std::string bytes_text(double count);
std::string percent_text(double share);

/// Columns that a UTF-8 text takes, of characters that are one wide, and the bytes of its first character.
std::size_t displayed_width(const std::string& text);
std::size_t first_character(const std::string& text);

/// Breaks lines at spaces where they are wider than that, with two spaces before what follows; 0 leaves them.
std::string wrapped(const std::string& text, std::size_t columns);

} // namespace thalweg::mpi::observe
