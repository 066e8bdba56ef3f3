// map: the network as a picture, links wide with traffic and red with waiting.
#include <fstream>
#include <vector>

#include "model/error.h"
#include "sim/network/network.h"
#include "sim/observe/flits/channel_map.h"
#include "sim/observe/observer.h"

namespace flitscope::map_observer {
namespace {

struct Keys {
  bool map = false;
};

constexpr auto kFile = "channels.svg";

/// Reads the counters of the routers when the run is over.
class Map final : public Observer {
 public:
  explicit Map(const LinkRun& run) : run_(run) {}

  void close(const RunEnd& end) override {
    const Topology& topology = run_.topology;
    const RouterPool& routers = run_.network().clock().routers();
    std::vector<ChannelUse> channels;
    for (NodeId node = 0; node < topology.routers(); ++node) {
      for (unsigned number = 0; number < topology.link_ports(); ++number) {
        if (!topology.has_link(node, number)) continue;
        const PortCounts port = routers.counts(node, number);
        const double share =
            end.cycles == 0 ? 0 : static_cast<double>(port.flits) / static_cast<double>(end.cycles);
        channels.push_back({topology.channel(node, number), share, port.stalled});
      }
    }
    std::ofstream out(run_.file(kFile), std::ios::binary);
    out << draw_channels(channels, topology);
    out.close();
    if (!out) throw OutputError(run_.file(kFile).string() + ": could not be written");
  }

 private:
  const LinkRun& run_;
};

void check(const Keys& keys, const Topology& topology) {
  if (!keys.map || can_be_drawn(topology)) return;
  throw Inadmissible("observe.map",
                     "observe.map draws networks of one or two dimensions with at most 1024 nodes, not a " +
                         topology.name());
}

const ObserverEntry<Keys> entry{
    {.name = "map",
     .summary = "the network as a picture, links wide with traffic and red with waiting",
     .files = {kFile},
     .keys = {.name = "observe",
              .rows = {of_links(row(
                  &Keys::map, {.name = "map",
                               .type = ParameterType::boolean,
                               .summary = "channels.svg: a map of a network of one or two dimensions with "
                                          "at most 1024 nodes, where flits waited"}))},
              .check = check},
     .order = -3,
     .wanted = [](const Keys& keys) { return keys.map; },
     .on_links = [](const Keys&, LinkRun& run) { return std::make_unique<Map>(run); }}};

}  // namespace
}  // namespace flitscope::map_observer
