// Networks with bandwidths and latencies, of formats that describe them so, as configurations.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/graph.h"
#include "model/units.h"
#include "sim/formats/foreign/format.h"

namespace flitscope {

/// What a link of such a network is like.
struct DescribedLink {
  double bandwidth = 0;  ///< bytes a nanosecond, which is GB/s; 0: not said
  double latency = 0;    ///< nanoseconds
};

/// Flits, intervals and buffers of a machine, whose cycle is a nanosecond: a flit is what its fastest link
/// carries in a cycle.
class LinkUnits {
 public:
  /// Throws InputError for a bandwidth or a latency that no link can have; `file` names the network.
  LinkUnits(std::string file, const std::vector<DescribedLink>& links);

  /// At least a cycle, to the nearest one.
  [[nodiscard]] std::uint32_t delay(const DescribedLink& link) const;
  /// A link without a bandwidth is as fast as the fastest.
  [[nodiscard]] Ratio cycles_per_flit(const DescribedLink& link) const;

  /// The sections of a configuration but for `topology` and `link`, with a comment of what was made of what.
  /// `note` is a sentence more in the comment. `one_port`: nodes have one injection channel.
  [[nodiscard]] std::string sections(const std::string& program, const std::string& note,
                                     bool one_port = false) const;

 private:
  std::string file_;
  double fastest_ = 0;  ///< bandwidth; 0: no link has one
  std::uint32_t flit_bytes_ = 8;
  std::uint64_t buffer_ = 8;                   ///< flits on the longest round trip of a link
  bool rounded_ = false;                       ///< a latency is no whole number of nanoseconds
  bool unsaid_ = false;                        ///< a link has no bandwidth
  mutable std::map<double, Ratio> intervals_;  ///< by bandwidth, of links so far: most are alike
};

/// A network of any shape: routers, and links in both directions.
struct DescribedNetwork {
  struct Link {
    std::uint32_t one = 0;
    std::uint32_t other = 0;
    DescribedLink like = {};
  };
  std::vector<GraphPlan::Router> routers = {};
  std::vector<Link> links = {};
};

/// A graph file and the configuration that names it. `program` is who describes networks so. Throws
/// InputError for a network that cannot be one of flitscope.
[[nodiscard]] ImportedMachine machine_of(const DescribedNetwork& network, const ImportFile& file,
                                         const MachineFiles& files, const std::string& program,
                                         const std::string& note);

}  // namespace flitscope
