// SPDX-License-Identifier: BSD-3-Clause
#include "ft/field.hpp"

#include <algorithm>
#include <stdexcept>

namespace thalweg::examples::ft {

namespace {

int divided_by_ranks(int whole, int parts, char const* what) {
  if (whole % parts != 0)
    throw std::runtime_error(std::string(what) + ": " + std::to_string(whole) + " cannot be cut into " +
                             std::to_string(parts) + " equal parts: choose another number of ranks");
  return whole / parts;
}

/// Transforms of a plane of nx * ny numbers, and of z in [z][rows of all else].
struct SlabTransforms {
  SlabTransforms(Problem const& problem, int columns, int sign)
      : x(problem.nx, problem.ny, 1, problem.nx, sign), y(problem.ny, problem.nx, problem.nx, 1, sign),
        z(problem.nz, columns, columns, 1, sign) {}
  void plane(Complex* data) const {
    x.run(data);
    y.run(data);
  }
  Rows x;
  Rows y;
  Rows z;
};

/// What both kinds of slabs have: planes [y][x] of z, and the spectrum as [z][y of this rank][x].
class Slabs : public Field {
public:
  Slabs(Problem const& problem, int rank, int ranks)
      : problem_(problem), rank_(rank), ranks_(ranks), planes_(divided_by_ranks(problem.nz, ranks, "planes")),
        rows_(divided_by_ranks(problem.ny, ranks, "rows")),
        forward_(problem, rows_ * problem.nx, FFTW_FORWARD),
        inverse_(problem, rows_ * problem.nx, FFTW_BACKWARD) {}

  void visit_planes(std::function<void(std::span<Complex>, int, int)> const& visit) override {
    for (int plane = 0; plane < planes_; ++plane)
      for (int y = 0; y < problem_.ny; ++y)
        visit(
            field().subspan(plane_size() * index(plane) + index(y) * index(problem_.nx), index(problem_.nx)),
            y, z_of(plane));
  }
  void visit_spectrum(Visit const& visit) const override {
    std::size_t place = 0;
    for (int z = 0; z < problem_.nz; ++z)
      for (int y = 0; y < rows_; ++y)
        for (int x = 0; x < problem_.nx; ++x)
          visit(place++, x, rank_ * rows_ + y, z);
  }

protected:
  static std::size_t index(int number) { return static_cast<std::size_t>(number); }
  std::size_t plane_size() const { return index(problem_.nx) * index(problem_.ny); }
  std::size_t size() const { return plane_size() * index(planes_); }
  std::size_t part_size() const { return plane_size() / index(ranks_); } // of a plane, for one rank
  virtual int z_of(int plane) const = 0;

  Problem const& problem_;
  int rank_;
  int ranks_;
  int planes_;
  int rows_;
  SlabTransforms forward_;
  SlabTransforms inverse_;
};

class PackedSlabs final : public Slabs {
public:
  PackedSlabs(Problem const& problem, Exchange const& exchange)
      : Slabs(problem, exchange.rank(), exchange.ranks()), exchange_(exchange), field_(size()),
        packed_(size()), spectrum_(size()) {}

  std::span<Complex> field() override { return field_; }
  std::span<Complex> spectrum() override { return spectrum_; }

  void forward() override {
    for (int plane = 0; plane < planes_; ++plane)
      forward_.plane(&field_[plane_size() * index(plane)]);
    pack(field_, packed_, true);
    exchange_.run(packed_, spectrum_);
    forward_.z.run(spectrum_.data());
  }
  void inverse() override {
    inverse_.z.run(spectrum_.data());
    exchange_.run(spectrum_, packed_);
    pack(field_, packed_, false);
    for (int plane = 0; plane < planes_; ++plane)
      inverse_.plane(&field_[plane_size() * index(plane)]);
  }

private:
  int z_of(int plane) const override { return rank_ * planes_ + plane; }

  // Between [plane][rank][part] and [rank][plane][part].
  void pack(std::vector<Complex>& planes, std::vector<Complex>& packed, bool forth) {
    for (int rank = 0; rank < ranks_; ++rank)
      for (int plane = 0; plane < planes_; ++plane) {
        Complex* const in_plane = &planes[plane_size() * index(plane) + part_size() * index(rank)];
        Complex* const in_pack = &packed[part_size() * (index(rank) * index(planes_) + index(plane))];
        if (forth)
          std::copy_n(in_plane, part_size(), in_pack);
        else
          std::copy_n(in_pack, part_size(), in_plane);
      }
  }

  Exchange exchange_;
  std::vector<Complex> field_;
  std::vector<Complex> packed_;
  std::vector<Complex> spectrum_;
};

// Rank r has the planes r, r + P, ...: the plane that each rank exchanges n-th belongs to neighboring z, so
// that what arrives lies in order.
class OverlappedSlabs final : public Slabs {
public:
  OverlappedSlabs(Problem const& problem, Exchange const& exchange)
      : Slabs(problem, exchange.rank(), exchange.ranks()), exchange_(exchange),
        field_(exchange.on->allocate<Complex>(size())), spectrum_(exchange.on->allocate<Complex>(size())) {}
  ~OverlappedSlabs() override {
    exchange_.on->release(spectrum_);
    exchange_.on->release(field_);
  }
  OverlappedSlabs(OverlappedSlabs const&) = delete;
  OverlappedSlabs& operator=(OverlappedSlabs const&) = delete;

  std::span<Complex> field() override { return field_.span(); }
  std::span<Complex> spectrum() override { return spectrum_.span(); }

  void forward() override {
    std::vector<Started> under_way;
    for (int plane = 0; plane < planes_; ++plane) {
      forward_.plane(one(field_, plane).data());
      under_way.push_back(exchange_.start(one(field_, plane), one(spectrum_, plane)));
    }
    for (Started& exchanged : under_way)
      exchanged.wait();
    forward_.z.run(spectrum_.data());
  }
  void inverse() override {
    inverse_.z.run(spectrum_.data());
    std::vector<Started> under_way;
    for (int plane = 0; plane < planes_; ++plane)
      under_way.push_back(exchange_.start(one(spectrum_, plane), one(field_, plane)));
    for (int plane = 0; plane < planes_; ++plane) {
      under_way[index(plane)].wait();
      inverse_.plane(one(field_, plane).data());
    }
  }

private:
  int z_of(int plane) const override { return plane * ranks_ + rank_; }
  std::span<Complex> one(symmetric_memory<Complex> const& all, int plane) const {
    return all.span().subspan(plane_size() * index(plane), plane_size());
  }

  Exchange exchange_;
  symmetric_memory<Complex> field_;
  symmetric_memory<Complex> spectrum_;
};

} // namespace

std::unique_ptr<Field> packed_slabs(Problem const& problem, Exchange const& exchange) {
  return std::make_unique<PackedSlabs>(problem, exchange);
}

std::unique_ptr<Field> overlapped_slabs(Problem const& problem, Exchange const& exchange) {
  return std::make_unique<OverlappedSlabs>(problem, exchange);
}

} // namespace thalweg::examples::ft
