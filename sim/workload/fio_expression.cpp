#include "sim/workload/fio_expression.hpp"

#include <cctype>
#include <charconv>
#include <cmath>
#include <string>
#include <system_error>

namespace x25sim::workload {
namespace {

// Deeper nesting is no file that someone wrote.
constexpr int depth_max = 64;

struct Value {
  std::int64_t integer = 0;
  double real = 0;
  bool is_real = false;
};

using Result = std::optional<Value>;

Result of_integer(std::int64_t integer) {
  return Value{integer, static_cast<double>(integer), false};
}

Result of_real(double real) {
  constexpr double limit = 0x1p63;
  if (!std::isfinite(real) || real >= limit || real <= -limit) return std::nullopt;
  return Value{static_cast<std::int64_t>(real), real, true};
}

Result add(const Value& a, const Value& b) {
  if (a.is_real || b.is_real) return of_real(a.real + b.real);
  std::int64_t sum = 0;
  return __builtin_add_overflow(a.integer, b.integer, &sum) ? std::nullopt : of_integer(sum);
}

Result multiply(const Value& a, const Value& b) {
  if (a.is_real || b.is_real) return of_real(a.real * b.real);
  std::int64_t product = 0;
  return __builtin_mul_overflow(a.integer, b.integer, &product) ? std::nullopt
                                                                : of_integer(product);
}

Result negate(const Value& a) { return multiply(a, Value{-1, -1, false}); }

Result divide(const Value& a, const Value& b) {
  if (b.real == 0) return std::nullopt;
  if (a.is_real || b.is_real) return of_real(a.real / b.real);
  return of_integer(a.integer / b.integer);
}

Result rest(const Value& a, const Value& b) {
  if (a.is_real || b.is_real || b.integer == 0) return std::nullopt;
  return b.integer == -1 ? of_integer(0) : of_integer(a.integer % b.integer);
}

Result power(const Value& a, const Value& b) {
  if (a.is_real || b.is_real || b.integer < 0) return of_real(std::pow(a.real, b.real));
  Result result = of_integer(1);
  // One of 64 factors has overflowed, or all are 0, 1 or -1, of which the exponent's parity tells.
  const std::int64_t factors = b.integer > 64 ? 64 + b.integer % 2 : b.integer;
  for (std::int64_t i = 0; result && i < factors; ++i) result = multiply(*result, a);
  return result;
}

// Recursive descent, one function for each strength of operators.
class Parser {
 public:
  Parser(std::string_view text, const SuffixFactor& factor) : text_(text), factor_(factor) {}

  Result parse() {
    const Result result = sum();
    skip_blanks();
    return text_.empty() ? result : std::nullopt;
  }

  bool any_suffix() const { return any_suffix_; }

 private:
  bool take(char c) {
    skip_blanks();
    if (!text_.starts_with(c)) return false;
    text_.remove_prefix(1);
    return true;
  }

  void skip_blanks() {
    while (text_.starts_with(' ') || text_.starts_with('\t')) text_.remove_prefix(1);
  }

  Result sum() {
    Result left = product();
    while (left) {
      const bool plus = take('+');
      if (!plus && !take('-')) break;
      Result right = product();
      if (right && !plus) right = negate(*right);
      left = right ? add(*left, *right) : std::nullopt;
    }
    return left;
  }

  Result product() {
    Result left = powers();
    while (left) {
      const bool times = take('*');
      if (!times && !take('/')) break;
      const Result right = powers();
      if (!right) return std::nullopt;
      left = times ? multiply(*left, *right) : divide(*left, *right);
    }
    return left;
  }

  Result powers() {
    const Result base = rests();
    if (!base || !take('^')) return base;
    if (++depth_ > depth_max) return std::nullopt;
    const Result exponent = powers();
    --depth_;
    return exponent ? power(*base, *exponent) : std::nullopt;
  }

  Result rests() {
    Result left = with_sign();
    while (left && take('%')) {
      const Result right = with_sign();
      left = right ? rest(*left, *right) : std::nullopt;
    }
    return left;
  }

  Result with_sign() {
    if (!take('-')) return with_suffix();
    if (++depth_ > depth_max) return std::nullopt;
    const Result value = with_sign();
    --depth_;
    return value ? negate(*value) : std::nullopt;
  }

  Result with_suffix() {
    Result value = number();
    skip_blanks();
    while (value && !text_.empty() && std::isalpha(static_cast<unsigned char>(text_.front()))) {
      std::string suffix;
      while (!text_.empty() && std::isalpha(static_cast<unsigned char>(text_.front()))) {
        suffix += static_cast<char>(std::tolower(static_cast<unsigned char>(text_.front())));
        text_.remove_prefix(1);
      }
      const auto multiplier = factor_(suffix);
      if (!multiplier) return std::nullopt;
      any_suffix_ = true;
      value = multiply(*value, Value{static_cast<std::int64_t>(*multiplier),
                                     static_cast<double>(*multiplier), false});
      skip_blanks();
    }
    return value;
  }

  Result number() {
    if (take('(')) {
      if (++depth_ > depth_max) return std::nullopt;
      const Result inner = sum();
      --depth_;
      return inner && take(')') ? inner : std::nullopt;
    }
    skip_blanks();
    const bool hexadecimal = text_.starts_with("0x");
    if (hexadecimal) text_.remove_prefix(2);
    std::int64_t integer = 0;
    const char* const end = text_.data() + text_.size();
    const auto [behind, error] = std::from_chars(text_.data(), end, integer, hexadecimal ? 16 : 10);
    const bool point = !hexadecimal && behind != end && *behind == '.';
    if (point) return real_number();
    if (error != std::errc{} || text_.starts_with('-')) return std::nullopt;
    text_.remove_prefix(static_cast<std::size_t>(behind - text_.data()));
    return of_integer(integer);
  }

  Result real_number() {
    double real = 0;
    const char* const end = text_.data() + text_.size();
    const auto [behind, error] = std::from_chars(text_.data(), end, real, std::chars_format::fixed);
    if (error != std::errc{} || text_.starts_with('-')) return std::nullopt;
    text_.remove_prefix(static_cast<std::size_t>(behind - text_.data()));
    return of_real(real);
  }

  std::string_view text_;
  const SuffixFactor& factor_;
  int depth_ = 0;
  bool any_suffix_ = false;
};

}  // namespace

std::optional<std::uint64_t> evaluate_fio_expression(std::string_view text,
                                                     const SuffixFactor& factor,
                                                     std::uint64_t plain) {
  if (!text.starts_with('(')) return std::nullopt;
  Parser parser(text, factor);
  Result result = parser.parse();
  if (result && !parser.any_suffix()) {
    result = multiply(*result,
                      Value{static_cast<std::int64_t>(plain), static_cast<double>(plain), false});
  }
  if (!result || result->integer < 0) return std::nullopt;
  return static_cast<std::uint64_t>(result->integer);
}

}  // namespace x25sim::workload
