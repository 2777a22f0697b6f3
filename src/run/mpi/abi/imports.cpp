// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/abi/imports.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <link.h>
#include <span>
#include <string>

namespace thalweg::mpi {

namespace {

constexpr std::array stems{"barrier", "bcast",     "reduce",   "allreduce", "gather",   "scatter",
                           "scan",    "allgather", "alltoall", "exscan",    "neighbor_"};

// The tables of a file that say what it wants.
struct DynamicTables {
  const ElfW(Sym) * symbols = nullptr;
  const char* names = nullptr;
  std::size_t name_bytes = 0;
  std::span<const ElfW(Rela)> of_calls;
  std::span<const ElfW(Rela)> of_data;
};

class DynamicSection {
public:
  explicit DynamicSection(const dl_phdr_info& file) : base_(file.dlpi_addr) {
    for (const ElfW(Phdr) & header : std::span(file.dlpi_phdr, file.dlpi_phnum))
      if (header.p_type == PT_DYNAMIC)
        entries_ = reinterpret_cast<const ElfW(Dyn)*>(base_ + header.p_vaddr);
  }

  DynamicTables tables() const {
    const auto calls = value(DT_PLTREL) == DT_RELA ? value(DT_PLTRELSZ) : 0;
    return {.symbols = at<ElfW(Sym)>(DT_SYMTAB),
            .names = at<char>(DT_STRTAB),
            .name_bytes = value(DT_STRSZ),
            .of_calls = relocations(DT_JMPREL, calls),
            .of_data = relocations(DT_RELA, value(DT_RELASZ))};
  }

private:
  std::size_t value(std::ptrdiff_t tag) const {
    for (const ElfW(Dyn)* entry = entries_; entry != nullptr && entry->d_tag != DT_NULL; ++entry)
      if (entry->d_tag == tag)
        return entry->d_un.d_val;
    return 0;
  }
  // Some systems leave addresses as they are in the file.
  template <typename Item>
  const Item* at(std::ptrdiff_t tag) const {
    const std::size_t address = value(tag);
    return reinterpret_cast<const Item*>(address != 0 && address < base_ ? base_ + address : address);
  }
  std::span<const ElfW(Rela)> relocations(std::ptrdiff_t tag, std::size_t bytes) const {
    const auto* const first = at<ElfW(Rela)>(tag);
    return first == nullptr ? std::span<const ElfW(Rela)>{} : std::span(first, bytes / sizeof(ElfW(Rela)));
  }

  std::size_t base_;
  const ElfW(Dyn) * entries_ = nullptr;
};

std::size_t symbol_of(const ElfW(Rela) & relocation) {
  return sizeof(void*) == 8 ? ELF64_R_SYM(relocation.r_info) : ELF32_R_SYM(relocation.r_info);
}

bool wants_one(const DynamicTables& tables) {
  if (tables.symbols == nullptr || tables.names == nullptr)
    return false;
  const auto is_one = [&](const ElfW(Rela) & relocation) {
    const std::size_t index = symbol_of(relocation);
    return index != 0 && tables.symbols[index].st_name < tables.name_bytes &&
           names_nonblocking_collective(tables.names + tables.symbols[index].st_name);
  };
  return std::ranges::any_of(tables.of_calls, is_one) || std::ranges::any_of(tables.of_data, is_one);
}

bool is_ours_or_the_librarys(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  return name.starts_with("libmpi") || name.starts_with("libpmpi") || name.starts_with("libthalweg");
}

int look_at(dl_phdr_info* file, std::size_t, void*) {
  return !is_ours_or_the_librarys(file->dlpi_name) && wants_one(DynamicSection(*file).tables()) ? 1 : 0;
}

} // namespace

bool names_nonblocking_collective(std::string_view symbol) {
  constexpr std::string_view prefix = "mpi_i";
  if (symbol.size() > 1 && std::tolower(static_cast<unsigned char>(symbol.front())) == 'p')
    symbol.remove_prefix(1);
  const auto begins_with = [&symbol](std::string_view lower) {
    if (symbol.size() < lower.size())
      return false;
    const bool is_it =
        std::ranges::equal(symbol.substr(0, lower.size()), lower, {},
                           [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    if (is_it)
      symbol.remove_prefix(lower.size());
    return is_it;
  };
  return begins_with(prefix) && std::ranges::any_of(stems, begins_with);
}

bool may_start_collectives() {
  return dl_iterate_phdr(look_at, nullptr) != 0;
}

} // namespace thalweg::mpi
