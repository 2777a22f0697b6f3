// SPDX-License-Identifier: BSD-3-Clause
#include "nic/operator_place.hpp"

#include "base/error.hpp"
#include "nic/packet.h"

#include <cstring>
#include <elf.h>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

namespace thalweg::nic {
namespace {

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
