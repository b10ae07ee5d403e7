// fio's arithmetic: values in parentheses, such as size=(4096*128) or runtime=(2*30s).
//
// As fio's own parser (CONFIG_ARITHMETIC) has it: +, -, *, /, % (rest of integers), ^ (power) and
// parentheses; a number, or an expression in parentheses, may have a suffix; numbers with a point
// make the operation one of reals, whose result is cut to an integer in the end. Stronger bind, in
// this order: + and -; * and /; ^, from the right; %; a sign; a suffix. What fio takes as zero
// (division by zero) or lets wrap (more than 63 bits) has no value here.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

namespace x25sim::workload {

// What a suffix multiplies by; none for one that is unknown.
using SuffixFactor = std::function<std::optional<std::uint64_t>(std::string_view suffix)>;

// The value of `text`, which begins with '('; none if it is no expression or negative. `plain`
// multiplies the result if no suffix stands anywhere in it.
std::optional<std::uint64_t> evaluate_fio_expression(std::string_view text,
                                                     const SuffixFactor& factor,
                                                     std::uint64_t plain = 1);

}  // namespace x25sim::workload
