// The part of the Python module that is in its process: a network that a Python program steps.
#include <fmt/ranges.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <any>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/error.h"
#include "model/stall_cause.h"
#include "sim/adaptors/stepped_network.h"
#include "sim/config/config_source.h"
#include "sim/observe/deadlock/deadlock.h"
#include "sim/run/workload.h"

namespace py = pybind11;
using namespace pybind11::literals;

namespace flitscope {
namespace {

/// The configuration of a file, whose workload does not count: the program sends.
ExperimentConfig load_for_messages(const std::string& file, std::vector<std::string> settings) {
  settings.emplace_back("workload={traffic: uniform, message: 1, load: 0.1, measure: 100}");
  try {
    return load_config(file, settings);
  } catch (const InputError& error) {
    // Complaints about this workload would name a setting that the user did not give.
    if (std::string_view(error.what()).find("workload.traffic is for networks with links") == std::string::npos) throw;
    throw InputError("a Network sends over links, which a complete network does not have");
  }
}

std::unique_ptr<SteppedNetwork> make_network(const std::string& file, std::vector<std::string> settings) {
  ExperimentConfig config = load_for_messages(file, std::move(settings));
  complete_for_messages(config);
  return std::make_unique<SteppedNetwork>(config.topology, config.machine);
}

std::uint32_t flits_of_message(const SteppedNetwork& network, std::optional<std::uint32_t> flits,
                               std::optional<std::uint64_t> bytes) {
  if (flits && bytes) throw py::value_error("a message has flits or bytes, not both");
  if (!bytes) return flits.value_or(1);
  const std::uint64_t needed = flits_of(*bytes, network.machine().flit_bytes);
  if (needed > std::numeric_limits<std::uint32_t>::max()) throw py::value_error("a message is too long");
  return static_cast<std::uint32_t>(needed);
}

py::dict stalls_by_cause(SteppedNetwork& network) {
  py::dict stalls;
  const auto& counts = network.stalls();
  for (unsigned cause = 0; cause < kStallCauses; ++cause) {
    stalls[kStallCauseTable[cause].name] = counts[cause];
  }
  return stalls;
}

/// None, or a dictionary whose "cycle" has the worms of the dependency cycle.
py::object deadlock_of(const SteppedNetwork& network) {
  const std::optional<Deadlock> deadlock = find_deadlock(network.clock());
  if (!deadlock) return py::none();
  const Topology& topology = network.topology();
  const auto channel = [&](const HeldChannel& held) {
    return py::dict("channel"_a = channel_name(held, topology), "vc"_a = held.vc);
  };
  py::list worms;
  for (const DeadlockedWorm& worm : deadlock->dependency_cycle) {
    py::list holds;
    for (const HeldChannel& held : worm.holds) holds.append(channel(held));
    worms.append(py::dict("source"_a = worm.source, "destination"_a = worm.destination,
                          "flits"_a = worm.flits, "node"_a = worm.node, "holds"_a = holds,
                          "wants"_a = channel(worm.wants), "wants_room"_a = worm.wants_room,
                          "wants_reply"_a = worm.wants_reply, "stalled_since"_a = worm.stalled_since));
  }
  return py::dict(
      "since"_a = deadlock->standstill, "cycle"_a = worms, "blocked_buffers"_a = deadlock->blocked_buffers,
      "blocked_messages"_a = deadlock->blocked_messages, "text"_a = fmt::format("{}", fmt::join(describe(*deadlock, topology), "\n")));
}

py::object next_event_of(const SteppedNetwork& network) {
  const Cycle next = network.next_event();
  return next == kNever ? py::object(py::none()) : py::int_(next);
}

py::object received(SteppedNetwork& network, NodeId node, std::uint32_t message_class) {
  if (network.peek(node, message_class) == nullptr) return py::none();
  return py::cast(network.take(node, message_class));
}

void send(SteppedNetwork& network, NodeId source, NodeId destination, std::optional<std::uint32_t> flits,
          std::optional<std::uint64_t> bytes, std::uint32_t message_class, py::object content) {
  network.send(source, {.destination = destination,
                        .flits = flits_of_message(network, flits, bytes),
                        .content = std::move(content),
                        .message_class = message_class});
}

NodeId node_at(const SteppedNetwork& network, const std::string& name) {
  try {
    return parse_node(name, network.topology());
  } catch (const InputError& error) {
    throw py::value_error(error.what());
  }
}

void define_message(py::module_& module) {
  py::class_<IncomingMessage>(module, "Message", "A message that has arrived. Times are cycles.")
      .def_readonly("source", &IncomingMessage::source)
      .def_readonly("destination", &IncomingMessage::destination)
      .def_readonly("flits", &IncomingMessage::flits)
      .def_readonly("message_class", &IncomingMessage::message_class)
      .def_readonly("ready", &IncomingMessage::ready, "When it could be sent.")
      .def_readonly("head_entered", &IncomingMessage::head_entered, "When its head entered the network.")
      .def_readonly("arrived", &IncomingMessage::arrived, "When its tail arrived.")
      .def_property_readonly(
          "content",
          [](const IncomingMessage& message) { return std::any_cast<py::object>(message.content); },
          "The object that was sent with it.")
      .def("__repr__", [](const IncomingMessage& message) {
        return "<Message of " + std::to_string(message.flits) + " flits from " +
               std::to_string(message.source) + " to " + std::to_string(message.destination) +
               ", arrived in cycle " + std::to_string(message.arrived) + ">";
      });
}

void define_network(py::module_& module) {
  py::class_<SteppedNetwork>(module, "Network")
      .def(py::init(&make_network), "file"_a, "settings"_a)
      .def_property_readonly("now", &SteppedNetwork::now, "The cycle that step() runs next.")
      .def_property_readonly(
          "nodes", [](const SteppedNetwork& network) { return network.topology().nodes(); },
          "How many nodes there are.")
      .def("node", &node_at, "name"_a, "The number of the node with a name, such as \"[1, 0]\".")
      .def(
          "name",
          [](const SteppedNetwork& network, NodeId node) {
            if (node >= network.topology().nodes()) throw py::value_error("there is no such node");
            return network.topology().node_name(node);
          },
          "node"_a, "The name of a node.")
      .def("step", &SteppedNetwork::step, "Runs a cycle.")
      .def("advance_to", &SteppedNetwork::advance_to, "cycle"_a, "Runs all cycles before this one, at most 10^15.")
      .def(
          "next_event", &next_event_of,
          "The next cycle in which anything happens; None if nothing can without a message sent or received.")
      .def("can_send", &SteppedNetwork::can_send, "node"_a, "message_class"_a = 0,
           "Whether the injection queue of a node has room.")
      .def("send", &send, "source"_a, "destination"_a, "flits"_a = py::none(), "bytes"_a = py::none(),
           "message_class"_a = 0, "content"_a = py::none(),
           "Sends a message in cycle now, of so many flits (1 by default) or bytes, with any object.")
      .def("receive", &received, "node"_a, "message_class"_a = 0,
           "Takes the first message that has arrived at a node; None if there is none.")
      .def("arrived", &SteppedNetwork::take_arrived_nodes,
           "Nodes at which messages have arrived since the last call.")
      .def_property_readonly("in_flight", &SteppedNetwork::in_flight,
                             "Messages that were sent and have not arrived.")
      .def_property_readonly(
          "flit_hops", [](const SteppedNetwork& network) { return network.clock().flit_hops(); },
          "Flits that have crossed links.")
      .def("stalls", &stalls_by_cause, "Stalled flit-cycles so far, by cause.")
      .def("deadlock", &deadlock_of,
           "None, or the deadlock: since which cycle, the worms of the dependency cycle, and it as text.");
}

}  // namespace
}  // namespace flitscope

PYBIND11_MODULE(_flitscope, module) {
  static py::exception<flitscope::InputError> refused(module, "Refused");
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const flitscope::InputError& error) {
      refused(error.what());
    } catch (const flitscope::Inadmissible& error) {
      refused(error.what());
    }
  });
  flitscope::define_message(module);
  flitscope::define_network(module);
}
