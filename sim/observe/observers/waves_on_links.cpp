// Waveforms of chosen routers and channels.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "model/machine.h"
#include "model/schedule.h"
#include "sim/network/network.h"
#include "sim/observe/observers/waves.h"

namespace flitscope::waves_observer {

namespace {

constexpr unsigned kStateBits = 2;
constexpr auto kBlockedBits = static_cast<unsigned>(std::bit_width(kStallCauses));
constexpr unsigned kWantsBits = std::bit_width(kMaxInputVcs);  // of a port and 1

unsigned bits_for(std::uint64_t greatest) {
  return static_cast<unsigned>(std::bit_width(greatest));
}

/// "plus0", "minus1"; of a graph the link's name.
std::string scope_of_link(const Topology& topology, NodeId node, unsigned port) {
  if (!topology.is_grid()) return identifier(topology.channel_name(topology.channel(node, port)));
  const unsigned own = topology.port_alone(port);
  return fmt::format("{}{}{}", sign_of_port(own) == Sign::plus ? "plus" : "minus", dimension_of_port(own),
                     own == port ? std::string() : fmt::format("_network{}", topology.network_of_port(port)));
}

/// "+0"; of a graph the link's name.
std::string link_text(const Topology& topology, NodeId node, unsigned port) {
  return topology.is_grid() ? topology.port_name(port) : topology.channel_name(topology.channel(node, port));
}

/// State of an input VC.
enum class VcState : std::uint8_t {
  idle,     ///< nothing here, and no message that passes through it
  routing,  ///< a head is here that has not spent the delays of link and router
  waiting,  ///< a head has asked for an output VC and has none
  active,   ///< the message holds an output VC
};

/// Looks at the chosen routers after every cycle in which anything happened.
///
/// A value at cycle t is the state at the end of cycle t; `blocked`, `sent` and `put` are about cycle t
/// itself. docs/seeing.md lists the signals. The rest of the network keeps its speed.
class LinkWaves final : public WaveDump, public FlitObserver {
 public:
  LinkWaves(const std::filesystem::path& file, const WaveScope& scope, ObservedRun& run)
      : WaveDump(file, scope, run.clock),
        clock_(run.network().clock()),
        numbers_(clock_.numbers()),
        topology_(run.topology) {
    vcd_.open_scope("flitscope");
    const std::vector<NodeId> nodes = scope_.watched_nodes(topology_);
    for (const NodeId node : nodes) declare_node(node, std::ranges::count(scope_.nodes, node) > 0);
    vcd_.close_scope();
    run.on_flits(*this, nodes);
    run.on_start([this] { sample_routers(0); });
    run.on_cycles([this](Cycle now) { sample(now); });
  }

  void injected(Cycle /*now*/, NodeId node, unsigned channel, std::uint64_t message, std::uint32_t index,
                bool tail) override {
    const auto watched = std::ranges::find(watched_, node, &Watched::node);
    if (watched == watched_.end()) return;
    for (const Injection& injection : watched->injections) {
      if (injection.channel == channel) add_pulse(injection.put, message, index, tail);
    }
  }
  void moved(Cycle /*now*/, NodeId node, unsigned port, unsigned vc, std::uint64_t message,
             std::uint32_t index, bool tail) override {
    const auto watched = std::ranges::find(watched_, node, &Watched::node);
    if (watched == watched_.end()) return;
    for (const Output& output : watched->outputs) {
      if (output.port == port && output.vc == vc) add_pulse(output.sent, message, index, tail);
    }
  }

  void close(const RunEnd& run) override {
    // Credits may return after the last flit.
    const Cycle end = end_of(std::max(run.last, sampled_.value_or(0)));
    begin_at(end);
    catch_up(end);
    GtkwaveSave save = close_dump(end);
    std::vector<std::string> blocked{"-"};
    for (const StallCauseInfo& cause : kStallCauseTable) blocked.emplace_back(cause.name);
    save.define("state", kStateBits, {"idle", "routing", "waiting for a VC", "active"});
    save.define("blocked", kBlockedBits, blocked);
    if (topology_.is_grid()) save.define("wants", kWantsBits, wants_of(0));
    for (const Watched& watched : watched_) {
      if (!topology_.is_grid()) save.define("wants" + watched.words, kWantsBits, wants_of(watched.node));
    }
    if (run.deadlock) add_cycle(save, *run.deadlock);
    for (const Watched& watched : watched_) {
      for (const Group& group : watched.groups) {
        save.begin_group(fmt::format("{} {}", watched.name, group.name));
        for (Signal signal = group.first; signal < group.end; ++signal) {
          save.add(vcd_.name(signal), watched.words);
        }
        save.end_group();
      }
    }
    if (first_stall_) save.mark('A', time_of(*first_stall_));
    if (run.deadlock) save.mark('B', time_of(run.deadlock->standstill));
    save.write(time_of(end));
  }

 private:
  struct Input {
    unsigned vc = 0;
    Signal state;
    Passing front;
    Signal occupancy, wants, blocked;
    MessageSignals culprit;
  };
  struct Output {
    unsigned port = 0;
    unsigned vc = 0;  ///< of the port
    Passing sent;
    Signal held;
    MessageSignals holder;
    Signal credits;
    std::vector<Cycle> returning;  ///< cycles after the last sample in which a slot becomes usable
    std::uint64_t usable = 0;
  };
  struct Injection {
    unsigned channel = 0;
    Passing put;
  };
  struct Group {
    std::string name;  ///< of a port, as it is shown: "in +0 VC 1"
    Signal first, end;
  };
  struct Watched {
    NodeId node = 0;
    std::string name;
    /// Suffix of its words of `wants`: ports of a graph lead elsewhere at every node.
    std::string words;
    std::vector<Input> inputs;
    std::vector<Output> outputs;
    std::vector<Injection> injections;
    Signal stalled, buffered;
    std::vector<Group> groups;
  };
  struct Pulse {
    Passing passing;
    std::uint64_t kind, message, flit;
  };

  // --- What is shown ---

  void declare_node(NodeId node, bool whole) {
    Watched& watched = watched_.emplace_back();
    watched.node = node;
    watched.name = topology_.node_name(node);
    const std::string scope = vcd_.open_scope("node_" + node_identifier(topology_, node));
    if (!topology_.is_grid()) watched.words = "-" + scope.substr(scope.find('_') + 1);
    watched.stalled = vcd_.declare("stalled_vcs", kNumberBits);
    watched.buffered = vcd_.declare("buffered_flits", kNumberBits);
    watched.groups.push_back({"router", watched.stalled, vcd_.signals()});
    const auto is_wanted = [&](NodeId from, unsigned port) {
      return topology_.has_link(from, port) &&
             (whole || std::ranges::count(scope_.channels, topology_.channel(from, port)) > 0);
    };
    for (unsigned port = 0; port < numbers_.link_ports(); ++port) {
      const auto upstream = topology_.upstream(node, port);
      if (upstream && is_wanted(*upstream, port)) declare_input(watched, port);
    }
    for (unsigned channel = 0; whole && channel < numbers_.channels(); ++channel) {
      declare_injection(watched, channel);
    }
    for (unsigned port = 0; port < numbers_.ports(); ++port) {
      const bool wanted = port < numbers_.link_ports() ? is_wanted(node, port) : whole;
      if (wanted) declare_output(watched, port);
    }
    vcd_.close_scope();
  }
  /// The VCs of an input port: a link's, or those of an injection channel.
  void declare_input(Watched& watched, unsigned port) {
    const bool link = port < numbers_.link_ports();
    const NodeId from = link ? *topology_.upstream(watched.node, port) : watched.node;
    const std::string name = link ? "in_" + scope_of_link(topology_, from, port)
                                  : fmt::format("injection_{}", port - numbers_.link_ports());
    vcd_.open_scope(name);
    for (unsigned vc = 0; vc < numbers_.vcs_of_port(port); ++vc) {
      vcd_.open_scope(fmt::format("vc{}", vc));
      Input& input = watched.inputs.emplace_back();
      input.vc = numbers_.first_vc(port) + vc;
      input.state = vcd_.declare("state", kStateBits);
      input.front = declare_passing("front", "");
      input.occupancy = vcd_.declare("occupancy", bits_for(numbers_.link_buffer()));
      input.wants = vcd_.declare("wants", kWantsBits);
      input.blocked = vcd_.declare("blocked", kBlockedBits);
      input.culprit = declare_message("culprit_");
      vcd_.close_scope();
      const std::string shown = link ? fmt::format("in {} VC {}", link_text(topology_, from, port), vc)
                                     : fmt::format("injection {}", node_channel(port, vc));
      watched.groups.push_back({shown, input.state, vcd_.signals()});
    }
    vcd_.close_scope();
  }
  void declare_output(Watched& watched, unsigned port) {
    const bool link = port < numbers_.link_ports();
    const std::string name = link ? "out_" + scope_of_link(topology_, watched.node, port)
                                  : fmt::format("ejection_{}", port - numbers_.link_ports());
    vcd_.open_scope(name);
    for (unsigned vc = 0; vc < numbers_.vcs_of_port(port); ++vc) {
      vcd_.open_scope(fmt::format("vc{}", vc));
      Output& output = watched.outputs.emplace_back();
      output.port = port;
      output.vc = vc;
      output.sent = declare_passing("sent", "sent_");
      output.held = vcd_.declare("held", 1);
      output.holder = declare_message("holder_");
      if (link) output.credits = vcd_.declare("credits", bits_for(numbers_.link_buffer()));
      vcd_.close_scope();
      const std::string shown =
          link ? fmt::format("out {} VC {}", link_text(topology_, watched.node, port), vc)
               : fmt::format("ejection {}", node_channel(port, vc));
      watched.groups.push_back({shown, output.sent.kind, vcd_.signals()});
    }
    vcd_.close_scope();
  }
  /// "0", or "0 VC 2" where the channels of nodes have several VCs.
  [[nodiscard]] std::string node_channel(unsigned port, unsigned vc) const {
    const unsigned channel = port - numbers_.link_ports();
    return numbers_.node_vcs() == 1 ? std::to_string(channel) : fmt::format("{} VC {}", channel, vc);
  }
  void declare_injection(Watched& watched, unsigned channel) {
    declare_input(watched, numbers_.link_ports() + channel);
    vcd_.open_scope(fmt::format("nic_{}", channel));
    const Signal first = vcd_.signals();
    watched.injections.push_back({channel, declare_passing("put", "put_")});
    vcd_.close_scope();
    watched.groups.push_back({fmt::format("network interface {}", channel), first, vcd_.signals()});
  }

  // --- What happens ---

  /// Cycle `now` is over. What happens before the first cycle that is shown goes into its values.
  void sample(Cycle now) {
    if (now > scope_.to.value_or(kNever)) {
      pulses_.clear();
      return;
    }
    if (now >= scope_.from) begin_at(now);
    catch_up(now);
    show(now);
    for (const Pulse& pulse : shown_) {
      const auto again = [&](const Pulse& next) { return next.passing.kind == pulse.passing.kind; };
      if (std::ranges::none_of(pulses_, again)) clear(pulse);
    }
    for (const Pulse& pulse : pulses_) set_passing(pulse.passing, pulse.kind, pulse.message, pulse.flit);
    shown_.swap(pulses_);
    pulses_.clear();
    sample_routers(now);
    sampled_ = now;
  }
  void sample_routers(Cycle now) {
    for (Watched& watched : watched_) {
      blocked_now_ = 0;
      buffered_now_ = 0;
      for (const Input& input : watched.inputs) sample_input(watched, input, now);
      for (Output& output : watched.outputs) sample_output(watched, output);
      vcd_.set(watched.stalled, blocked_now_);
      vcd_.set(watched.buffered, buffered_now_);
    }
  }
  /// The dump begins, at the latest before cycle `now` is drawn.
  void begin_at(Cycle now) {
    if (vcd_.has_begun()) return;
    catch_up(std::min(now, scope_.from));
    begin();
  }
  /// Between two samples only two things happen: flits that passed are gone, and credits return.
  void catch_up(Cycle now) {
    if (!shown_.empty() && *sampled_ + 1 < now) {
      show(*sampled_ + 1);
      for (const Pulse& pulse : std::exchange(shown_, {})) clear(pulse);
    }
    std::vector<std::pair<Cycle, Output*>> returns;
    for (Watched& watched : watched_) {
      for (Output& output : watched.outputs) {
        for (const Cycle cycle : output.returning) {
          if (cycle < now) returns.emplace_back(cycle, &output);
        }
        std::erase_if(output.returning, [now](Cycle cycle) { return cycle < now; });
      }
    }
    std::ranges::stable_sort(returns, {}, &std::pair<Cycle, Output*>::first);
    for (const auto& [cycle, output] : returns) {
      show(cycle);
      vcd_.set(output->credits, ++output->usable);
    }
  }
  void sample_input(const Watched& watched, const Input& input, Cycle now) {
    const RouterGroups& core = clock_.core();
    const RouterGroups::InputState state = core.input_state(watched.node, input.vc);
    const bool some = state.flits != 0;
    const bool has_message = some || state.holds;
    std::optional<std::uint64_t> message;
    std::uint64_t kind = 0;
    if (has_message) message = clock_.messages()[state.message].id;
    if (some) kind = flit_kind(state.index == 0, state.index + 1 == clock_.messages()[state.message].flits);
    const std::optional<FlitStall> stall = core.stall(watched.node, input.vc, now);

    vcd_.set(input.state, static_cast<std::uint64_t>(state.holds  ? VcState::active
                                                     : state.port ? VcState::waiting
                                                     : some       ? VcState::routing
                                                                  : VcState::idle));
    set_passing(input.front, kind, message, some ? state.index : 0);
    vcd_.set(input.occupancy, state.flits);
    vcd_.set(input.wants, state.port ? *state.port + std::uint64_t{1} : 0);
    vcd_.set(input.blocked, stall ? static_cast<std::uint64_t>(stall->cause) + 1 : 0);
    set_message(input.culprit, stall ? stall->culprit : std::nullopt);
    if (stall) {
      ++blocked_now_;
      if (!first_stall_ && now >= scope_.from) first_stall_ = now;
    }
    buffered_now_ += state.flits;
  }
  void sample_output(const Watched& watched, Output& output) {
    const RouterGroups& core = clock_.core();
    const unsigned number = numbers_.first_vc(output.port) + output.vc;
    const std::optional<unsigned> holder = core.holder(watched.node, number);
    std::optional<std::uint64_t> message;
    if (holder) message = clock_.messages()[core.input_state(watched.node, *holder).message].id;
    vcd_.set(output.held, holder ? 1 : 0);
    set_message(output.holder, message);
    if (output.port >= numbers_.link_ports()) return;
    output.usable = core.usable_slots(watched.node, number, output.returning);
    vcd_.set(output.credits, output.usable);
  }
  void add_pulse(const Passing& passing, std::uint64_t message, std::uint32_t index, bool tail) {
    pulses_.push_back({passing, flit_kind(index == 0, tail), message, index});
  }
  void clear(const Pulse& pulse) { set_passing(pulse.passing, 0, std::nullopt, 0); }

  // --- The end ---

  /// The worms in the order of the dependency cycle, with the channels that each holds.
  void add_cycle(GtkwaveSave& save, const Deadlock& deadlock) const {
    save.begin_group("the dependency cycle of the deadlock");
    for (const DeadlockedWorm& worm : deadlock.dependency_cycle) {
      for (const HeldChannel& held : worm.holds) {
        save.note(fmt::format("worm {}: {} VC {}", message_label(worm.message), channel_name(held, topology_),
                              held.vc));
        if (held.port < topology_.link_ports()) add_channel(save, held);
      }
    }
    save.end_group();
  }
  /// The holder of a channel, and what waits in the buffer behind it; of either only what is watched.
  void add_channel(GtkwaveSave& save, const HeldChannel& held) const {
    for (const Watched& watched : watched_) {
      for (const Output& output : watched.outputs) {
        if (watched.node != held.node || output.port != held.port || output.vc != held.vc) continue;
        for (const Signal signal : {output.held, output.holder.step, output.holder.message}) {
          save.add(vcd_.name(signal));
        }
      }
    }
    const auto receiver = topology_.neighbour(held.node, held.port);
    for (const Watched& watched : watched_) {
      for (const Input& input : watched.inputs) {
        if (watched.node != receiver || input.vc != numbers_.first_vc(held.port) + held.vc) continue;
        for (const Signal signal : {input.state, input.front.message.step, input.front.message.message,
                                    input.wants, input.blocked, input.culprit.step, input.culprit.message}) {
          save.add(vcd_.name(signal), watched.words);
        }
      }
    }
  }
  /// The words of `wants`, by port and 1.
  [[nodiscard]] std::vector<std::string> wants_of(NodeId node) const {
    const unsigned links = numbers_.link_ports();
    std::vector<std::string> words{"-"};
    for (unsigned port = 0; port < numbers_.ports(); ++port) {
      words.push_back(port < links ? link_text(topology_, node, port)
                                   : fmt::format("ejection {}", port - links));
    }
    return words;
  }

  const ClockDomain& clock_;
  const RouterNumbers& numbers_;
  const Topology& topology_;
  std::vector<Watched> watched_;
  std::vector<Pulse> pulses_;  ///< of the present cycle
  std::vector<Pulse> shown_;   ///< of the cycle sampled last; to be taken back
  std::optional<Cycle> sampled_;
  std::optional<Cycle> first_stall_;
  unsigned blocked_now_ = 0;
  std::uint64_t buffered_now_ = 0;
};

}  // namespace

std::unique_ptr<Observer> waves_on_links(const std::filesystem::path& file, const WaveScope& scope,
                                         ObservedRun& run) {
  return std::make_unique<LinkWaves>(file, scope, run);
}

}  // namespace flitscope::waves_observer
