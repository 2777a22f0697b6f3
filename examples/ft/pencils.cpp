// SPDX-License-Identifier: BSD-3-Clause
#include "ft/pencils.hpp"

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

void copy(Complex* one, Complex* other, std::size_t count, bool forth) {
  if (forth)
    std::copy_n(one, count, other);
  else
    std::copy_n(other, count, one);
}

class PackedPencils final : public Pencils {
public:
  using Pencils::Pencils;

  void forward() override {
    for (int z = 0; z < z_; ++z) {
      forward_.x.run(plane(field_, z).data());
      pack_x(z, true);
    }
    row_.run(middle_, spectrum_);
    pack_y(false);
    for (int z = 0; z < z_; ++z)
      forward_.y.run(plane(field_, z).data());
    pack_column(true);
    column_.run(middle_, spectrum_);
    forward_.z.run(spectrum_.data());
  }
  void inverse() override {
    inverse_.z.run(spectrum_.data());
    column_.run(spectrum_, middle_);
    pack_column(false);
    for (int z = 0; z < z_; ++z)
      inverse_.y.run(plane(field_, z).data());
    pack_y(true);
    row_.run(spectrum_, middle_);
    for (int z = 0; z < z_; ++z) {
      pack_x(z, false);
      inverse_.x.run(plane(field_, z).data());
    }
  }

private:
  int z_of(int plane) const override { return column_.rank() * z_ + plane; }

  // field [z][y][rank, x] <-> middle [rank][z][y][x]
  void pack_x(int z, bool forth) {
    std::size_t const rows = index(y_in_row_) * index(x_);
    turn_plane(plane(field_, z).data(), &middle_[index(z) * rows], index(z_) * rows, forth);
  }
  // field [z][rank, y][x] <-> spectrum [rank][z][y][x]
  void pack_y(bool forth) { pack_rows(spectrum_, row_.ranks(), y_in_row_, forth); }
  // The same for the column: [rank][z][y][x] is [z][y of the column][x].
  void pack_column(bool forth) { pack_rows(middle_, column_.ranks(), y_in_column_, forth); }
  void pack_rows(std::vector<Complex>& packed, int ranks, int y_of_rank, bool forth) {
    std::size_t const rows = index(y_of_rank) * index(x_);
    for (int rank = 0; rank < ranks; ++rank)
      for (int z = 0; z < z_; ++z)
        copy(&field_[index(z) * plane_size() + index(rank) * rows],
             &packed[(index(rank) * index(z_) + index(z)) * rows], rows, forth);
  }
};

// Rank c of a column has the planes c, c + C, ...: what arrives of the planes that its ranks exchange n-th
// lies in order, and so does a plane [y][x] of a row. Only the x of a plane have to be packed.
class OverlappedPencils final : public Pencils {
public:
  using Pencils::Pencils;

  void forward() override {
    std::vector<Started> rows;
    for (int z = 0; z < z_; ++z) {
      forward_.x.run(plane(field_, z).data());
      turn(z, true);
      rows.push_back(row_.start(plane(middle_, z), plane(field_, z)));
    }
    std::vector<Started> columns;
    for (int z = 0; z < z_; ++z) {
      rows[index(z)].wait();
      forward_.y.run(plane(field_, z).data());
      columns.push_back(column_.start(plane(field_, z), plane(spectrum_, z)));
    }
    for (Started& exchanged : columns)
      exchanged.wait();
    forward_.z.run(spectrum_.data());
  }
  void inverse() override {
    inverse_.z.run(spectrum_.data());
    std::vector<Started> columns;
    for (int z = 0; z < z_; ++z)
      columns.push_back(column_.start(plane(spectrum_, z), plane(field_, z)));
    std::vector<Started> rows;
    for (int z = 0; z < z_; ++z) {
      columns[index(z)].wait();
      inverse_.y.run(plane(field_, z).data());
      rows.push_back(row_.start(plane(field_, z), plane(middle_, z)));
    }
    for (int z = 0; z < z_; ++z) {
      rows[index(z)].wait();
      turn(z, false);
      inverse_.x.run(plane(field_, z).data());
    }
  }

private:
  int z_of(int plane) const override { return plane * column_.ranks() + column_.rank(); }
  void turn(int z, bool forth) {
    turn_plane(plane(field_, z).data(), plane(middle_, z).data(), index(y_in_row_) * index(x_), forth);
  }
};

} // namespace

Pencils::Pencils(Problem const& problem, Exchange const& row, Exchange const& column)
    : problem_(problem), row_(row), column_(column), x_(divided(problem.nx, row.ranks(), "x")),
      y_in_row_(divided(problem.ny, row.ranks(), "y")),
      y_in_column_(divided(problem.ny, column.ranks(), "y")), z_(divided(problem.nz, column.ranks(), "z")),
      field_(size()), middle_(size()), spectrum_(size()), forward_(*this, FFTW_FORWARD),
      inverse_(*this, FFTW_BACKWARD) {}

void Pencils::visit_planes(std::function<void(std::span<Complex>, int, int)> const& visit) {
  for (int z = 0; z < z_; ++z)
    for (int y = 0; y < y_in_row_; ++y)
      visit(plane(field_, z).subspan(index(y) * index(problem_.nx), index(problem_.nx)),
            row_.rank() * y_in_row_ + y, z_of(z));
}

void Pencils::visit_spectrum(Visit const& visit) const {
  std::size_t place = 0;
  for (int z = 0; z < problem_.nz; ++z)
    for (int y = 0; y < y_in_column_; ++y)
      for (int x = 0; x < x_; ++x)
        visit(place++, row_.rank() * x_ + x, column_.rank() * y_in_column_ + y, z);
}

void Pencils::turn_plane(Complex* plane, Complex* packed, std::size_t distance, bool forth) const {
  for (int rank = 0; rank < row_.ranks(); ++rank)
    for (int y = 0; y < y_in_row_; ++y)
      copy(&plane[index(y) * index(problem_.nx) + index(rank) * index(x_)],
           &packed[index(rank) * distance + index(y) * index(x_)], index(x_), forth);
}

std::unique_ptr<Field> pencils(Problem const& problem, Exchange const& row, Exchange const& column) {
  return std::make_unique<PackedPencils>(problem, row, column);
}

std::unique_ptr<Field> overlapped_pencils(Problem const& problem, Exchange const& row,
                                          Exchange const& column) {
  return std::make_unique<OverlappedPencils>(problem, row, column);
}

} // namespace thalweg::examples::ft
