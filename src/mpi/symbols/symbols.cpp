// Source lines from debugging information, in a library of its own so that libdw is loaded only when a report
// is made.

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <map>
#include <string>

#include <elfutils/libdwfl.h>

namespace {

// Looks only at files of this machine: no debug information server is asked while a program ends.
const Dwfl_Callbacks callbacks{dwfl_build_id_find_elf, dwfl_build_id_find_debuginfo,
                               dwfl_offline_section_address, nullptr};

Dwfl_Module* open_module(const char* path) {
  static std::map<std::string, Dwfl_Module*> modules;
  const auto [entry, fresh] = modules.try_emplace(path, nullptr);
  if (fresh) {
    if (Dwfl* dwfl = dwfl_begin(&callbacks)) {
      dwfl_report_begin(dwfl);
      entry->second = dwfl_report_offline(dwfl, path, path, -1);
      dwfl_report_end(dwfl, nullptr, nullptr);
    }
  }
  return entry->second;
}

const char* base_name(const char* path) {
  const char* slash = std::strrchr(path, '/');
  return slash == nullptr ? path : slash + 1;
}

// What stands at the end of a demangled name behind the parentheses of its parameters, " const" or the like,
// and they themselves are left out, and so is what a template's function returns.
std::string without_types(const std::string& name) {
  const std::size_t close = name.rfind(')');
  std::size_t end = name.size();
  if (close != std::string::npos && name.find('(', close) == std::string::npos) {
    int depth = 1;
    for (end = close; end > 0 && depth > 0; --end)
      depth += name[end - 1] == ')' ? 1 : name[end - 1] == '(' ? -1 : 0;
  }
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t place = 0; place < end; ++place) {
    depth += std::strchr("<({[", name[place]) != nullptr   ? 1
             : std::strchr(">)}]", name[place]) != nullptr ? -1
                                                           : 0;
    if (depth == 0 && name[place] == ' ' && (place < 8 || name.compare(place - 8, 8, "operator") != 0))
      begin = place + 1;
  }
  return end > begin ? name.substr(begin, end - begin) : name;
}

std::string demangled(const char* name) {
  int status = 0;
  char* const text = abi::__cxa_demangle(name, nullptr, nullptr, &status);
  if (text == nullptr)
    return name;
  std::string whole = text;
  std::free(text);
  if (const std::size_t clone = whole.find(" [clone"); clone != std::string::npos)
    whole.erase(clone);
  return without_types(whole);
}

} // namespace

// Describes the call that returns to `address` of the file `module`; 0 when nothing is known of it.
extern "C" __attribute__((visibility("default"))) int
thalweg_describe_source(const char* module, unsigned long address, char* text, std::size_t size) {
  Dwfl_Module* found = open_module(module);
  GElf_Addr bias = 0;
  if (found == nullptr || dwfl_module_getelf(found, &bias) == nullptr) {
    return 0;
  }
  const GElf_Addr place = address + bias - 1; // inside of the call, not after it
  GElf_Off offset = 0;
  GElf_Sym symbol{};
  const char* symbol_name = dwfl_module_addrinfo(found, place, &offset, &symbol, nullptr, nullptr, nullptr);
  const std::string name = symbol_name == nullptr ? "" : demangled(symbol_name);
  if (Dwfl_Line* line = dwfl_module_getsrc(found, place)) {
    int number = 0;
    if (const char* file = dwfl_lineinfo(line, nullptr, &number, nullptr, nullptr, nullptr)) {
      std::snprintf(text, size, name.empty() ? "%s:%d" : "%s:%d (%s)", base_name(file), number, name.c_str());
      return 1;
    }
  }
  if (name.empty()) {
    return 0;
  }
  std::snprintf(text, size, "%s+%#lx (%s)", name.c_str(), static_cast<unsigned long>(offset + 1),
                base_name(module));
  return 1;
}
