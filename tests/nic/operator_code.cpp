// SPDX-License-Identifier: BSD-3-Clause
#include "nic/operator_code.hpp"

#include <array>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

namespace thalweg::nic {
namespace {

bpf_insn instruction(int code, std::uint8_t from = 0, std::int32_t immediate = 0) {
  bpf_insn made{};
  made.code = static_cast<std::uint8_t>(code);
  made.src_reg = from & 15;
  made.imm = immediate;
  return made;
}

const bpf_insn harmless = instruction(BPF_ALU64 | BPF_ADD | BPF_X, 2);
const bpf_insn leaves = instruction(BPF_JMP | BPF_EXIT);
const bpf_insn wide = instruction(BPF_LD | BPF_IMM | BPF_DW, 0, 5);
const bpf_insn half = instruction(0, 0, 7);

TEST(NicOperatorCode, ArithmeticAndJumpsAreAllowed) {
  const std::vector<bpf_insn> code{harmless,
                                   wide,
                                   half,
                                   instruction(BPF_JMP | BPF_JA),
                                   instruction(BPF_JMP32 | BPF_JLT | BPF_K),
                                   instruction(BPF_STX | BPF_MEM | BPF_DW, 1),
                                   leaves};
  EXPECT_EQ(objection_to(code), "");
}

// Whatever it calls: the kernel's helpers, functions of its own, functions of the kernel. And whatever it
// refers to: maps, their values, the kernel's variables, functions.
TEST(NicOperatorCode, CallsAndReferencesAreRefusedWhereverTheyStand) {
  std::vector<bpf_insn> refused;
  for (const int kind : {BPF_JMP, BPF_JMP32})
    for (const int source : {BPF_K, BPF_X})
      for (std::uint8_t what = 0; what < 4; ++what)
        refused.push_back(instruction(kind | BPF_CALL | source, what, 6));
  for (std::uint8_t what = 1; what < 8; ++what)
    refused.push_back(instruction(BPF_LD | BPF_IMM | BPF_DW, what));
  refused.push_back(instruction(BPF_LD | BPF_ABS | BPF_W));
  refused.push_back(instruction(BPF_LD | BPF_IND | BPF_B));
  for (const bpf_insn& one : refused)
    for (std::size_t place = 0; place < 4; ++place) {
      std::vector<bpf_insn> code{harmless, wide, half, harmless, leaves};
      const std::array<std::ptrdiff_t, 4> places{0, 1, 3, 4}; // not within the wide one
      code.insert(code.begin() + places[place], one);
      if (BPF_CLASS(one.code) == BPF_LD && BPF_MODE(one.code) == BPF_IMM)
        code.insert(code.begin() + places[place] + 1, half);
      EXPECT_NE(objection_to(code), "") << int{one.code} << " of " << int{one.src_reg} << " at " << place;
    }
}

TEST(NicOperatorCode, TheOtherHalfOfAWideConstantIsNoInstruction) {
  EXPECT_EQ(objection_to(std::vector<bpf_insn>{wide, instruction(0, 0, BPF_JMP | BPF_CALL), leaves}), "");
}

TEST(NicOperatorCode, VersionsDifferInTheirDigests) {
  std::mt19937 random(3);
  const std::vector<bpf_insn> code{harmless, wide, half, leaves};
  const std::uint64_t digest = digest_of("product", 4, code);
  EXPECT_NE(digest, 0U);
  EXPECT_EQ(digest_of("product", 4, code), digest);
  EXPECT_NE(digest_of("products", 4, code), digest);
  EXPECT_NE(digest_of("product", 2, code), digest);
  EXPECT_NE(digest_of("product", 4, std::span(code).first(3)), digest);
  for (int trial = 0; trial < 1000; ++trial) {
    std::vector<bpf_insn> changed = code;
    auto* const bytes = reinterpret_cast<unsigned char*>(changed.data());
    bytes[random() % (changed.size() * sizeof(bpf_insn))] ^= static_cast<unsigned char>(1 + random() % 255);
    EXPECT_NE(digest_of("product", 4, changed), digest);
  }
}

TEST(NicOperatorCode, NamesAreThoseOfFunctions) {
  for (const char* good : {"p", "_", "Quaternion_product2", "a234567890123456789012345678901"})
    EXPECT_TRUE(is_operator_name(good)) << good;
  for (const char* bad : {"", "2p", "p-q", "p q", "p\n", "\xc3\xa4", "a2345678901234567890123456789012"})
    EXPECT_FALSE(is_operator_name(bad)) << bad;
}

TEST(NicOperatorCode, WhatTheVerifierSaidLastIsFoundBetweenItsListings) {
  const std::string log = "func#0 @0\n"
                          "0: R1=mem_or_null(id=1,sz=520) R10=fp0\n"
                          "; if (!all) @ beyond.c:5\n"
                          "0: (15) if r1 == 0x0 goto pc+9        ; R1=mem(sz=520)\n"
                          "from 3 to 9: R1=mem(sz=520)\n"
                          "R0=scalar() R1=mem(sz=520)\n"
                          "invalid access to memory, mem_size=520 off=752 size=8\n"
                          "R2 max value is outside of the allowed memory range\n"
                          "processed 13 insns (limit 1000000) max_states_per_insn 0\n";
  EXPECT_EQ(last_words(log), "invalid access to memory, mem_size=520 off=752 size=8; "
                             "R2 max value is outside of the allowed memory range");
  EXPECT_EQ(
      last_words("infinite loop detected at insn 7\ncur state: R1=mem(sz=520)\nold state: R1=mem(sz=520)\n"),
      "infinite loop detected at insn 7");
  EXPECT_EQ(last_words(""), "");
  EXPECT_EQ(last_words("no line's end"), "no line's end");
}

} // namespace
} // namespace thalweg::nic
