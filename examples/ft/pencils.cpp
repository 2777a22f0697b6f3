// SPDX-License-Identifier: BSD-3-Clause
#include "ft/field.hpp"

#include <algorithm>
#include <stdexcept>

namespace thalweg::examples::ft {

namespace {

int divided(int whole, int parts, char const* what) {
  if (whole % parts != 0)
    throw std::runtime_error(std::string(what) + ": " + std::to_string(whole) + " cannot be cut into " +
                             std::to_string(parts) + " equal parts: choose other rows and columns of ranks");
  return whole / parts;
}

// The field lies as [z of the column][y of the row][x], then as [z of the column][y][x of the row], the
// spectrum as [z][y of the column][x of the row].
class Pencils final : public Field {
public:
  Pencils(Problem const& problem, Exchange const& row, Exchange const& column)
      : problem_(problem), row_(row), column_(column), x_(divided(problem.nx, row.ranks(), "x")),
        y_in_row_(divided(problem.ny, row.ranks(), "y")),
        y_in_column_(divided(problem.ny, column.ranks(), "y")), z_(divided(problem.nz, column.ranks(), "z")),
        field_(size()), middle_(size()), spectrum_(size()), forward_(*this, FFTW_FORWARD),
        inverse_(*this, FFTW_BACKWARD) {}

  std::span<Complex> field() override { return field_; }
  std::span<Complex> spectrum() override { return spectrum_; }

  void forward() override {
    forward_.x.run(field_.data());
    turn_rows(true);
    for (int z = 0; z < z_; ++z)
      forward_.y.run(&field_[index(z) * plane()]);
    turn_columns(true);
    forward_.z.run(spectrum_.data());
  }
  void inverse() override {
    inverse_.z.run(spectrum_.data());
    turn_columns(false);
    for (int z = 0; z < z_; ++z)
      inverse_.y.run(&field_[index(z) * plane()]);
    turn_rows(false);
    inverse_.x.run(field_.data());
  }

  void visit_planes(std::function<void(std::span<Complex>, int, int)> const& visit) override {
    for (int z = 0; z < z_; ++z)
      for (int y = 0; y < y_in_row_; ++y)
        visit(std::span(field_).subspan((index(z) * index(y_in_row_) + index(y)) * index(problem_.nx),
                                        index(problem_.nx)),
              row_.rank() * y_in_row_ + y, column_.rank() * z_ + z);
  }
  void visit_spectrum(Visit const& visit) const override {
    std::size_t place = 0;
    for (int z = 0; z < problem_.nz; ++z)
      for (int y = 0; y < y_in_column_; ++y)
        for (int x = 0; x < x_; ++x)
          visit(place++, row_.rank() * x_ + x, column_.rank() * y_in_column_ + y, z);
  }

private:
  struct Transforms {
    Transforms(Pencils const& of, int sign)
        : x(of.problem_.nx, of.z_ * of.y_in_row_, 1, of.problem_.nx, sign),
          y(of.problem_.ny, of.x_, of.x_, 1, sign),
          z(of.problem_.nz, of.y_in_column_ * of.x_, of.y_in_column_ * of.x_, 1, sign) {}
    Rows x;
    Rows y;
    Rows z;
  };

  static std::size_t index(int number) { return static_cast<std::size_t>(number); }
  std::size_t plane() const { return index(problem_.ny) * index(x_); }
  std::size_t size() const { return plane() * index(z_); }

  // Between [z][y of the row][x] and [z][y][x of the row].
  void turn_rows(bool forth) {
    if (forth) {
      pack_x(true);
      row_.run(middle_, spectrum_);
      pack_y(true);
    } else {
      pack_y(false);
      row_.run(spectrum_, middle_);
      pack_x(false);
    }
  }
  // field [z][y][rank, x] <-> middle [rank][z][y][x]
  void pack_x(bool forth) {
    for (int rank = 0; rank < row_.ranks(); ++rank)
      for (int line = 0; line < z_ * y_in_row_; ++line)
        copy(&field_[index(line) * index(problem_.nx) + index(rank) * index(x_)],
             &middle_[(index(rank) * index(z_ * y_in_row_) + index(line)) * index(x_)], index(x_), forth);
  }
  // field [z][rank, y][x] <-> spectrum [rank][z][y][x]
  void pack_y(bool forth) {
    std::size_t const rows = index(y_in_row_) * index(x_);
    for (int rank = 0; rank < row_.ranks(); ++rank)
      for (int z = 0; z < z_; ++z)
        copy(&field_[index(z) * plane() + index(rank) * rows],
             &spectrum_[(index(rank) * index(z_) + index(z)) * rows], rows, !forth);
  }
  // Between [z of the column][y][x] and [z][y of the column][x]: by way of [rank][z][y][x], which is the
  // latter.
  void turn_columns(bool forth) {
    if (forth) {
      pack_column(true);
      column_.run(middle_, spectrum_);
    } else {
      column_.run(spectrum_, middle_);
      pack_column(false);
    }
  }
  void pack_column(bool forth) {
    std::size_t const rows = index(y_in_column_) * index(x_);
    for (int rank = 0; rank < column_.ranks(); ++rank)
      for (int z = 0; z < z_; ++z)
        copy(&field_[index(z) * plane() + index(rank) * rows],
             &middle_[(index(rank) * index(z_) + index(z)) * rows], rows, forth);
  }
  static void copy(Complex* one, Complex* other, std::size_t count, bool forth) {
    if (forth)
      std::copy_n(one, count, other);
    else
      std::copy_n(other, count, one);
  }

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

} // namespace

std::unique_ptr<Field> pencils(Problem const& problem, Exchange const& row, Exchange const& column) {
  return std::make_unique<Pencils>(problem, row, column);
}

} // namespace thalweg::examples::ft
