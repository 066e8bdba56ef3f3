#include "sim/config/topology_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "model/error.h"
#include "model/text.h"
#include "model/units.h"
#include "sim/config/keys.h"

namespace flitscope {

namespace {

constexpr double kTolerance = SimulatedQuantity::kTolerance;

/// A value that a key gives; nothing for `auto`.
template <typename T>
std::optional<T> given(const ParameterValues& values, const std::string& key) {
  const auto value = values.all().find(key);
  if (value == values.all().end()) return std::nullopt;
  const auto* const own = std::get_if<T>(&value->second);
  return own == nullptr ? std::nullopt : std::optional(*own);
}

/// A bandwidth that a key asks for, on this clock, of a carrier: "a link".
class AskedBandwidth {
 public:
  AskedBandwidth(std::string key, std::uint64_t bytes_per_second, const std::optional<ClockPeriod>& clock,
                 const char* carrier = "a link")
      : key_(std::move(key)), bytes_per_second_(bytes_per_second), clock_(clock), carrier_(carrier) {
    if (!clock_) fail("needs the length of a cycle; add 'clock: 1ns' on the top level");
  }

  /// Bytes of a flit that a link takes every `cycles` cycles.
  [[nodiscard]] std::uint32_t flit_bytes(Ratio cycles) const {
    if (const auto flit = whole_flit(cycles.approximate())) return *flit;
    const double bytes = bytes_per_cycle() * cycles.approximate();
    require_possible(bytes);
    const double lower = std::max(1.0, std::floor(bytes));
    fail(
        "is {:.6g} bytes in the {} of a flit{}, which is not whole; nearest: {} or {}, or leave "
        "link.cycles_per_flit out",
        bytes, cycles == 1U ? "cycle" : fmt::format("{} cycles", cycles.text()), at_clock(),
        rate(lower, cycles.approximate()), rate(lower + 1, cycles.approximate()));
  }

  /// Bytes of the smallest flit that a link takes in a cycle or more.
  [[nodiscard]] std::uint32_t flit_bytes() const {
    if (const auto flit = whole_flit(1)) return *flit;
    require_possible(bytes_per_cycle());
    return static_cast<std::uint32_t>(std::ceil(bytes_per_cycle()));
  }

  [[nodiscard]] Ratio cycles_per_flit(std::uint32_t flit_bytes) const {
    const double cycles = flit_bytes / bytes_per_cycle();
    const double nearest = std::round(cycles);
    if (nearest >= 1 && nearest <= kMaxCyclesPerFlit && agrees(flit_bytes, nearest))
      return static_cast<std::uint32_t>(nearest);
    const std::string problem =
        fmt::format("is {:.6g} cycles for a flit of {}{}", cycles, counted(flit_bytes, "byte"), at_clock());
    if (cycles < 1) {
      fail("{}; {} takes a flit a cycle at most, {}: give node.flit_bytes: {:.0f}", problem, carrier_,
           rate(flit_bytes, 1), std::ceil(bytes_per_cycle()));
    }
    if (cycles > kMaxCyclesPerFlit) {
      fail("{}; {} at most, {}", problem, kMaxCyclesPerFlit, rate(flit_bytes, kMaxCyclesPerFlit));
    }
    return Ratio::nearest(cycles);
  }

  /// As cycles_per_flit(), of a channel that takes a flit every whole number of cycles.
  [[nodiscard]] std::uint32_t whole_cycles_per_flit(std::uint32_t flit_bytes) const {
    const Ratio cycles = cycles_per_flit(flit_bytes);
    if (cycles.is_whole()) return cycles.numerator();
    const double lower = std::floor(cycles.approximate());
    fail(
        "is {:.6g} cycles for a flit of {} bytes{}, and a channel of a node takes one every whole number of "
        "cycles; nearest: {} or {}, or another node.flit_bytes",
        cycles.approximate(), flit_bytes, at_clock(), rate(flit_bytes, lower), rate(flit_bytes, lower + 1));
  }

  /// What flits of so many bytes every so many cycles are.
  [[nodiscard]] SimulatedQuantity simulated(std::uint32_t flit_bytes, Ratio cycles_per_flit) const {
    const double bytes_per_second = flit_bytes / clock_->seconds(cycles_per_flit.approximate());
    const double asked = static_cast<double>(bytes_per_second_);
    return {key_, bandwidth_text(bytes_per_second_), rate(flit_bytes, cycles_per_flit.approximate()),
            (bytes_per_second - asked) / asked};
  }

  /// Both are given; throws if they say something else.
  void require(std::uint32_t flit_bytes, Ratio cycles_per_flit) const {
    if (agrees(flit_bytes, cycles_per_flit.approximate())) return;
    fail(
        "contradicts flits of {} bytes every {} cycles{}, which are {}; leave link.cycles_per_flit or "
        "node.flit_bytes out",
        flit_bytes, cycles_per_flit.text(), at_clock(), rate(flit_bytes, cycles_per_flit.approximate()));
  }

 private:
  [[nodiscard]] double bytes_per_cycle() const {
    return static_cast<double>(bytes_per_second_) * clock_->seconds(1);
  }
  /// Whether flits of so many bytes every so many cycles are the bandwidth, within the tolerance.
  [[nodiscard]] bool agrees(double flit_bytes, double cycles) const {
    return std::abs(flit_bytes / cycles - bytes_per_cycle()) <= kTolerance * bytes_per_cycle();
  }
  /// The whole bytes of a flit every so many cycles; nothing if none agree.
  [[nodiscard]] std::optional<std::uint32_t> whole_flit(double cycles) const {
    const double nearest = std::round(bytes_per_cycle() * cycles);
    if (nearest > kMaxFlitBytes || !agrees(nearest, cycles)) return std::nullopt;
    return static_cast<std::uint32_t>(nearest);
  }
  void require_possible(double bytes) const {
    if (bytes <= kMaxFlitBytes) return;
    fail("is {:.6g} bytes a cycle{}; a flit has {} at most, {}", bytes_per_cycle(), at_clock(), kMaxFlitBytes,
         rate(kMaxFlitBytes, 1));
  }
  [[nodiscard]] std::string at_clock() const { return fmt::format(" at a clock of {}", clock_->text()); }
  [[nodiscard]] std::string rate(double flit_bytes, double cycles) const {
    return bandwidth_text(static_cast<std::uint64_t>(std::round(flit_bytes / clock_->seconds(cycles))));
  }
  template <typename... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> problem, Args&&... args) const {
    throw Inadmissible(key_, "{}: {} {}", key_, bandwidth_text(bytes_per_second_),
                       fmt::format(problem, std::forward<Args>(args)...));
  }

  std::string key_;
  std::uint64_t bytes_per_second_;
  const std::optional<ClockPeriod>& clock_;
  const char* carrier_;
};

void take_node_bandwidth(ExperimentConfig& config, const ParameterValues& node) {
  if (!config.node_bandwidth) return;
  MachineConfig& machine = config.machine;
  const AskedBandwidth asked("node.bandwidth", *config.node_bandwidth, config.clock, "a channel of a node");
  const std::uint32_t cycles = asked.whole_cycles_per_flit(machine.flit_bytes);
  for (const auto& [key, interval] : {std::pair("injection_interval", &machine.injection_interval),
                                      std::pair("ejection_interval", &machine.ejection_interval)}) {
    if (given<std::int64_t>(node, key) && *interval != cycles) {
      throw Inadmissible(
          "node.bandwidth",
          "node.bandwidth: {} is {} cycles a flit, which contradicts node.{}: {}; leave one out",
          bandwidth_text(*config.node_bandwidth), cycles, key, *interval);
    }
    *interval = cycles;
  }
  config.bandwidths.push_back(asked.simulated(machine.flit_bytes, cycles));
}

/// What the items of `links` say of rates, of kinds or of single links.
void take_rates(ExperimentConfig& config, const std::vector<LinkSetting>& links, bool by_kind) {
  for (std::size_t item = 0; item < links.size(); ++item) {
    const LinkSetting& setting = links[item];
    if (setting.kind.empty() == by_kind) continue;
    std::optional<Ratio> cycles = setting.cycles_per_flit;
    if (setting.bandwidth) {
      const std::string key = fmt::format("links[{}]", item);
      if (cycles) throw Inadmissible(key, key + " has both 'bandwidth' and 'cycles_per_flit'; leave one out");
      const AskedBandwidth asked(key, *setting.bandwidth, config.clock);
      cycles = asked.cycles_per_flit(config.machine.flit_bytes);
      config.bandwidths.push_back(asked.simulated(config.machine.flit_bytes, *cycles));
    }
    if (!cycles) continue;
    for (const ChannelId channel : links_of(setting, config.topology)) {
      config.machine.links.single[channel].cycles_per_flit = cycles;
    }
  }
}

}  // namespace

void take_bandwidths(ExperimentConfig& config, const ParameterValues& top_level, const ParameterValues& link,
                     const ParameterValues& node) {
  MachineConfig& machine = config.machine;
  if (config.link_bandwidth) {
    const AskedBandwidth asked("link.bandwidth", *config.link_bandwidth, config.clock);
    const bool has_flit = given<std::int64_t>(node, "flit_bytes").has_value();
    const auto cycles = given<Ratio>(link, "cycles_per_flit");
    if (!has_flit) machine.flit_bytes = cycles ? asked.flit_bytes(*cycles) : asked.flit_bytes();
    if (!cycles) machine.link_cycles_per_flit = asked.cycles_per_flit(machine.flit_bytes);
    if (has_flit && cycles) asked.require(machine.flit_bytes, *cycles);
    config.bandwidths.push_back(asked.simulated(machine.flit_bytes, machine.link_cycles_per_flit));
  }
  take_node_bandwidth(config, node);
  if (!top_level.has("links")) return;
  for (const bool by_kind : {true, false}) {
    take_rates(config, top_level.get<std::vector<LinkSetting>>("links"), by_kind);
  }
}

void take_link_times(ExperimentConfig& config) {
  const Topology& topology = config.topology;
  const Graph* const graph = topology.graph();
  const auto says_something = [](const GraphPlan::Link& link) {
    return link.delay || link.cycles_per_flit || link.bandwidth;
  };
  if (graph == nullptr || std::ranges::none_of(graph->plan().links, says_something)) return;
  MachineConfig& machine = config.machine;
  std::map<std::uint64_t, Ratio> of_bandwidth;
  for (const GraphPlan::Link& link : graph->plan().links) {
    if (!link.bandwidth || of_bandwidth.contains(*link.bandwidth)) continue;
    const AskedBandwidth asked("topology.file", *link.bandwidth, config.clock);
    const Ratio cycles = asked.cycles_per_flit(machine.flit_bytes);
    of_bandwidth.emplace(*link.bandwidth, cycles);
    config.bandwidths.push_back(asked.simulated(machine.flit_bytes, cycles));
  }
  machine.links.by_channel.assign(topology.channel_ids(), {machine.link_delay, machine.link_cycles_per_flit});
  for (ChannelId channel = 0; channel < topology.channel_ids(); ++channel) {
    const NodeId router = topology.channel_node(channel);
    const unsigned port = topology.channel_port(channel);
    if (!topology.has_link(router, port)) continue;
    const GraphPlan::Link& link = graph->link(router, topology.port_alone(port));
    const Ratio own = link.cycles_per_flit.value_or(machine.link_cycles_per_flit);
    machine.links.by_channel[channel] = {link.delay.value_or(machine.link_delay),
                                         link.bandwidth ? of_bandwidth.at(*link.bandwidth) : own};
  }
}

}  // namespace flitscope
