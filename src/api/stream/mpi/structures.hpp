// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Made from interfaces/ by `make interfaces`: how far a program's version may know a structure.

#include "boundary/sized.hpp"
#include "thalweg/stream.h"
#include "thalweg/stream_links.h"

#include <cstddef>

namespace thalweg::boundary {

template <>
struct Known<thalweg_stream_handler> {
  static constexpr const char* name = "thalweg_stream_handler";
  static constexpr const char* initializer = "THALWEG_STREAM_HANDLER_INIT";
  static constexpr std::size_t ends[] = {
      end_of(&thalweg_stream_handler::context, offsetof(thalweg_stream_handler, context)),
      end_of(&thalweg_stream_handler::deliver, offsetof(thalweg_stream_handler, deliver)),
      end_of(&thalweg_stream_handler::forward, offsetof(thalweg_stream_handler, forward)),
      end_of(&thalweg_stream_handler::release, offsetof(thalweg_stream_handler, release)),
      end_of(&thalweg_stream_handler::resend, offsetof(thalweg_stream_handler, resend))};
};

template <>
struct Known<thalweg_stream_options> {
  static constexpr const char* name = "thalweg_stream_options";
  static constexpr const char* initializer = "THALWEG_STREAM_OPTIONS_INIT";
  static constexpr std::size_t ends[] = {
      end_of(&thalweg_stream_options::item_bytes, offsetof(thalweg_stream_options, item_bytes)),
      end_of(&thalweg_stream_options::buffer_bytes, offsetof(thalweg_stream_options, buffer_bytes)),
      end_of(&thalweg_stream_options::memory_bytes, offsetof(thalweg_stream_options, memory_bytes)),
      end_of(&thalweg_stream_options::shape, offsetof(thalweg_stream_options, shape)),
      end_of(&thalweg_stream_options::max_pending_items, offsetof(thalweg_stream_options, max_pending_items)),
      end_of(&thalweg_stream_options::max_overflow_bytes,
             offsetof(thalweg_stream_options, max_overflow_bytes)),
      end_of(&thalweg_stream_options::period_us, offsetof(thalweg_stream_options, period_us))};
};

template <>
struct Known<thalweg_stream_statistics> {
  static constexpr const char* name = "thalweg_stream_statistics";
  static constexpr const char* initializer = "THALWEG_STREAM_STATISTICS_INIT";
  static constexpr std::size_t ends[] = {
      end_of(&thalweg_stream_statistics::buffers_full, offsetof(thalweg_stream_statistics, buffers_full)),
      end_of(&thalweg_stream_statistics::buffers_flushed,
             offsetof(thalweg_stream_statistics, buffers_flushed)),
      end_of(&thalweg_stream_statistics::buffers_waited, offsetof(thalweg_stream_statistics, buffers_waited)),
      end_of(&thalweg_stream_statistics::buffers_closed, offsetof(thalweg_stream_statistics, buffers_closed)),
      end_of(&thalweg_stream_statistics::near_bytes, offsetof(thalweg_stream_statistics, near_bytes)),
      end_of(&thalweg_stream_statistics::far_bytes, offsetof(thalweg_stream_statistics, far_bytes)),
      end_of(&thalweg_stream_statistics::buffer_bytes, offsetof(thalweg_stream_statistics, buffer_bytes)),
      end_of(&thalweg_stream_statistics::far_messages, offsetof(thalweg_stream_statistics, far_messages)),
      end_of(&thalweg_stream_statistics::hops, offsetof(thalweg_stream_statistics, hops)),
      end_of(&thalweg_stream_statistics::delivered_bytes,
             offsetof(thalweg_stream_statistics, delivered_bytes)),
      end_of(&thalweg_stream_statistics::delivered_items,
             offsetof(thalweg_stream_statistics, delivered_items)),
      end_of(&thalweg_stream_statistics::waits, offsetof(thalweg_stream_statistics, waits)),
      end_of(&thalweg_stream_statistics::waited_ns, offsetof(thalweg_stream_statistics, waited_ns)),
      end_of(&thalweg_stream_statistics::finish_ns, offsetof(thalweg_stream_statistics, finish_ns)),
      end_of(&thalweg_stream_statistics::duration_ns, offsetof(thalweg_stream_statistics, duration_ns)),
      end_of(&thalweg_stream_statistics::waves, offsetof(thalweg_stream_statistics, waves)),
      end_of(&thalweg_stream_statistics::phases, offsetof(thalweg_stream_statistics, phases)),
      end_of(&thalweg_stream_statistics::max_overflow_bytes,
             offsetof(thalweg_stream_statistics, max_overflow_bytes)),
      end_of(&thalweg_stream_statistics::max_memory_bytes,
             offsetof(thalweg_stream_statistics, max_memory_bytes))};
};

} // namespace thalweg::boundary
