#pragma once

#include <compare>
#include <cstdint>

namespace fathom::hardware {

/// Exponents of the base dimensions. The base units are byte, FLOP, second, joule and token.
struct Dim {
  int byte = 0;
  int flop = 0;
  int second = 0;
  int joule = 0;
  int token = 0;

  friend constexpr bool operator==(const Dim&, const Dim&) = default;
  friend constexpr Dim operator+(Dim a, Dim b) {
    return {a.byte + b.byte, a.flop + b.flop, a.second + b.second, a.joule + b.joule,
            a.token + b.token};
  }
  friend constexpr Dim operator-(Dim a, Dim b) {
    return {a.byte - b.byte, a.flop - b.flop, a.second - b.second, a.joule - b.joule,
            a.token - b.token};
  }
};

/// A number of base units (byte, FLOP, second, joule, token) whose dimension is part of its type.
/// There is no implicit construction and no mixing; `a / b` has the right type. The machine code
/// is that of a double.
template <Dim D>
class Quantity {
 public:
  constexpr Quantity() = default;
  constexpr explicit Quantity(double base) : base_(base) {}

  /// The amount in base units.
  [[nodiscard]] constexpr double base() const { return base_; }

  constexpr Quantity& operator+=(Quantity other) {
    base_ += other.base_;
    return *this;
  }
  constexpr Quantity& operator-=(Quantity other) {
    base_ -= other.base_;
    return *this;
  }
  constexpr Quantity& operator*=(double factor) {
    base_ *= factor;
    return *this;
  }

  friend constexpr Quantity operator+(Quantity a, Quantity b) {
    return Quantity(a.base_ + b.base_);
  }
  friend constexpr Quantity operator-(Quantity a, Quantity b) {
    return Quantity(a.base_ - b.base_);
  }
  friend constexpr Quantity operator-(Quantity a) { return Quantity(-a.base_); }
  friend constexpr Quantity operator*(Quantity a, double factor) {
    return Quantity(a.base_ * factor);
  }
  friend constexpr Quantity operator*(double factor, Quantity a) {
    return Quantity(a.base_ * factor);
  }
  friend constexpr Quantity operator/(Quantity a, double divisor) {
    return Quantity(a.base_ / divisor);
  }
  friend constexpr bool operator==(Quantity, Quantity) = default;
  friend constexpr auto operator<=>(Quantity, Quantity) = default;

 private:
  double base_ = 0;
};

/// The product; a plain double where the dimensions cancel.
template <Dim A, Dim B>
constexpr auto operator*(Quantity<A> a, Quantity<B> b) {
  if constexpr (A + B == Dim{}) {
    return a.base() * b.base();
  } else {
    return Quantity<A + B>(a.base() * b.base());
  }
}

/// The ratio; a plain double where the dimensions cancel.
template <Dim A, Dim B>
constexpr auto operator/(Quantity<A> a, Quantity<B> b) {
  if constexpr (A == B) {
    return a.base() / b.base();
  } else {
    return Quantity<A - B>(a.base() / b.base());
  }
}

using Bytes = Quantity<Dim{.byte = 1}>;
using Flop = Quantity<Dim{.flop = 1}>;
using Seconds = Quantity<Dim{.second = 1}>;
using Joules = Quantity<Dim{.joule = 1}>;
using Watts = Quantity<Dim{.second = -1, .joule = 1}>;
using Hertz = Quantity<Dim{.second = -1}>;
using BytesPerSecond = Quantity<Dim{.byte = 1, .second = -1}>;
using FlopPerSecond = Quantity<Dim{.flop = 1, .second = -1}>;
using TokensPerSecond = Quantity<Dim{.second = -1, .token = 1}>;
using FlopPerByte = Quantity<Dim{.byte = -1, .flop = 1}>;
using JoulesPerByte = Quantity<Dim{.byte = -1, .joule = 1}>;
using JoulesPerFlop = Quantity<Dim{.flop = -1, .joule = 1}>;

/// A whole number of things: parameters, tokens, layers. 64 bits, since 6144 x 6144 x 256
/// overflows an int and no warning says so.
using Count = std::int64_t;

}  // namespace fathom::hardware
