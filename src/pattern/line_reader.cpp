#include "pattern/line_reader.hpp"

#include <fstream>
#include <iterator>

namespace thalweg::pattern {

std::string read_text(const std::string& file, const std::string& remedy) {
  std::ifstream stream(file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(stream), {}};
  if (!stream.good() && !stream.eof())
    throw Error(fmt::format("{} cannot be read", file), remedy, thalweg_error_system);
  return text;
}

} // namespace thalweg::pattern
