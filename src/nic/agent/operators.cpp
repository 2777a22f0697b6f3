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
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <memory>
#include <string_view>
#include <vector>

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

namespace {

constexpr std::size_t log_bytes = std::size_t{1} << 24;
constexpr std::size_t objection_letters = 300;

std::vector<std::byte> bytes_of(const std::string& file) {
  std::ifstream from(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(from), {}};
  if (text.empty())
    throw Error(fmt::format("{} cannot be read: {}", file, std::strerror(errno)),
                "build it: make build, with clang and libbpf", thalweg_error_system);
  std::vector<std::byte> bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

// Nothing where the kernel refuses; then `errno` says why, and `log` what its verifier has said. `is_trial`:
// the program that calls the first operator alone, instead of the others.
LoadedObject load(const std::vector<std::byte>& image, bool is_trial = false,
                  std::vector<char>* log = nullptr) {
  bpf_object_open_opts options{};
  options.sz = sizeof options;
  options.object_name = "thalweg_nic_card";
  LoadedObject object(bpf_object__open_mem(image.data(), image.size(), &options));
  if (!object)
    return nullptr;
  bpf_program* program = nullptr;
  while ((program = bpf_object__next_program(object.get(), program)) != nullptr) {
    bpf_program__set_autoload(program, (std::string_view(bpf_program__name(program)) == "trial") == is_trial);
    if (log != nullptr)
      bpf_program__set_log_buf(program, log->data(), log->size());
  }
  if (const int code = bpf_object__load(object.get()); code < 0) {
    object.reset();
    errno = -code;
  }
  return object;
}

// Throws Error where the verifier refuses the operator.
void try_alone(std::vector<std::byte> image, const Operators::Entry& one) {
  put_operator(image, 1, one.code);
  std::vector<char> log(log_bytes);
  if (load(image, true, &log))
    return;
  const int error = errno;
  const std::string said = last_words({log.data(), strnlen(log.data(), log.size())});
  throw Error(said.empty() ? std::strerror(error) : said, "");
}

// Leaves out those that `check` throws for. Numbers the others.
template <typename Check>
void sift(Operators& operators, Check check) {
  std::uint32_t taken = 0;
  for (Operators::Entry& one : operators.all()) {
    if (one.slot == 0)
      continue;
    one.slot = taken + 1;
    try {
      check(one);
      ++taken;
    } catch (const Error& error) {
      one.slot = 0;
      one.objection = std::string(error.what()).substr(0, objection_letters);
    }
  }
}

} // namespace

LoadedObject load_programs(const std::string& file, Operators& operators) {
  const std::vector<std::byte> image = bytes_of(file);
  std::vector<std::byte> filled = image;
  sift(operators, [&](const Operators::Entry& one) {
    try_alone(image, one);
    put_operator(filled, one.slot, one.code);
  });
  LoadedObject loaded = load(filled);
  if (loaded)
    return loaded;
  loaded = load(image);
  if (!loaded)
    throw Error(
        fmt::format("the kernel does not load the programs: {}", std::strerror(errno)),
        "run the agent as root, or with CAP_BPF, CAP_NET_ADMIN and CAP_PERFMON; thalweg nic check says more",
        thalweg_error_system);
  filled = image;
  sift(operators, [&](const Operators::Entry& one) {
    std::vector<std::byte> fuller = filled;
    put_operator(fuller, one.slot, one.code);
    LoadedObject with = load(fuller);
    if (!with)
      throw Error(fmt::format("the programs are not loaded with it: {}", std::strerror(errno)), "");
    loaded = std::move(with);
    filled = std::move(fuller);
  });
  return loaded;
}

} // namespace thalweg::nic
