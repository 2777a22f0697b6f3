// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/trace/packed_trace.hpp"

#include <exception>
#include <gtest/gtest.h>

namespace thalweg::mpi {
namespace {

const PackedTrace some_trace{
    "send 1 8\nrecv 0 8\n", {{"one-sided calls", 3}, {"calls of threads", 1}}, 12, true};

TEST(PackedTrace, ArrivesAsItWasSent) {
  const PackedTrace arrived = unpack_trace(pack(some_trace));
  EXPECT_EQ(arrived.lines, some_trace.lines);
  EXPECT_EQ(arrived.lacks, some_trace.lacks);
  EXPECT_EQ(arrived.calls, 12U);
  EXPECT_TRUE(arrived.is_cut);
}

TEST(PackedTrace, OneThatWasCutShortIsRefused) {
  const std::vector<std::uint8_t> whole = pack(some_trace);
  for (std::size_t bytes = 0; bytes < whole.size(); ++bytes)
    EXPECT_THROW(unpack_trace(std::span(whole).first(bytes)), std::exception) << bytes;
}

} // namespace
} // namespace thalweg::mpi
