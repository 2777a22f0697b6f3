#include "simulate/noise.hpp"

#include "core/error.hpp"

#include <array>
#include <charconv>
#include <fmt/format.h>

namespace thalweg::simulate {

Noise parse_noise(std::string_view text) {
  constexpr Ticks period_max = Ticks{1} << 40;
  std::array<Ticks, 3> numbers{0, 0, 1};
  std::size_t count = 0;
  for (std::string_view rest = text; count < numbers.size(); ++count) {
    const std::string_view word = rest.substr(0, rest.find(','));
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), numbers[count]);
    if (error != std::errc{} || end != word.data() + word.size())
      break;
    if (word.size() == rest.size()) {
      const auto [period, duration, seed] = numbers;
      if (count == 0 || duration < 1 || duration >= period || period > period_max || seed < 0)
        break;
      return {period, duration, static_cast<std::uint64_t>(seed)};
    }
    rest.remove_prefix(word.size() + 1);
  }
  throw Error(
      fmt::format("noise {:?}", text),
      "write PERIOD,DURATION in nanoseconds, the latter shorter, and perhaps a seed: 1000000,25000,7");
}

} // namespace thalweg::simulate
