// The key `classes`: message classes, and what no class can say alone.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>

#include "model/bits.h"
#include "model/text.h"
#include "sim/config/workload_keys.h"

namespace flitscope {

namespace {

using Value = ParameterValues::Value;

/// The VCs of an item of `classes`. Counted ones follow `first`, which is behind them then.
std::uint64_t vcs_of(const ClassSetting& setting, unsigned& first) {
  std::vector<std::uint32_t> numbers = setting.vcs;
  if (setting.counted) {
    numbers.resize(setting.vcs.front());
    std::iota(numbers.begin(), numbers.end(), first);
    first += setting.vcs.front();
  }
  std::uint64_t vcs = 0;
  for (const std::uint32_t number : numbers) {
    if (number >= kMaxVirtualChannels) {
      throw InputError("a link has {} VCs at most, from 0 to {}, not VC {}", kMaxVirtualChannels,
                       kMaxVirtualChannels - 1, number);
    }
    if ((vcs >> number & 1) != 0) throw InputError("VC {} is there twice", number);
    vcs |= std::uint64_t{1} << number;
  }
  return vcs;
}

std::vector<MessageClass> classes_of(const std::vector<ClassSetting>& settings) {
  if (settings.size() > kMaxMessageClasses) {
    throw InputError("at most {} are possible, not {}", kMaxMessageClasses, settings.size());
  }
  std::vector<MessageClass> classes;
  std::map<std::uint32_t, unsigned> first;  // by network
  for (std::size_t item = 0; item < settings.size(); ++item) {
    const ClassSetting& setting = settings[item];
    const std::string path = fmt::format("classes[{}]", item);
    try {
      if (!is_class_name(setting.name)) {
        throw InputError("name must be a word of letters, digits, - and _, not {}", in_quotes(setting.name));
      }
      if (std::ranges::count(classes, setting.name, &MessageClass::name) > 0) {
        throw InputError("an earlier item is called '{}' already", setting.name);
      }
      if (setting.counted != settings.front().counted) {
        throw InputError(
            "either all items say how many VCs they have, such as vcs: 2, or all list them, such as vcs: [0, "
            "1]");
      }
      classes.push_back(
          {setting.name, vcs_of(setting, first[setting.network]), setting.priority, setting.network});
    } catch (const InputError& error) {
      throw Inadmissible(path, "{}: {}", path, error.what());
    }
  }
  return classes;
}

/// Of several networks each has classes, and each class goes by one of them.
void require_networks(const std::vector<MessageClass>& classes, unsigned networks) {
  for (std::size_t item = 0; item < classes.size(); ++item) {
    if (classes[item].network < networks) continue;
    const std::string path = fmt::format("classes[{}]", item);
    throw Inadmissible(path,
                       "{}: '{}' goes by network {}, but topology.networks is {}: they are numbered from 0",
                       path, classes[item].name, classes[item].network, networks);
  }
  for (unsigned network = 0; network < networks && networks > 1; ++network) {
    if (std::ranges::count(classes, network, &MessageClass::network) > 0) continue;
    throw Inadmissible("topology.networks",
                       "topology.networks: no message class goes by network {}; 'classes' say which: "
                       "[{{name: request, vcs: 1}}, {{name: reply, vcs: 1, network: 1}}]",
                       network);
  }
}

}  // namespace

Row<ExperimentConfig> message_classes() {
  const auto put = [](ExperimentConfig& config, const Value& value, const ReadContext&) {
    config.machine.classes = classes_of(std::get<std::vector<ClassSetting>>(value));
  };
  const auto take = [](const ExperimentConfig& config, const Topology&) -> std::optional<Value> {
    std::vector<ClassSetting> settings;
    for (const MessageClass& each : config.machine.classes) {
      ClassSetting& setting = settings.emplace_back();
      setting.name = each.name;
      setting.priority = each.priority;
      setting.network = each.network;
      for_each_bit(each.vcs, [&](unsigned vc) { setting.vcs.push_back(vc); });
    }
    return settings.empty() ? std::nullopt : std::optional<Value>(std::move(settings));
  };
  return of_links(Row<ExperimentConfig>{
      {Parameter::of(
           ParameterType::classes, "classes",
           "message classes (virtual networks): `vcs` of every link, a list or how many; `priority`, of "
           "which the highest goes first; and `network`, from 0, of several `networks`")
           .or_else("null")},
      put,
      take});
}

void require_consistent_classes(const ExperimentConfig& config, const Topology&) {
  const std::vector<MessageClass>& classes = config.machine.classes;
  require_networks(classes, config.topology.networks());
  if (config.topology.networks() > 1 && config.machine.node_queues == NodeQueues::shared) {
    throw Inadmissible("node.queues",
                       "networks share no queue: leave 'queues: shared' out, and each class has its own");
  }
  if (classes.empty()) return;
  std::uint64_t all = 0;
  std::map<std::uint32_t, std::uint64_t> of_network;
  for (std::size_t item = 0; item < classes.size(); ++item) {
    const std::string path = fmt::format("classes[{}]", item);
    std::uint64_t& earlier = of_network[classes[item].network];
    const std::uint64_t common = earlier & classes[item].vcs;
    for (std::size_t before = 0; before < item && common != 0; ++before) {
      const std::uint64_t both = classes[before].vcs & classes[item].vcs;
      if (classes[before].network != classes[item].network) continue;
      if (both == 0 || classes[before].vcs == classes[item].vcs) continue;
      throw Inadmissible(
          path,
          "{}: '{}' has VC {} together with '{}', but not all: classes have the same VCs, or none in common",
          path, classes[item].name, std::countr_zero(both), classes[before].name);
    }
    if (config.machine.has_priorities() && common != 0) {
      throw Inadmissible(
          path, "{}: '{}' has VC {} together with an earlier class: give them equal priorities, or VCs apart",
          path, classes[item].name, std::countr_zero(common));
    }
    earlier |= classes[item].vcs;
    all |= classes[item].vcs;
  }
  if (!std::has_single_bit(all + 1) && all + 1 != 0) {
    throw Inadmissible("classes", "classes: VC {} belongs to none", std::countr_one(all));
  }
  if (config.machine.has_priorities() && config.machine.node_queues == NodeQueues::shared) {
    throw Inadmissible(
        "node.queues",
        "classes with different priorities need queues of their own: leave 'queues: shared' out, "
        "or the priorities");
  }
  const auto vcs = static_cast<unsigned>(std::popcount(all));
  if (config.virtual_channels && *config.virtual_channels != vcs) {
    throw Inadmissible(
        "router.virtual_channels",
        "the classes have {} of every link, so router.virtual_channels must be {}, or left out, not {}",
        counted(vcs, "virtual channel"), vcs, *config.virtual_channels);
  }
}

}  // namespace flitscope
