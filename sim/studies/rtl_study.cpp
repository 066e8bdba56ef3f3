// Packets of published router RTL beside the same packets here, cycle by cycle.
#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <memory>
#include <sstream>

#include "model/error.h"
#include "model/text.h"
#include "params/csv_reader.h"
#include "sim/config/config_source.h"
#include "sim/formats/strict_json.h"
#include "sim/network/network.h"
#include "sim/run/experiment.h"
#include "sim/studies/studies.h"

namespace flitscope {

namespace {

/// Cycles after the last packet, beyond which a network without news is given up.
constexpr Cycle kPatience = 1'000'000;

/// A packet of a traffic table.
struct TablePacket {
  Cycle cycle = 0;
  Packet packet;
};

/// The text of a file, which may be compressed by gzip.
std::string unpacked_text(const std::string& file) {
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> in(gzopen(file.c_str(), "rb"), gzclose);
  if (!in) throw InputError(printable(file) + ": cannot be opened");
  std::string text;
  std::array<char, 1 << 16> part;
  int count = 0;
  while ((count = gzread(in.get(), part.data(), part.size())) > 0)
    text.append(part.data(), static_cast<std::size_t>(count));
  if (count < 0) throw InputError(printable(file) + ": cannot be read, or is damaged");
  return text;
}

/// Without the endings of a CSV file.
std::string name_of_file(const std::string& file) {
  std::string name = std::filesystem::path(file).filename().string();
  for (const char* const ending : {".gz", ".csv"}) {
    if (name.ends_with(ending)) name.resize(name.size() - std::string_view(ending).size());
  }
  return name;
}

/// "mesh4x4-load0.45-flits5" of a table that has a seed beside.
std::string kind_of(const std::string& table) {
  return table.substr(0, table.find("-seed"));
}

/// By number: in the order of the file.
std::vector<TablePacket> read_table(const std::string& file, const Topology& topology,
                                    std::uint32_t flit_bytes) {
  std::istringstream text(unpacked_text(file));
  CsvReader csv(text, file);
  const std::size_t cycle = csv.column("cycle");
  const std::size_t source = csv.column("src");
  const std::size_t destination = csv.column("dst");
  const std::size_t bytes = csv.column("bytes");
  const std::uint64_t most_bytes = std::uint64_t{kMaxFlits} * flit_bytes;
  const auto node = [&](std::size_t column) {
    const std::uint64_t number = csv.number(column);
    if (number < topology.nodes()) return static_cast<NodeId>(number);
    csv.fail(
        fmt::format("node {} is not one of a {} with {} nodes", number, topology.name(), topology.nodes()));
  };
  std::vector<TablePacket> packets;
  while (csv.next()) {
    TablePacket each{csv.number(cycle, kMaxCycles), {}};
    each.packet.id = packets.size();
    each.packet.source = node(source);
    each.packet.destination = node(destination);
    each.packet.flits = static_cast<std::uint32_t>(flits_of(csv.number(bytes, most_bytes), flit_bytes));
    if (topology.is_fault_free_grid())
      each.packet.route = shortest_route(topology, each.packet.source, each.packet.destination);
    packets.push_back(each);
  }
  return packets;
}

/// Sends the packets of a table in their cycles, and keeps what became of them.
class TablePackets final : public Driver {
 public:
  explicit TablePackets(const std::vector<TablePacket>& packets)
      : packets_(packets), times_(packets.size()) {}
  void start(Transport& network) override { at(network, 0); }
  void delivered(Transport& /*network*/, std::span<const Delivery> deliveries, Cycle /*now*/) override {
    for (const Delivery& delivery : deliveries) times_[delivery.id] = delivery;
  }
  [[nodiscard]] Cycle next_event() const override { return finished() ? kNever : packets_[next_].cycle; }
  void at(Transport& network, Cycle now) override {
    for (; next_event() <= now && !finished(); ++next_) network.send(packets_[next_].packet);
  }
  [[nodiscard]] bool finished() const override { return next_ == packets_.size(); }
  /// By number of the packet.
  [[nodiscard]] const std::vector<Delivery>& times() const { return times_; }

 private:
  const std::vector<TablePacket>& packets_;
  std::size_t next_ = 0;
  std::vector<Delivery> times_;
};

/// Put, head's arrival and tail's arrival of every packet, in cycles; null if it never arrived.
Json times_here(const ExperimentConfig& config, std::vector<TablePacket> packets) {
  std::ranges::stable_sort(packets, {}, &TablePacket::cycle);
  Network network("network", config.topology, config.machine);
  TablePackets driver(packets);
  network.run(driver, packets.empty() ? 0 : packets.back().cycle + kPatience);
  Json times = Json::array();
  for (const Delivery& each : driver.times()) {
    times.push_back(each.arrived == 0 ? Json() : Json{each.head_entered, each.head_arrived, each.arrived});
  }
  return times;
}

/// What is read of a packet's times.
using Times = std::array<Cycle, 3>;

/// Packets of tables of one kind that agree, and the first that does not.
struct Agreement {
  std::uint64_t packets = 0;
  std::uint64_t exact = 0;
  std::string first;
  Cycle first_cycle = kNever;
};

std::string times_text(const Times& times) {
  return fmt::format("put {}, head {}, tail {}", times[0], times[1], times[2]);
}

void compare_packets(const std::string& table, const std::vector<TablePacket>& packets,
                     const std::map<std::uint64_t, Times>& expected, const Json& here, Agreement& agreement) {
  for (const auto& [number, times] : expected) {
    ++agreement.packets;
    const Json& found = here.at(number);
    const Times ours = found.is_null() ? Times{} : found.get<Times>();
    if (!found.is_null() && ours == times) {
      ++agreement.exact;
      continue;
    }
    const Cycle diverged = *std::ranges::min_element(times);
    if (diverged >= agreement.first_cycle) continue;
    agreement.first_cycle = diverged;
    agreement.first = fmt::format("{}, packet {} from {} to {}: {} in the RTL, {} here", table, number,
                                  packets[number].packet.source, packets[number].packet.destination,
                                  times_text(times), found.is_null() ? "never arrived" : times_text(ours));
  }
}

}  // namespace

bool is_rtl_data(const std::string& file) {
  std::istringstream text(unpacked_text(file));
  const CsvReader csv(text, file);
  return csv.find("tail_span").has_value() || csv.find("src").has_value();
}

StudyReport rtl_study(const std::string& config_file, std::span<const std::string> settings,
                      std::span<const std::string> files, const StudyRuns& how) {
  ExperimentConfig config = load_config(config_file, settings);
  resolve_auto_settings(config, traffic_facts(config));
  std::map<std::string, std::string> table_files;
  std::map<std::string, std::map<std::uint64_t, Times>> expected;  // by table: put, head, tail by packet
  std::vector<std::string> folders;
  for (const std::string& file : files) {
    std::istringstream text(unpacked_text(file));
    CsvReader csv(text, file);
    if (csv.find("src")) {
      table_files[name_of_file(file)] = file;
      continue;
    }
    folders.push_back(std::filesystem::path(file).parent_path());
    const std::size_t table = csv.column("table");
    const std::size_t packet = csv.column("packet");
    const std::array<std::size_t, 3> spans{csv.column("wait"), csv.column("head"), csv.column("tail_span")};
    while (csv.next()) {
      Times& times = expected[csv.text(table)][csv.number(packet)];
      std::ranges::transform(spans, times.begin(),
                             [&](std::size_t span) { return csv.number(span, kMaxCycles); });
    }
  }
  if (expected.empty())
    throw InputError("no file has the times of packets: columns table, packet, wait, head, tail_span");
  std::vector<std::string> tables;
  std::map<std::string, std::vector<TablePacket>> packets;
  for (auto& [table, times] : expected) {
    if (!table_files.contains(table)) {
      for (const std::string& folder : folders) {
        for (const char* const below : {"", "traffic/"}) {
          const std::filesystem::path path = std::filesystem::path(folder) / below / (table + ".csv");
          if (std::filesystem::exists(path)) table_files[table] = path;
        }
      }
    }
    if (!table_files.contains(table))
      throw InputError("the traffic table {}.csv is needed: name it too", printable(table));
    std::vector<TablePacket>& own = packets[table];
    own = read_table(table_files.at(table), config.topology, config.machine.flit_bytes);
    for (auto& [number, spans] : times) {
      if (number >= own.size()) {
        throw InputError("{} has no packet {}", printable(table_files.at(table)), number);
      }
      const Cycle put = own[number].cycle + spans[0];
      // The RTL's arrival is on the wires behind the output register, a cycle later.
      spans = {put, put + spans[1] - 1, put + spans[1] + spans[2] - 1};
    }
    tables.push_back(table);
  }
  const std::vector<Json> runs = records_of(
      tables, how, [&](std::size_t number) { return times_here(config, packets.at(tables[number])); });
  require_answers(tables, runs);
  std::map<std::string, Agreement> kinds;
  std::vector<std::string> order;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    const std::string kind = kind_of(tables[i]);
    if (!kinds.contains(kind)) order.push_back(kind);
    compare_packets(tables[i], packets.at(tables[i]), expected.at(tables[i]), runs[i], kinds[kind]);
  }
  const auto percent = [](const Agreement& agreement) {
    // Rounded down: 100.00% are all.
    const std::uint64_t part = agreement.exact * 10000 / agreement.packets;
    return fmt::format("{}.{:02}%", part / 100, part % 100);
  };
  StudyReport report;
  Agreement all;
  std::vector<Json> rows;
  for (const std::string& kind : order) {
    const Agreement& each = kinds.at(kind);
    rows.push_back(
        {{"traffic", kind}, {"packets", each.packets}, {"exact", each.exact}, {"share", percent(each)}});
    all.packets += each.packets;
    all.exact += each.exact;
    if (each.first_cycle >= all.first_cycle) continue;
    all.first_cycle = each.first_cycle;
    all.first = each.first;
  }
  report.brief =
      fmt::format("{}: {} of {} packets are exact, {}.\n", config.name, all.exact, all.packets, percent(all));
  report.markdown = report.brief + "\n" + to_markdown(table_of(rows));
  if (!all.first.empty()) report.markdown += fmt::format("\nFirst divergence: {}.\n", all.first);
  if (all.exact != all.packets) report.status = StudyStatus::not_verified;
  return report;
}

}  // namespace flitscope
