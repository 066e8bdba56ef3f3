#include "sim/formats/circuit_schedule_file.h"

#include "model/error.h"
#include "model/schedule.h"
#include "model/text.h"
#include "sim/formats/schedule_header.h"
#include "sim/formats/strict_json.h"

namespace flitscope {
namespace {

void require_expressible(const Topology& topology, const Circuit& circuit) {
  for (const NodeId node : {circuit.node, circuit.target}) {
    if (node < topology.nodes()) continue;
    throw ScheduleError("node {} does not exist on the {}", node, topology.name());
  }
}

Json circuit_json(const Topology& topology, const Circuit& circuit) {
  require_expressible(topology, circuit);
  return {{"node", circuit.node}, {"port", circuit.port}, {"target", circuit.target}};
}

void write_moment(const Topology& topology, const CircuitEvent& event, std::uint64_t step,
                  std::ostream& out) {
  for (const Circuit& circuit : event.tunings()) {
    Json tuning = circuit_json(topology, circuit);
    tuning["start"] = event.time();
    out << dumped_line({{"tune", tuning}});
  }
  for (const CircuitMessage& message : event.messages()) {
    require_expressible(topology, message.circuit);
    const auto chunks = event.chunks(message);
    out << dumped_line({{"step", step},
                        {"src", message.circuit.node},
                        {"dst", message.circuit.target},
                        {"port", message.circuit.port},
                        {"start", event.time()},
                        {"chunks", std::vector(chunks.begin(), chunks.end())}});
  }
}

}  // namespace

void write_schedule(CircuitSchedule& schedule, std::ostream& out) {
  const CircuitFacts& facts = schedule.facts();
  out << dumped_line(header_json(facts));
  for (const Circuit& circuit : facts.circuits) {
    out << dumped_line({{"circuit", circuit_json(facts.topology, circuit)}});
  }
  std::uint64_t steps = 0;
  std::uint64_t messages = 0;
  std::uint64_t tunings = 0;
  for (CircuitEvent event; schedule.next(event);) {
    if (!event.messages().empty()) ++steps;
    messages += event.messages().size();
    tunings += event.tunings().size();
    write_moment(facts.topology, event, steps, out);
    if (!out) throw OutputError("the schedule could not be written beyond time {}", event.time());
    if (steps > facts.steps) break;
  }
  if (!out.flush()) throw OutputError("the schedule could not be written");
  if (steps == facts.steps && messages == facts.messages && tunings == facts.tunings) return;
  throw ScheduleError("the schedule has {}, {} and {}, but announces {}, {} and {}", counted(steps, "step"),
                      counted(messages, "message"), counted(tunings, "tuning"), facts.steps, facts.messages,
                      facts.tunings);
}

CircuitScheduleFile::CircuitScheduleFile(std::unique_ptr<std::istream> stream, const std::string& name)
    : lines_(std::move(stream), name), facts_(read_event_header({lines_.header(), lines_.place()})) {
  read_circuits();
  read_ahead();
}

void CircuitScheduleFile::read_circuits() {
  const std::uint64_t most = std::uint64_t{facts_.topology.nodes()} * facts_.send_ports;
  const JsonValue header(lines_.header(), lines_.place());
  const std::uint64_t count = header.at("circuits").whole(0, most);
  for (std::uint64_t read = 0; read < count; ++read) {
    const auto parsed = lines_.next();
    if (!parsed) {
      throw InputError("{}: the file ends after {}, but its header announces {}", lines_.place().text(),
                       counted(read, "circuit"), count);
    }
    const JsonValue line(*parsed, lines_.place());
    if (!line.has("circuit")) {
      line.fail("is no circuit; {} came before, but the header announces {}", counted(read, "circuit"),
                count);
    }
    line.require_keys({"circuit"});
    const JsonValue circuit = line.at("circuit");
    circuit.require_keys({"node", "port", "target"});
    facts_.circuits.push_back(read_circuit(circuit, "node", "target"));
    if (read == 0) continue;
    const Circuit& before = facts_.circuits[read - 1];
    const Circuit& present = facts_.circuits[read];
    if (std::pair(before.node, before.port) >= std::pair(present.node, present.port)) {
      circuit.fail("must be listed in rising order of node and port, each port once");
    }
  }
}

bool CircuitScheduleFile::next(CircuitEvent& event) {
  if (!ahead_) return false;
  event.clear(ahead_start_);
  while (ahead_ && ahead_start_ == event.time()) {
    const JsonValue line(*ahead_, lines_.place());
    if (is_tuning_) {
      event.tune(read_circuit(line.at("tune"), "node", "target"));
    } else {
      add_message(line, event);
    }
    read_ahead();
  }
  return true;
}

void CircuitScheduleFile::read_ahead() {
  const std::uint64_t present = ahead_start_;
  const bool after_message = ahead_ && !is_tuning_;
  ahead_ = lines_.next();
  if (!ahead_) {
    if (messages_read_ == facts_.messages && tunings_read_ == facts_.tunings) return;
    throw InputError("{}: the file ends after {} and {}, but its header announces {} and {}",
                     lines_.place().text(), counted(messages_read_, "message"),
                     counted(tunings_read_, "tuning"), facts_.messages, facts_.tunings);
  }
  const JsonValue line(*ahead_, lines_.place());
  if (line.has("circuit")) {
    line.fail("is one circuit more than the {} that the header announces", facts_.circuits.size());
  }
  line.require_keys({"tune", "step", "src", "dst", "port", "start", "chunks"});
  is_tuning_ = line.has("tune");
  if (is_tuning_) {
    line.require_keys({"tune"});
    line.at("tune").require_keys({"node", "port", "target", "start"});
    if (++tunings_read_ > facts_.tunings)
      line.fail("is tuning {}, but the header announces {}", tunings_read_, facts_.tunings);
  } else {
    line.require_keys({"step", "src", "dst", "port", "start", "chunks"});
    if (++messages_read_ > facts_.messages)
      line.fail("is message {}, but the header announces {}", messages_read_, facts_.messages);
    if (facts_.steps == 0) line.fail("is a message, but the header announces no steps");
  }
  const JsonValue inner = is_tuning_ ? line.at("tune") : line;
  ahead_start_ = inner.at("start").whole(0, kLastStart);
  if (ahead_start_ < present) {
    line.fail("starts at {}, but follows an event that starts at {}; times must not fall", ahead_start_,
              present);
  }
  if (ahead_start_ == present && after_message && is_tuning_) {
    line.fail("follows a message that starts at {} too; tunings must precede messages", present);
  }
}

Circuit CircuitScheduleFile::read_circuit(const JsonValue& from, const char* node, const char* target) const {
  Circuit circuit;
  circuit.node = read_node(from.at(node), facts_.topology);
  circuit.target = read_node(from.at(target), facts_.topology);
  circuit.port = from.at("port").whole<std::uint32_t>(0, facts_.send_ports - 1);
  return circuit;
}

void CircuitScheduleFile::add_message(const JsonValue& line, CircuitEvent& event) {
  const Circuit circuit = read_circuit(line, "src", "dst");
  if (last_send_ != event.time()) ++steps_read_;
  last_send_ = event.time();
  const JsonValue step = line.at("step");
  if (step.whole(1, facts_.steps) != steps_read_) {
    step.fail("must be {}: steps count the different times at which messages start", steps_read_);
  }
  const JsonValue list = line.at("chunks");
  std::vector<ChunkId> chunks;
  read_chunks(list, facts_.collective.chunk_bytes.size(), chunks);
  if (const auto again = first_repeated(chunks)) {
    list.at(*again).fail("is chunk {} once more; a message carries a chunk once", chunks[*again]);
  }
  event.send(circuit, chunks);
}

}  // namespace flitscope
