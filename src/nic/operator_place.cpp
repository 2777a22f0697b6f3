// SPDX-License-Identifier: BSD-3-Clause
#include "nic/operator_place.hpp"

#include "base/error.hpp"
#include "nic/packet.h"

#include <algorithm>
#include <cstring>
#include <elf.h>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <string_view>

namespace thalweg::nic {

namespace {

// Takes nothing in the file for sound.
class ElfFile {
public:
  explicit ElfFile(std::span<const std::byte> bytes) : bytes_(bytes), head_(at<Elf64_Ehdr>(0)) {}

  // Where a function's instructions are, and how many bytes; nothing where it is not there.
  struct Place {
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
  };
  std::optional<Place> function(std::string_view name) const {
    for (std::uint32_t number = 0; number < head_.e_shnum; ++number) {
      const Elf64_Shdr table = section(number);
      if (table.sh_type != SHT_SYMTAB)
        continue;
      const Elf64_Shdr names = section(table.sh_link);
      const std::uint64_t entries = std::min<std::uint64_t>(table.sh_size, bytes_.size()) / sizeof(Elf64_Sym);
      for (std::uint64_t entry = 0; entry < entries; ++entry) {
        const auto symbol = at<Elf64_Sym>(table.sh_offset + entry * sizeof(Elf64_Sym));
        if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && text(names.sh_offset + symbol.st_name) == name)
          return Place{section(symbol.st_shndx).sh_offset + symbol.st_value, symbol.st_size};
      }
      break; // there is one
    }
    return std::nullopt;
  }

private:
  // All 0 where the file is shorter.
  template <typename Entry>
  Entry at(std::uint64_t offset) const {
    Entry entry{};
    if (offset <= bytes_.size() && bytes_.size() - offset >= sizeof entry)
      std::memcpy(&entry, bytes_.data() + offset, sizeof entry);
    return entry;
  }
  Elf64_Shdr section(std::uint32_t number) const {
    return at<Elf64_Shdr>(head_.e_shoff + std::uint64_t{number} * head_.e_shentsize);
  }
  std::string_view text(std::uint64_t offset) const {
    if (offset >= bytes_.size())
      return {};
    const auto* const from = reinterpret_cast<const char*>(bytes_.data()) + offset;
    return {from, strnlen(from, bytes_.size() - offset)};
  }

  std::span<const std::byte> bytes_;
  Elf64_Ehdr head_;
};

bpf_insn if_null_jump_over(std::size_t instructions) {
  bpf_insn made{};
  made.code = BPF_JMP | BPF_JEQ | BPF_K;
  made.dst_reg = BPF_REG_1;
  made.off = static_cast<std::int16_t>(instructions);
  return made;
}

} // namespace

// What is left of the place is what is done without an argument, so that the verifier finds a way there.
void put_operator(std::span<std::byte> object, std::uint32_t slot, std::span<const bpf_insn> code) {
  constexpr std::size_t instructions = THALWEG_NIC_OPERATOR_INSTRUCTIONS;
  const std::string name = fmt::format("operator_{}", slot);
  const auto place = ElfFile(object).function(name);
  if (!place || place->bytes != instructions * sizeof(bpf_insn) || place->offset > object.size() ||
      object.size() - place->offset < place->bytes)
    throw Error(fmt::format("the card's object file has no {}", name), "install the whole of one Thalweg");
  if (code.size() > instructions - 2)
    throw Error(fmt::format("it has {} instructions, and {} are possible", code.size(), instructions - 2),
                "make it shorter, as by loops that are not unrolled");
  const bpf_insn first = if_null_jump_over(code.size());
  std::byte* const into = object.data() + place->offset;
  std::memcpy(into, &first, sizeof first);
  std::memcpy(into + sizeof first, code.data(), code.size_bytes());
}

} // namespace thalweg::nic
