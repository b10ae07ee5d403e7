// Published figures that results are held against, from experiments/published.csv.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace x25sim::config {

// What is compared, and its unit: MB/s (10^6 bytes), IOPS, us (mean latency at the device).
enum class Metric : std::uint8_t { bandwidth, iops, latency };

std::string_view unit(Metric metric);
// The metric of a unit; none if the unit is not known.
std::optional<Metric> metric_of(std::string_view unit);

enum class FigureRole : std::uint8_t { calibrate, check, floor, ceiling, info };

struct PublishedFigure {
  std::string id;
  std::string drive;
  std::string metric;  // in words
  std::string conditions;
  std::optional<double> value;
  std::optional<double> low, high;  // of a range
  Metric unit = Metric::bandwidth;
  FigureRole role = FigureRole::info;
  std::string confidence;
  std::string source;
};

std::string_view name(FigureRole role);

// Reads the figures of the file at `path`. Throws InputError with file and line.
std::vector<PublishedFigure> read_published_figures(const std::filesystem::path& path);

// How far `simulated` is from the figure, as a share of it; in a range 0, outside of it from the
// nearer end.
double relative_error(const PublishedFigure& figure, double simulated);

// How far a result may be from a measured figure, and how much it may miss a rating.
inline constexpr double measured_tolerance = 0.10;
inline constexpr double rated_tolerance = 0.05;

// Whether `simulated` meets the figure; none for a figure without verdict.
std::optional<bool> meets(const PublishedFigure& figure, double simulated);

}  // namespace x25sim::config
