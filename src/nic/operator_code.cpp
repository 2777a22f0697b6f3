// SPDX-License-Identifier: BSD-3-Clause
#include "nic/operator_code.hpp"

#include "nic/agent_messages.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <vector>

namespace thalweg::nic {

namespace {

bool is_letter(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || letter == '_';
}

bool is_digit(char letter) {
  return letter >= '0' && letter <= '9';
}

// 64 bits of FNV-1a: it tells versions apart, and guards against nobody.
struct Digest {
  std::uint64_t value = 0xcbf29ce484222325U;
  void add(const void* data, std::size_t bytes) {
    for (const auto* at = static_cast<const unsigned char*>(data); bytes != 0; --bytes)
      value = (value ^ *at++) * 0x100000001b3U;
  }
};

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

std::uint64_t digest_of(std::string_view name, std::uint32_t words, std::span<const bpf_insn> code) {
  Digest digest;
  digest.add(name.data(), name.size());
  digest.add(&words, sizeof words);
  digest.add(code.data(), code.size_bytes());
  return digest.value == 0 ? 1 : digest.value;
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

} // namespace thalweg::nic
