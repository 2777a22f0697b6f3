// SPDX-License-Identifier: BSD-3-Clause
#include "nic/operator_code.hpp"

#include "base/error.hpp"
#include "nic/packet.h"

#include <array>
#include <cstring>
#include <elf.h>
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

constexpr std::size_t instructions = THALWEG_NIC_OPERATOR_INSTRUCTIONS;
constexpr std::size_t place_bytes = instructions * sizeof(bpf_insn);

// Sections: none, code with a function in front of two places, symbols, names.
struct File {
  static constexpr std::size_t code_at = sizeof(Elf64_Ehdr) + 4 * sizeof(Elf64_Shdr);
  static constexpr std::size_t in_front = 5 * sizeof(bpf_insn);
  static constexpr std::size_t symbols_at = code_at + in_front + 2 * place_bytes;
  static constexpr std::size_t names_at = symbols_at + 4 * sizeof(Elf64_Sym);
  static constexpr std::string_view names{"\0operate\0operator_1\0operator_2\0", 31};

  std::vector<std::byte> bytes = std::vector<std::byte>(names_at + names.size());

  File() {
    Elf64_Ehdr head{};
    head.e_shoff = sizeof head;
    head.e_shentsize = sizeof(Elf64_Shdr);
    head.e_shnum = 4;
    put(0, head);
    put_section(1, SHT_PROGBITS, code_at, in_front + 2 * place_bytes, 0);
    put_section(2, SHT_SYMTAB, symbols_at, 4 * sizeof(Elf64_Sym), 3);
    put_section(3, SHT_STRTAB, names_at, names.size(), 0);
    put_function(1, 1, 0, in_front);
    put_function(2, 9, in_front, place_bytes);
    put_function(3, 20, in_front + place_bytes, place_bytes);
    std::memcpy(bytes.data() + names_at, names.data(), names.size());
  }

private:
  template <typename Entry>
  void put(std::size_t at, const Entry& entry) {
    std::memcpy(bytes.data() + at, &entry, sizeof entry);
  }
  void put_section(std::size_t number, std::uint32_t type, std::size_t at, std::size_t length,
                   std::uint32_t link) {
    Elf64_Shdr section{};
    section.sh_type = type;
    section.sh_offset = at;
    section.sh_size = length;
    section.sh_link = link;
    put(sizeof(Elf64_Ehdr) + number * sizeof section, section);
  }
  void put_function(std::size_t number, std::uint32_t name, std::size_t value, std::size_t length) {
    Elf64_Sym symbol{};
    symbol.st_name = name;
    symbol.st_info = ELF64_ST_INFO(STB_WEAK, STT_FUNC);
    symbol.st_shndx = 1;
    symbol.st_value = value;
    symbol.st_size = length;
    put(symbols_at + number * sizeof symbol, symbol);
  }
};

std::vector<bpf_insn> some_code(std::size_t length) {
  std::vector<bpf_insn> code(length);
  for (std::size_t at = 0; at < length; ++at)
    code[at].imm = static_cast<std::int32_t>(at + 1);
  return code;
}

TEST(NicOperatorPlace, OnlyTheSlotsOwnPlaceIsFilledBehindAJumpOverIt) {
  for (const std::uint32_t slot : {1U, 2U})
    for (const std::size_t length : {std::size_t{1}, std::size_t{100}, instructions - 2}) {
      File file;
      const std::vector<std::byte> before = file.bytes;
      const std::vector<bpf_insn> code = some_code(length);
      put_operator(file.bytes, slot, code);
      const std::size_t at = File::code_at + File::in_front + (slot - 1) * place_bytes;
      bpf_insn first{};
      std::memcpy(&first, file.bytes.data() + at, sizeof first);
      EXPECT_EQ(first.code, BPF_JMP | BPF_JEQ | BPF_K);
      EXPECT_EQ(first.dst_reg, BPF_REG_1);
      EXPECT_EQ(first.off, static_cast<int>(length));
      EXPECT_EQ(std::memcmp(file.bytes.data() + at + sizeof first, code.data(), length * sizeof(bpf_insn)),
                0);
      std::memcpy(file.bytes.data() + at, before.data() + at, (length + 1) * sizeof(bpf_insn));
      EXPECT_EQ(file.bytes, before);
    }
}

TEST(NicOperatorPlace, WithoutAPlaceOrRoomNothingIsChanged) {
  File file;
  const std::vector<std::byte> before = file.bytes;
  EXPECT_THROW(put_operator(file.bytes, 3, some_code(1)), Error);
  EXPECT_THROW(put_operator(file.bytes, 1, some_code(instructions - 1)), Error);
  EXPECT_EQ(file.bytes, before);
}

// Nothing outside of the file is read or written, which sanitizers see.
TEST(NicOperatorPlace, FilesThatAreCutOffOrChangedDoNoHarm) {
  std::mt19937 random(5);
  const File whole;
  std::size_t refused = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    std::vector<std::byte> bytes = whole.bytes;
    if (trial % 2 == 0)
      bytes.resize(random() % bytes.size());
    for (int change = 0; change < 4 && !bytes.empty(); ++change)
      bytes[random() % std::min<std::size_t>(bytes.size(), File::code_at)] = static_cast<std::byte>(random());
    bytes.shrink_to_fit();
    try {
      put_operator(bytes, 1, some_code(7));
    } catch (const Error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 1000U);
}

} // namespace
} // namespace thalweg::nic
