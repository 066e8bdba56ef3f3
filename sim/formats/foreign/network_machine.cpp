#include "sim/formats/foreign/network_machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "model/error.h"
#include "model/machine.h"
#include "model/text.h"
#include "params/parameter.h"
#include "sim/formats/graph_file.h"
#include "sim/formats/yaml_source.h"

namespace flitscope {

namespace {

constexpr double kMaxFlitBytes = 65'536;
constexpr double kMaxDelay = 65'535;
/// Cycles of a round trip over a link of delay 0: the routers at both ends.
constexpr double kRouterCycles = 4;

/// "core-0.asic" and "ring of 8" in a configuration.
std::string name_of(const std::string& file) {
  std::string name = std::filesystem::path(file).stem().string();
  std::ranges::replace_if(
      name,
      [](char c) {
        return !is_graph_name({&c, 1});
      },
      '_');
  return name.empty() ? "network" : name;
}

}  // namespace

LinkUnits::LinkUnits(std::string file, const std::vector<DescribedLink>& links)
    : file_(std::move(file)),
      fastest_(links.empty() ? 0 : std::ranges::max(links, {}, &DescribedLink::bandwidth).bandwidth) {
  if (fastest_ > kMaxFlitBytes) {
    throw InputError("{}: a link has {:.6g} GB/s; flitscope's have {:.0f} GB/s at most", printable(file_),
                     fastest_, kMaxFlitBytes);
  }
  // Within 0.1% a bandwidth is a whole number of bytes a cycle.
  const double whole = std::max(std::round(fastest_), 1.0);
  if (fastest_ > 0) {
    flit_bytes_ = static_cast<std::uint32_t>(
        std::abs(whole - fastest_) <= 0.001 * fastest_ ? whole : std::ceil(fastest_));
  }
  for (const DescribedLink& link : links) {
    if (link.latency > kMaxDelay) {
      throw InputError("{}: a link has a latency of {:.6g} ns; flitscope's have {:.0f} ns at most",
                       printable(file_), link.latency, kMaxDelay);
    }
    const double slowest = flit_bytes_ / static_cast<double>(kMaxCyclesPerFlit);
    if (link.bandwidth > 0 && link.bandwidth < slowest) {
      throw InputError(
          "{}: a link has {:.6g} GB/s, less than a thousandth of the fastest one's; {:.6g} GB/s is the least",
          printable(file_), link.bandwidth, slowest);
    }
    rounded_ = rounded_ || std::abs(delay(link) - link.latency) > 1e-9;
    unsaid_ = unsaid_ || link.bandwidth == 0;
    const double round_trip = 2.0 * delay(link) + kRouterCycles;
    buffer_ = std::max(
        buffer_, static_cast<std::uint64_t>(std::ceil(round_trip / cycles_per_flit(link).approximate())));
  }
}

std::uint32_t LinkUnits::delay(const DescribedLink& link) const {
  return static_cast<std::uint32_t>(std::max(std::round(link.latency), 1.0));
}

Ratio LinkUnits::cycles_per_flit(const DescribedLink& link) const {
  const double bandwidth = link.bandwidth == 0 ? fastest_ : link.bandwidth;
  if (bandwidth == 0) return {};
  const auto [found, is_new] = intervals_.try_emplace(bandwidth);
  if (is_new) found->second = Ratio::nearest(std::max(flit_bytes_ / bandwidth, 1.0));
  return found->second;
}

std::string LinkUnits::sections(const std::string& program, const std::string& note, bool one_port) const {
  std::string text = fmt::format("# A network of {}: {}.\n", program, printable(file_));
  if (!note.empty()) text += fmt::format("# {}\n", note);
  text += fmt::format("# A cycle is a nanosecond, a flit what the fastest link carries in it.{}{}\n",
                      rounded_ ? " Latencies are whole cycles, at least one." : "",
                      unsaid_ ? " Links without a bandwidth are as fast." : "");
  return text + fmt::format(
                    "flitscope: 1\nname: {}\nclock: 1GHz\n"
                    "router: {{buffer: {}}}   # covers the round trip of every link\n"
                    "node: {{flit_bytes: {}{}}}\n"
                    "workload: {{traffic: uniform, message: {}, load: 0.02, measure: 20000}}\n",
                    quoted_for_yaml(name_of(file_)), buffer_, flit_bytes_, one_port ? ", ports: 1" : "",
                    8 * flit_bytes_);
}

ImportedMachine machine_of(const DescribedNetwork& network, const ImportFile& file, const MachineFiles& files,
                           const std::string& program, const std::string& note) {
  GraphPlan plan{.name = name_of(file.name), .routers = network.routers};
  std::vector<DescribedLink> likes;
  for (const DescribedNetwork::Link& link : network.links) {
    plan.join(link.one, link.other);
    likes.push_back(link.like);
  }
  if (const auto fault = fault_of(plan)) {
    throw InputError("{}: {}", printable(file.name), fault->message);
  }
  const LinkUnits units(file.name, likes);
  std::string graph = fmt::format("graph: 1\nname: {}\nrouters:\n", quoted_for_yaml(plan.name));
  for (const GraphPlan::Router& router : plan.routers) {
    graph += fmt::format("  - {{name: '{}'{}}}\n", router.name, router.node ? "" : ", node: false");
  }
  graph += "links:\n";
  for (const DescribedNetwork::Link& link : network.links) {
    graph += fmt::format("  - {{between: ['{}', '{}'], delay: {}, cycles_per_flit: {}}}\n",
                         plan.routers[link.one].name, plan.routers[link.other].name, units.delay(link.like),
                         units.cycles_per_flit(link.like).text());
  }
  std::vector<unsigned> links(plan.routers.size());
  for (const GraphPlan::Link& link : plan.links) ++links[link.from];
  // A router with as many injection channels as links would have too many input VCs.
  const bool one_port = 2 * *std::ranges::max_element(links) > kMaxInputVcs;
  return {units.sections(program, note, one_port) +
              fmt::format("topology: {{kind: graph, file: {}}}\n", quoted_for_yaml(files.network)),
          std::move(graph)};
}

}  // namespace flitscope
