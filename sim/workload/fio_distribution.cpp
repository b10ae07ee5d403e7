// fio's random_distribution.
#include <fmt/format.h>

#include "sim/workload/fio_rules.hpp"

namespace x25sim::workload {
namespace {

using Kind = OffsetDistribution::Kind;
using Zone = OffsetDistribution::Zone;

// fio's parameters where none is given.
constexpr double default_theta = 1.1;
constexpr double default_power = 0.2;
constexpr double default_deviation = 0;

constexpr std::size_t zones_max = 256;  // as fio

struct Curve {
  std::string_view name;
  Kind kind;
  double parameter;
};

constexpr std::array curves{
    Curve{"zipf", Kind::zipf, default_theta},
    Curve{"pareto", Kind::pareto, default_power},
    Curve{"normal", Kind::normal, default_deviation},
};

void check_parameter(const OptionReader& reader, const OffsetDistribution& distribution) {
  const double parameter = distribution.parameter;
  if (distribution.kind == Kind::zipf && (parameter < 0 || parameter == 1)) {
    reader.fail(fmt::format("expected a theta of zipf from 0 other than 1, found {}", parameter));
  }
  if (distribution.kind == Kind::pareto && (parameter <= 0 || parameter >= 1)) {
    reader.fail(fmt::format("expected a power of pareto between 0 and 1, found {}", parameter));
  }
  if (distribution.kind == Kind::normal && (parameter < 0 || parameter >= 100)) {
    reader.fail(
        fmt::format("expected a deviation of normal from 0 to below 100, found {}", parameter));
  }
  if (distribution.center && (*distribution.center < 0 || *distribution.center > 1)) {
    reader.fail(fmt::format("expected a center from 0 to 1, found {}", *distribution.center));
  }
}

bool apply_curve(OptionReader& reader, const Curve& curve, std::string_view parameters) {
  OffsetDistribution distribution;
  distribution.kind = curve.kind;
  distribution.parameter = curve.parameter;
  if (!parameters.empty()) {
    const std::size_t colon = parameters.find(':');
    const auto parameter = parse_fio_real(parameters.substr(0, colon));
    if (!parameter) return false;
    distribution.parameter = *parameter;
    if (colon != parameters.npos) {
      distribution.center = parse_fio_real(parameters.substr(colon + 1));
      if (!distribution.center) return false;
    }
  }
  check_parameter(reader, distribution);
  reader.job.distribution = distribution;
  return true;
}

// "60/10:40": shares of the requests in percent, each with the size of its zone. In percent, zones
// without a size divide what is left of the region.
std::optional<std::vector<Zone>> parse_zones(const OptionReader& reader, std::string_view text,
                                             bool absolute) {
  std::vector<Zone> zones;
  std::uint32_t requests = 0;
  std::uint32_t region = 0;
  std::uint32_t without_size = 0;
  for (const std::string_view item : split(text, ':')) {
    const std::size_t slash = item.find('/');
    const auto share = reader.number(item.substr(0, slash), 0, 100);
    if (!share) return std::nullopt;
    Zone& zone = zones.emplace_back();
    zone.percent_of_requests = static_cast<std::uint32_t>(*share);
    requests += zone.percent_of_requests;
    const std::string_view size = slash == item.npos ? std::string_view() : item.substr(slash + 1);
    if (absolute) {
      const auto bytes = reader.sectors(size);
      if (!bytes) return std::nullopt;
      zone.size = *bytes;
    } else if (size.empty()) {
      ++without_size;
    } else {
      const auto percent = reader.number(size, 1, 100);
      if (!percent) return std::nullopt;
      zone.percent_of_region = static_cast<std::uint32_t>(*percent);
      region += zone.percent_of_region;
    }
  }
  if (zones.size() > zones_max) {
    reader.fail(fmt::format("expected at most {} zones, found {}", zones_max, zones.size()));
  }
  if (requests != 100) {
    reader.fail(
        fmt::format("expected shares of the requests of 100 % together, found {} %", requests));
  }
  if (region > 100) {
    reader.fail(fmt::format("expected zones of at most 100 % of the region, found {} %", region));
  }
  for (Zone& zone : zones) {
    if (!absolute && zone.percent_of_region == 0) {
      zone.percent_of_region = (100 - region) / without_size;
    }
  }
  return zones;
}

bool apply_zones(OptionReader& reader, std::string_view text, bool absolute) {
  OffsetDistribution distribution;
  distribution.kind = absolute ? Kind::zoned_abs : Kind::zoned;
  std::size_t direction = 0;
  for (const std::string_view item : split(text, ',')) {
    if (direction == distribution.zones.size()) return false;
    const auto zones = parse_zones(reader, item, absolute);
    if (!zones) return false;
    // The last list is for the directions behind it, too.
    for (std::size_t i = direction; i < distribution.zones.size(); ++i) {
      distribution.zones[i] = *zones;
    }
    ++direction;
  }
  reader.job.distribution = distribution;
  return true;
}

}  // namespace

bool apply_distribution(OptionReader& reader) {
  const std::string_view text = reader.text();
  if (text == "random") {
    reader.job.distribution = {};
    return true;
  }
  const std::size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  const std::string_view parameters =
      colon == text.npos ? std::string_view() : text.substr(colon + 1);
  if (name == "zoned" || name == "zoned_abs") {
    return !parameters.empty() && apply_zones(reader, parameters, name == "zoned_abs");
  }
  for (const Curve& curve : curves) {
    if (name == curve.name) return apply_curve(reader, curve, parameters);
  }
  return false;
}

}  // namespace x25sim::workload
