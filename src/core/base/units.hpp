// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace thalweg {

/// Reads "4096", "64KiB", "1MiB", "2GiB", "64k", "1m" (powers of 1024) as a number of bytes.
/// Throws Error when the text is anything else, negative, or too large for 63 bits.
std::int64_t parse_bytes(std::string_view text);

/// "512 B", "64 KiB", "1.5 MiB": the shortest exact or two-digit form.
std::string format_bytes(std::int64_t bytes);

/// "64KiB", "9000B": exact, and read back by parse_bytes.
std::string exact_bytes(std::int64_t bytes);

/// Reads "1.5 us", "80ps", "2 s" (ps, ns, us, ms, s) as seconds. Throws Error when the text is anything else
/// or negative.
double parse_seconds(std::string_view text);

/// "1.52 us": three digits and the unit that suits.
std::string format_seconds(double seconds);

} // namespace thalweg
