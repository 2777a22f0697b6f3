// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "ft/field.hpp"

namespace thalweg::examples::ft {

/// What both kinds of pencils have. The field lies as [z of the column][y of the row][x], then as [z of the
/// column][y][x of the row], the spectrum as [z][y of the column][x of the row].
class Pencils : public Field {
public:
  Pencils(Problem const& problem, Exchange const& row, Exchange const& column);

  std::span<Complex> field() override { return field_; }
  std::span<Complex> spectrum() override { return spectrum_; }
  void visit_planes(std::function<void(std::span<Complex>, int, int)> const& visit) override;
  void visit_spectrum(Visit const& visit) const override;

protected:
  struct Transforms {
    Transforms(Pencils const& of, int sign)
        : x(of.problem_.nx, of.y_in_row_, 1, of.problem_.nx, sign), y(of.problem_.ny, of.x_, of.x_, 1, sign),
          z(of.problem_.nz, of.y_in_column_ * of.x_, of.y_in_column_ * of.x_, 1, sign) {}
    Rows x; ///< of a plane
    Rows y;
    Rows z; ///< of the spectrum
  };

  static std::size_t index(int number) { return static_cast<std::size_t>(number); }
  std::size_t plane_size() const { return index(problem_.ny) * index(x_); }
  std::size_t size() const { return plane_size() * index(z_); }
  std::span<Complex> plane(std::vector<Complex>& of, int z) const {
    return std::span(of).subspan(index(z) * plane_size(), plane_size());
  }
  virtual int z_of(int plane) const = 0;
  /// Between a plane as [y of the row][rank, x] and as [rank][y of the row][x], `distance` from rank to rank.
  void turn_plane(Complex* plane, Complex* packed, std::size_t distance, bool forth) const;

  Problem const& problem_;
  Exchange row_;
  Exchange column_;
  int x_;
  int y_in_row_;
  int y_in_column_;
  int z_;
  std::vector<Complex> field_;
  std::vector<Complex> middle_;
  std::vector<Complex> spectrum_;
  Transforms forward_;
  Transforms inverse_;
};

} // namespace thalweg::examples::ft
