// SPDX-License-Identifier: BSD-3-Clause
#include "ft/nas.hpp"

#include <cmath>
#include <numbers>

namespace thalweg::examples::ft {

namespace {

constexpr Complex class_s[] = {
    {5.546087004964E+02, 4.845363331978E+02}, {5.546385409190E+02, 4.865304269511E+02},
    {5.546148406171E+02, 4.883910722337E+02}, {5.545423607415E+02, 4.901273169046E+02},
    {5.544255039624E+02, 4.917475857993E+02}, {5.542683411903E+02, 4.932597244941E+02}};
constexpr Complex class_w[] = {
    {5.673612178944E+02, 5.293246849175E+02}, {5.631436885271E+02, 5.282149986629E+02},
    {5.594024089970E+02, 5.270996558037E+02}, {5.560698047020E+02, 5.260027904925E+02},
    {5.530898991250E+02, 5.249400845633E+02}, {5.504159734538E+02, 5.239212247086E+02}};
constexpr Complex class_a[] = {
    {5.046735008193E+02, 5.114047905510E+02}, {5.059412319734E+02, 5.098809666433E+02},
    {5.069376896287E+02, 5.098144042213E+02}, {5.077892868474E+02, 5.101336130759E+02},
    {5.085233095391E+02, 5.104914655194E+02}, {5.091487099959E+02, 5.107917842803E+02}};
constexpr Complex class_b[] = {
    {5.177643571579E+02, 5.077803458597E+02}, {5.154521291263E+02, 5.088249431599E+02},
    {5.146409228649E+02, 5.096208912659E+02}, {5.142378756213E+02, 5.101023387619E+02},
    {5.139626667737E+02, 5.103976610617E+02}, {5.137423460082E+02, 5.105948019802E+02},
    {5.135547056878E+02, 5.107404165783E+02}, {5.133910925466E+02, 5.108576573661E+02},
    {5.132470705390E+02, 5.109577278523E+02}, {5.131197729984E+02, 5.110460304483E+02},
    {5.130070319283E+02, 5.111252433800E+02}, {5.129070537032E+02, 5.111968077718E+02},
    {5.128182883502E+02, 5.112616233064E+02}, {5.127393733383E+02, 5.113203605551E+02},
    {5.126691062020E+02, 5.113735928093E+02}, {5.126064276004E+02, 5.114218460548E+02},
    {5.125504076570E+02, 5.114656139760E+02}, {5.125002331720E+02, 5.115053595966E+02},
    {5.124551951846E+02, 5.115415130407E+02}, {5.124146770029E+02, 5.115744692211E+02}};

// NPB's generator: x' = 5^13 x mod 2^46.
constexpr std::uint64_t modulus_mask = (std::uint64_t{1} << 46) - 1;
constexpr std::uint64_t multiplier = 1220703125;
constexpr std::uint64_t seed = 314159265;

std::uint64_t power(std::uint64_t base, std::uint64_t exponent) {
  std::uint64_t result = 1;
  for (; exponent > 0; exponent /= 2, base = base * base & modulus_mask)
    if (exponent % 2 == 1)
      result = result * base & modulus_mask;
  return result;
}

double next(std::uint64_t& state) {
  state = state * multiplier & modulus_mask;
  return std::ldexp(static_cast<double>(state), -46);
}

double folded(int k, int n) {
  return k >= n / 2 ? k - n : k;
}

} // namespace

std::span<Problem const> problems() {
  static Problem const all[] = {{"S", 64, 64, 64, 6, class_s},
                                {"W", 128, 128, 32, 6, class_w},
                                {"A", 256, 256, 128, 6, class_a},
                                {"B", 512, 256, 256, 20, class_b}};
  return all;
}

void fill_plane(std::span<Complex> plane, Problem const& problem, int z) {
  auto const before = 2 * static_cast<std::uint64_t>(problem.nx) * static_cast<std::uint64_t>(problem.ny) *
                      static_cast<std::uint64_t>(z);
  std::uint64_t state = seed * power(multiplier, before) & modulus_mask;
  for (Complex& number : plane) {
    double const real = next(state);
    number = {real, next(state)};
  }
}

double decay(Problem const& problem, int kx, int ky, int kz) {
  constexpr double alpha = 1e-6;
  double const x = folded(kx, problem.nx);
  double const y = folded(ky, problem.ny);
  double const z = folded(kz, problem.nz);
  return std::exp(-4 * alpha * std::numbers::pi * std::numbers::pi * (x * x + y * y + z * z));
}

std::array<int, 3> checksum_place(Problem const& problem, int j) {
  return {j % problem.nx, 3 * j % problem.ny, 5 * j % problem.nz};
}

bool is_right(Problem const& problem, int iteration, Complex checksum) {
  Complex const published = problem.checksums[static_cast<std::size_t>(iteration)];
  constexpr double tolerance = 1e-12;
  return std::abs((checksum.real() - published.real()) / published.real()) < tolerance &&
         std::abs((checksum.imag() - published.imag()) / published.imag()) < tolerance;
}

} // namespace thalweg::examples::ft
