// SPDX-License-Identifier: BSD-3-Clause
#include "nic/agent/operators.hpp"

#include "base/error.hpp"
#include "nic/agent_messages.h"
#include "nic/operator_code.hpp"
#include "thalweg/nic_operator.h"

#include <algorithm>
#include <bpf/libbpf.h>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <memory>

namespace thalweg::nic {

namespace {

constexpr std::string_view section_beginning = "operator/";

[[noreturn]] void refuse(const std::string& reason) {
  throw Error(reason, "");
}

// The section is operator/WORDS (thalweg/nic_operator.h).
std::uint32_t words_in(std::string_view section) {
  const std::string_view digits = section.substr(std::min(section_beginning.size(), section.size()));
  std::uint32_t words = 0;
  const auto [rest, code] = std::from_chars(digits.data(), digits.data() + digits.size(), words);
  const bool is_read = code == std::errc() && rest == digits.data() + digits.size();
  if (!section.starts_with(section_beginning) || !is_read || words < 1 || words > THALWEG_NIC_OPERAND_WORDS)
    refuse(fmt::format("its section is {}: define it by THALWEG_NIC_OPERATOR", section));
  return words;
}

} // namespace

Operators::Operators(const std::string& folder) {
  libbpf_set_print(nullptr); // what is wrong is said by us
  if (folder.empty())
    return;
  std::vector<std::string> files;
  try {
    for (const auto& file : std::filesystem::directory_iterator(folder))
      if (file.path().extension() == ".o")
        files.push_back(file.path());
  } catch (const std::filesystem::filesystem_error& error) {
    throw Error(fmt::format("operators cannot be looked for in {}: {}", folder, error.code().message()),
                "name a folder that the agent may read: --operators", thalweg_error_system);
  }
  std::ranges::sort(files);
  for (const std::string& file : files)
    read(file);
}

void Operators::read(const std::string& file) {
  Entry entry{.name = std::filesystem::path(file).filename()};
  try {
    const std::unique_ptr<bpf_object, void (*)(bpf_object*)> object(
        bpf_object__open_file(file.c_str(), nullptr), bpf_object__close);
    if (!object)
      refuse(fmt::format("it cannot be read as a program: {}", std::strerror(errno)));
    bpf_program* const program = bpf_object__next_program(object.get(), nullptr);
    if (program == nullptr || bpf_object__next_program(object.get(), program) != nullptr)
      refuse("it has not one function: define one by THALWEG_NIC_OPERATOR, and have others inlined");
    const std::string name = bpf_program__name(program);
    if (!is_operator_name(name))
      refuse(fmt::format("{} is too long a name: at most {} letters", name, THALWEG_NIC_OPERATOR_NAME - 1));
    entry.name = name;
    entry.words = words_in(bpf_program__section_name(program));
    const bpf_insn* const code = bpf_program__insns(program);
    entry.code.assign(code, code + bpf_program__insn_cnt(program));
    entry.digest = digest_of(name, entry.words, entry.code);
    if (bpf_object__next_map(object.get(), nullptr) != nullptr)
      refuse("it has data of its own, as a table: compute what it holds");
    if (const std::string objection = objection_to(entry.code); !objection.empty())
      refuse(objection);
    const auto is_there = [](const Entry& one) { return one.slot != 0; };
    if (std::ranges::any_of(entries_, [&](const Entry& one) { return is_there(one) && one.name == name; }))
      refuse("there is another one of that name");
    const auto before = static_cast<std::uint32_t>(std::ranges::count_if(entries_, is_there));
    if (before == THALWEG_NIC_OPERATORS)
      refuse(fmt::format("{} are all that a host has", int{THALWEG_NIC_OPERATORS}));
    entry.slot = before + 1;
  } catch (const Error& error) {
    entry.objection = error.what();
  }
  entries_.push_back(std::move(entry));
}

const Operators::Entry& Operators::named(std::string_view name) const {
  const Entry* found = nullptr;
  for (const Entry& one : entries_)
    if (one.name == name && (found == nullptr || one.slot != 0))
      found = &one;
  if (found == nullptr)
    throw Error(fmt::format("it has no operator {}", name), "ask the administrator for it");
  if (found->slot == 0)
    throw Error(fmt::format("it left out the operator {}", name), found->objection);
  return *found;
}

std::uint32_t Operators::slot_of(std::uint64_t digest) const {
  if (digest == 0)
    return 0;
  const auto found =
      std::ranges::find_if(entries_, [&](const Entry& one) { return one.slot != 0 && one.digest == digest; });
  if (found == entries_.end())
    throw Error(fmt::format("it has no operator {:016x}", digest), "give all agents the same operators");
  return found->slot;
}

namespace {

std::string quoted(std::string text) {
  std::ranges::replace_if(
      text, [](unsigned char letter) { return std::isprint(letter) == 0 || letter == '"' || letter == '\\'; },
      '\'');
  return text;
}

} // namespace

std::string Operators::describe() const {
  std::string all;
  for (const Entry& one : entries_)
    all +=
        fmt::format(R"({}{{"name":"{}","words":{},"digest":"{:016x}","objection":"{}"}})",
                    all.empty() ? "" : ",", quoted(one.name), one.words, one.digest, quoted(one.objection));
  return "[" + all + "]";
}

} // namespace thalweg::nic
