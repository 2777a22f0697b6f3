// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What create calls begin with: whether a program's headers are those of this library.

namespace thalweg::boundary {

/// Throws Error for a THALWEG_HEADER_VERSION whose headers may use the library's memory in another way.
void must_fit(int header_version);
/// Throws Error for headers that were of a version that does not tell its number.
[[noreturn]] void refuse_first_version();

} // namespace thalweg::boundary
