// SPDX-License-Identifier: BSD-3-Clause
#include "nic/operator_code.hpp"

#include "base/assertion.hpp"
#include "base/error.hpp"
#include "base/random.hpp"
#include "nic/agent_messages.h"
#include "nic/packet.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <elf.h>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace thalweg::nic {

namespace {

bool is_letter(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || letter == '_';
}

bool is_digit(char letter) {
  return letter >= '0' && letter <= '9';
}

std::string_view bytes_of(const void* data, std::size_t bytes) {
  return {static_cast<const char*>(data), bytes};
}

bool is_listing(std::string_view line) {
  constexpr std::array<std::string_view, 11> beginnings{
      ";",           "R",     "from ", "cur state",  "old state", "processed ", "verification time",
      "stack depth", "func#", "Func#", "Validating "};
  const auto digits = static_cast<std::size_t>(std::ranges::find_if_not(line, is_digit) - line.begin());
  return (digits != 0 && line.substr(digits).starts_with(':')) ||
         std::ranges::any_of(beginnings, [&](std::string_view one) {
           // Registers' states begin like what is said of one: "R1=..." beside "R1 invalid mem access".
           return one == "R" ? line.starts_with('R') && line.substr(0, line.find(' ')).find('=') != line.npos
                             : line.starts_with(one);
         });
}

} // namespace

std::string objection_to(std::span<const bpf_insn> code) {
  for (std::size_t at = 0; at < code.size(); ++at) {
    const bpf_insn& one = code[at];
    const int kind = BPF_CLASS(one.code);
    if ((kind == BPF_JMP || kind == BPF_JMP32) && BPF_OP(one.code) == BPF_CALL)
      return fmt::format("instruction {} calls a function: have static functions inlined, and call no others",
                         at);
    if (kind == BPF_LD && BPF_MODE(one.code) != BPF_IMM)
      return fmt::format("instruction {} reads a packet", at);
    if (one.code == (BPF_LD | BPF_IMM | BPF_DW)) {
      if (one.src_reg != 0)
        return fmt::format("instruction {} refers to data outside of the elements", at);
      ++at; // its other half
    }
  }
  return {};
}

// It tells versions apart, and guards against nobody.
std::uint64_t digest_of(std::string_view name, std::uint32_t words, std::span<const bpf_insn> code) {
  std::uint64_t digest = text_hash(name);
  digest = text_hash(bytes_of(&words, sizeof words), digest);
  digest = text_hash(bytes_of(code.data(), code.size_bytes()), digest);
  return digest == 0 ? 1 : digest;
}

bool is_operator_name(std::string_view name) {
  return !name.empty() && name.size() < THALWEG_NIC_OPERATOR_NAME && is_letter(name.front()) &&
         std::ranges::all_of(name, [](char letter) { return is_letter(letter) || is_digit(letter); });
}

std::string last_words(std::string_view log) {
  std::vector<std::string_view> lines;
  while (!log.empty()) {
    const std::size_t length = std::min(log.find('\n'), log.size());
    std::string_view line = log.substr(0, length);
    log.remove_prefix(std::min(length + 1, log.size()));
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    if (!line.empty() && !is_listing(line))
      lines.push_back(line);
  }
  constexpr std::size_t kept = 2;
  const std::size_t first = lines.size() < kept ? 0 : lines.size() - kept;
  return fmt::format("{}", fmt::join(lines.begin() + static_cast<std::ptrdiff_t>(first), lines.end(), "; "));
}

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
  THALWEG_ASSERT(light, slot > 0);
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
