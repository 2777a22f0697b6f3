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

} // namespace thalweg
