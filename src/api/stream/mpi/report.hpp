// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

struct thalweg_stream;

namespace thalweg::streams {

/// What thalweg_report_stream() is given: this rank's part of the report on a stream.
std::string report_of(const thalweg_stream& stream);

} // namespace thalweg::streams
