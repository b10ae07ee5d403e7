// Pieces of JSON that several reports share. `Json` is the library's type of a value, which stays
// behind the .cpp files.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>

#include "nand/check.hpp"
#include "sim/report/context.hpp"
#include "sim/report/summary.hpp"

namespace x25sim::report {

template <typename Json>
struct JsonParts {
  // JSON has no NaN and no infinity.
  static Json number_or_null(std::optional<double> number) {
    if (!number || !std::isfinite(*number)) return nullptr;
    return *number;
  }

  static Json count_or_null(const std::optional<std::uint32_t>& count) {
    return count ? Json(*count) : Json(nullptr);
  }

  // "nand.read_time" becomes {"nand": {"read_time": ...}}.
  static Json configuration(const Configuration& configuration) {
    Json result = Json::object();
    for (const auto& [path, value] : configuration) {
      Json* section = &result;
      std::size_t start = 0;
      for (std::size_t dot = path.find('.'); dot != std::string::npos;
           dot = path.find('.', start)) {
        section = &(*section)[path.substr(start, dot - start)];
        X25_CHECK(section->is_null() || section->is_object(), path);
        start = dot + 1;
      }
      (*section)[path.substr(start)] = value;
    }
    return result;
  }

  static Json by_cause(const std::array<std::uint64_t, ftl::cause_count>& counts) {
    Json result;
    for (std::size_t cause = 0; cause < counts.size(); ++cause) {
      result[std::string{name(static_cast<ftl::Cause>(cause))}] = counts[cause];
    }
    return result;
  }

  static Json erase_count(const ftl::WearSummary& wear) {
    return {{"min", wear.min},
            {"mean", number_or_null(wear.mean)},
            {"max", wear.max},
            {"stddev", number_or_null(wear.stddev)}};
  }

  // A value with what it follows from, or the reason why there is none.
  static Json theory(const model::WorkloadTheory& theory, const DriveSummary& summary) {
    if (!theory.write_amplification) {
      return {{"write_amplification_gc", nullptr}, {"reason", theory.reason}};
    }
    return {{"write_amplification_gc", number_or_null(theory.write_amplification)},
            {"formula", theory.formula},
            {"gc_pages", theory.gc_pages},
            {"gc_valid_pages", theory.valid_pages},
            {"spare_factor", number_or_null(theory.spare_factor)},
            {"pages_per_block", count_or_null(theory.pages_per_block)},
            {"choices", count_or_null(theory.choices)},
            {"relative_difference", number_or_null(difference_from(theory, summary))}};
  }
};

}  // namespace x25sim::report
