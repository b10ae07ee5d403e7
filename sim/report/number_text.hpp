// Numbers as fio writes them.
#pragma once

#include <optional>
#include <string>

namespace x25sim::report {

// `value` >= 0 in at most about `digits` characters: as it is if it has no more digits, else
// divided by 1000 as often as needed, with decimals where there is room: "899", "1748k", "17.2M".
std::string short_number(double value, int digits = 4);

// `bytes` >= 0 in units of 1024 and of 1000: "35.8MiB", "37.6MB".
std::string binary_bytes(double bytes);
std::string decimal_bytes(double bytes);

// "1.234" with that many decimals, or "n/a".
std::string fixed_or_na(std::optional<double> value, int decimals);
// `fraction` in percent: "12.3%", or "n/a".
std::string percent_or_na(std::optional<double> fraction);

}  // namespace x25sim::report
