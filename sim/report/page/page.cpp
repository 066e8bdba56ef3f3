#include "sim/report/page/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/algorithm/string/replace.hpp>
#include <map>
#include <ranges>

#include "model/error.h"
#include "model/link_programs.h"
#include "model/stall_cause.h"
#include "model/text.h"
#include "params/csv_reader.h"
#include "sim/config/config_source.h"
#include "sim/observe/flits/flit_event.h"
#include "sim/report/channel_time.h"
#include "sim/report/page/network_drawing.h"
#include "sim/report/page/replay_data.h"
#include "sim/report/report_parts.h"
#include "sim/run/workload.h"

namespace flitscope {

namespace {

/// JSON in which no '<' is left: neither "</script" nor "<!--" can end or change the element.
std::string as_data(const Json& data) {
  const std::string json = data.dump(-1, ' ', false, Json::error_handler_t::replace);
  return boost::algorithm::replace_all_copy(json, "<", "\\u003c");
}

/// kStallCauseTable, for the scripts.
Json stall_causes() {
  return json_list(kStallCauseTable, [](const StallCauseInfo& cause) -> Json {
    return {{"name", cause.name},
            {"text", cause.text},
            {"short_text", cause.short_text},
            {"colour", cause.colour}};
  });
}

namespace fs = std::filesystem;

/// Whether a column has names of nodes or links, which may be digits.
bool has_names(std::string_view column) {
  constexpr std::array kEndings{"name", "node", "channel", "source", "destination", "waits_most_for"};
  return std::ranges::any_of(kEndings, [&](const char* ending) { return column.ends_with(ending); });
}

/// Numbers from 0 on, without signs or other marks.
bool is_number(const std::string& text) {
  return !text.empty() && text.size() < 16 && text.find_first_not_of("0123456789") == std::string::npos;
}

/// Columns by name, numbers as numbers, names of nodes and links as texts. `leave_out`: columns that the page
/// has no use for; `numbers`: nodes are called by their numbers, as on complete networks.
Json columns_of(const fs::path& file, std::initializer_list<std::string_view> leave_out = {},
                bool numbers = false) {
  CsvReader csv(file);
  std::vector<Json> columns(csv.columns().size(), Json::array());
  while (csv.next()) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const std::string& text = csv.text(i);
      const bool number = is_number(text) && (numbers || !has_names(csv.columns()[i]));
      columns[i].push_back(number ? Json(csv.number(i)) : Json(text));
    }
  }
  Json json = Json::object();
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (std::ranges::count(leave_out, std::string_view(csv.columns()[i])) == 0) {
      json[csv.columns()[i]] = std::move(columns[i]);
    }
  }
  return json;
}

Json columns_if_there(const fs::path& file) {
  return fs::exists(file) ? columns_of(file) : Json(nullptr);
}

double rounded(double value) {
  return static_cast<double>(static_cast<std::int64_t>(value * 100)) / 100;
}

Json drawing_json(const Topology& topology) {
  const NetworkDrawing drawing = draw_network(topology);
  const auto& [nodes, links, layers] = drawing;
  const auto node_name = [&](NodeId node) { return topology.node_name(node); };
  const auto port_name = [&](unsigned port) { return topology.port_name(port); };
  const auto channel_name = [&](const DrawnLink& link) { return topology.channel_name(link.channel); };
  const auto port_of = [&](const DrawnLink& link) { return topology.channel_port(link.channel); };
  return {{"nodes",
           {{"name", json_list(std::views::iota(NodeId{0}, static_cast<NodeId>(nodes.size())), node_name)},
            {"x", json_list(nodes, [](const Point& at) { return rounded(at.x); })},
            {"y", json_list(nodes, [](const Point& at) { return rounded(at.y); })}}},
          {"ports", json_list(std::views::iota(0U, topology.link_ports()), port_name)},
          {"links",
           {{"name", topology.is_grid() ? Json() : json_list(links, channel_name)},  // the page makes grids'
            {"from", json_list(links, &DrawnLink::from)},
            {"to", json_list(links, &DrawnLink::to)},
            {"port", json_list(links, port_of)},
            {"stub_x", json_list(links, [](const DrawnLink& link) { return rounded(link.stub.x); })},
            {"stub_y", json_list(links, [](const DrawnLink& link) { return rounded(link.stub.y); })}}},
          {"layers", json_list(layers, [](const DrawnLayer& layer) -> Json {
             return {{"name", layer.name},
                     {"x", layer.corner.x},
                     {"y", layer.corner.y},
                     {"width", layer.width},
                     {"height", layer.height}};
           })}};
}

/// The cycles of the algorithm's routing table and the links that supply nodes beside them, as numbers of
/// links in the drawing: {"cycles": [{"name", "links"}], "supply"}. Null if the algorithm has no table.
Json table_json(const ExperimentConfig& config) {
  const Algorithm* const algorithm = config.workload.algorithm;
  if (algorithm == nullptr || !algorithm->table) return nullptr;
  const Topology& topology = config.topology;
  const LinkPrograms table = make_table(config);
  const NetworkDrawing drawing = draw_network(topology);
  const std::vector<std::uint32_t> number = places_of_links(drawing, topology);
  std::vector<bool> on_cycle(topology.channel_ids(), false);
  Json cycles = Json::array();
  for (const TableCycle& cycle : table.cycles) {
    Json links = Json::array();
    for (std::size_t i = 0; i < cycle.nodes.size(); ++i) {
      const NodeId from = cycle.nodes[i];
      const NodeId to = cycle.nodes[(i + 1) % cycle.nodes.size()];
      unsigned port = 0;
      while (topology.neighbour(from, port) != to || on_cycle[topology.channel(from, port)]) ++port;
      for (const ChannelId link :
           {topology.channel(from, port), topology.channel(to, topology.opposite_port(port))}) {
        on_cycle[link] = true;
        links.push_back(number[link]);
      }
    }
    cycles.push_back({{"name", cycle.name}, {"links", std::move(links)}});
  }
  Json supply = Json::array();
  for (const DrawnLink& link : drawing.links) {
    if (!on_cycle[link.channel] && !table.links[link.channel].rules.empty()) {
      supply.push_back(number[link.channel]);
    }
  }
  return {{"cycles", std::move(cycles)}, {"supply", std::move(supply)}};
}

/// Messages and flits by source and destination, of a complete network: {"source", "destination", "messages",
/// "flits"} as columns.
Json pairs_of(const fs::path& messages_csv) {
  CsvReader csv(messages_csv);
  const std::size_t source = csv.column("source");
  const std::size_t destination = csv.column("destination");
  const std::size_t flits = csv.column("flits");
  struct Sum {
    std::uint64_t messages = 0;
    std::uint64_t flits = 0;
  };
  std::map<std::pair<std::uint64_t, std::uint64_t>, Sum> sums;
  while (csv.next()) {
    Sum& sum = sums[{csv.number(source), csv.number(destination)}];
    ++sum.messages;
    sum.flits += csv.number(flits);
  }
  return {{"source", json_list(sums, [](const auto& each) { return each.first.first; })},
          {"destination", json_list(sums, [](const auto& each) { return each.first.second; })},
          {"messages", json_list(sums, [](const auto& each) { return each.second.messages; })},
          {"flits", json_list(sums, [](const auto& each) { return each.second.flits; })}};
}

// --- Latencies ---------------------------------------------------------------------------------------------

constexpr std::uint64_t kBins = 60;

/// Of the columns with cycles, those that are no sum of others and no wait: terms of the latency, in the
/// order of time.
bool is_term(std::string_view column) {
  return column.ends_with("_cycles") && column != "latency_cycles" && column != "tail_serialization_cycles" &&
         column != "longest_wait_cycles";
}

/// The least of 1, 2, 5, 10, 20, .. that makes at most kBins bins of `range`.
std::uint64_t bin_width(std::uint64_t range) {
  for (std::uint64_t power = 1;; power *= 10) {
    for (const std::uint64_t step : {1, 2, 5}) {
      if (range / (step * power) < kBins) return step * power;
    }
  }
}

struct TimedMessage {
  std::uint64_t latency = 0;
  std::vector<std::uint64_t> terms;
};

/// {"from", "width", "counts", "messages", "terms": [{"name", "cycles", "slowest_cycles"}], "slowest"}: a
/// histogram with bins of `width` cycles, and how many cycles of all latencies each term has; of the slowest
/// hundredth of the messages, too, which are `slowest` many. Terms add up to the latencies. Null if there
/// were no messages.
Json latency_data(const std::filesystem::path& messages_csv) {
  CsvReader csv(messages_csv);
  const std::size_t latency = csv.column("latency_cycles");
  std::vector<std::size_t> columns;  // of the terms
  for (std::size_t i = 0; i < csv.columns().size(); ++i) {
    if (is_term(csv.columns()[i])) columns.push_back(i);
  }
  std::vector<TimedMessage> messages;
  while (csv.next()) {
    TimedMessage& message = messages.emplace_back();
    message.latency = csv.number(latency);
    for (const std::size_t column : columns) message.terms.push_back(csv.number(column));
  }
  if (messages.empty()) return nullptr;

  std::ranges::sort(messages, {}, &TimedMessage::latency);
  const std::uint64_t width = bin_width(messages.back().latency - messages.front().latency);
  const std::uint64_t from = messages.front().latency / width * width;
  std::vector<std::uint64_t> counts((messages.back().latency - from) / width + 1);
  for (const TimedMessage& message : messages) ++counts[(message.latency - from) / width];

  const std::size_t slowest = (messages.size() + 99) / 100;
  Json terms = Json::array();
  for (std::size_t term = 0; term < columns.size(); ++term) {
    std::uint64_t all = 0;
    std::uint64_t of_slowest = 0;
    for (std::size_t i = 0; i < messages.size(); ++i) {
      all += messages[i].terms[term];
      if (i + slowest >= messages.size()) of_slowest += messages[i].terms[term];
    }
    const std::string& column = csv.columns()[columns[term]];
    terms.push_back(
        {{"name", column.substr(0, column.rfind('_'))}, {"cycles", all}, {"slowest_cycles", of_slowest}});
  }
  return {{"from", from},   {"width", width},    {"counts", counts}, {"messages", messages.size()},
          {"terms", terms}, {"slowest", slowest}};
}

// --- The trace ---------------------------------------------------------------------------------------------

/// A page with all of such a trace would be more than a browser should have to hold.
bool is_too_long(const fs::path& trace) {
  constexpr std::uintmax_t kMaxTrace = std::uintmax_t{256} << 20;
  std::error_code error;
  const std::uintmax_t size = fs::file_size(trace, error);
  return !error && size > kMaxTrace;
}

/// By name of ChannelCycle a column with the cycles of every link; null without a whole trace, and if it
/// would be much work.
Json channel_time_json(const fs::path& trace, const ExperimentConfig& config, const Json& result) {
  if (config.settings.get<FlitFilter>() != FlitFilter{}) return nullptr;
  const Topology& topology = config.topology;
  constexpr double kMaxCycles = 2e7;  // of all links together
  const Json cycles = result.value("cycles", Json());
  if (!fs::exists(trace) || is_too_long(trace) || !cycles.is_number_unsigned() || cycles == 0) return nullptr;
  const NetworkDrawing drawing = draw_network(topology);
  if (cycles.get<double>() * static_cast<double>(drawing.links.size()) > kMaxCycles) return nullptr;
  const ChannelTimes times = read_channel_times(trace, topology, config.machine);
  std::vector<Json> columns(kChannelCycles, Json::array());
  for (const DrawnLink& link : drawing.links) {
    const ChannelTime time = times.of(link.channel, cycles.get<Cycle>());
    for (unsigned i = 0; i < kChannelCycles; ++i) columns[i].push_back(time.cycles[i]);
  }
  Json causes = Json::array();
  for (unsigned i = 0; i < kChannelCycles; ++i) {
    const ChannelCycleInfo& cause = kChannelCycleTable[i];
    causes.push_back(
        {{"name", cause.name}, {"text", cause.text}, {"colour", cause.colour}, {"cycles", columns[i]}});
  }
  return causes;
}

}  // namespace

std::string html_page(const std::string& title, const Json& data) {
  const auto d3 = page_assets::d3();
  if (!d3) {
    throw InputError(
        "flitscope report: this program was built without D3, which draws the charts; install Debian's "
        "package node-d3, configure with cmake and build again");
  }
  std::string page = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src "
      "'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{}</title>\n<style>\n{}</style>\n</head>\n<body>\n<main id=\"page\"></main>\n"
      "<noscript>This report needs JavaScript; it runs in the page and loads nothing.</noscript>\n"
      "<script type=\"application/json\" id=\"data\">{}</script>\n<script>{}</script>\n",
      escaped(printable(title)), page_assets::style(), as_data(data), *d3);
  page += fmt::format("<script>\nconst kStallCauses = {};\n</script>\n", as_data(stall_causes()));
  for (const page_assets::Script& script : page_assets::scripts()) {
    page += fmt::format("<script>\n{}</script>\n", script.text);
  }
  page += "</body>\n</html>\n";
  return page;
}

Json machine_json(const ExperimentConfig& config) {
  const auto values = resolved_values(config);
  Json texts = Json::array();
  const auto add = [&](const char* key, const char* before, const std::string& unit) {
    const auto found = values.find(key);
    if (found == values.end()) return;
    const std::string value = value_text(found->second);
    texts.push_back(before + value + unit + (unit.empty() || value == "1" ? "" : "s"));
  };
  if (config.topology.has_links()) {
    add("router.routing", "routing ", "");
    add("router.virtual_channels", "", " VC");
    add("router.buffer", "buffers of ", " flit");
  } else {
    add("node.ports", "", " port");
    add("circuits.reconfiguration", "tuning takes ", " cycle");
  }
  add("workload.seed", "seed ", "");
  add("clock", "clock ", "");
  return texts;
}

Json page_json(const std::filesystem::path& file) {
  auto json = parse_json(file_text(file));
  if (json && json->is_object()) return std::move(*json);
  throw InputError(printable(file.string()) + ": is no JSON object, or one that is nested too deep");
}

Json run_page_data(const std::filesystem::path& directory) {
  const std::filesystem::path config_file = directory / "config.yaml";
  const ExperimentConfig config = load_config(config_file);
  const bool has_links = config.topology.has_links();
  const std::filesystem::path messages = directory / "messages.csv";
  const bool has_messages = std::filesystem::exists(messages);
  Json data{{"kind", "run"},
            {"config", file_text(config_file)},
            {"machine", machine_json(config)},
            {"result", page_json(directory / "result.json")},
            {"steps", columns_of(directory / "steps.csv")},
            {"latencies", columns_if_there(directory / "latencies.csv")},
            {"windows", columns_if_there(directory / "windows.csv")},
            {"latency", has_messages ? latency_data(messages) : Json(nullptr)},
            {"has_messages", has_messages}};
  if (data["result"].contains("protocol")) {
    data["round_trips"] = columns_of(directory / "round-trips.csv", {"share_up_to"});
    data["protocol_course"] = columns_of(directory / "protocol-course.csv");
  }
  if (has_links) {
    data["network"] = drawing_json(config.topology);
    data["table"] = table_json(config);
    data["channels"] = columns_of(directory / "channels.csv", {"channel", "node"});
    for (const char* const name : {"nodes", "critical-path"}) {
      data[name] = columns_if_there(directory / (name + std::string(".csv")));
    }
    const std::filesystem::path trace = directory / "trace.bin";
    data["channel_time"] = channel_time_json(trace, config, data["result"]);
    data["replay"] =
        std::filesystem::exists(trace) && !is_too_long(trace) ? replay_data(trace) : Json(nullptr);
    data["replay_is_too_long"] = is_too_long(trace);
    if (!data["replay"].is_null()) {
      data["replay"]["chunks"] = replay_chunks(config, data["replay"].at("messages"));
    }
    if (data["channels"].value("flits", Json()).size() != data["network"].at("links").at("from").size()) {
      throw InputError(printable((directory / "channels.csv").string()) +
                       ": has not the links of the network of config.yaml");
    }
  } else {
    data["ports"] = columns_of(directory / "ports.csv", {}, true);
    data["receptions"] = columns_of(directory / "receptions.csv", {}, true);
    data["pairs"] = has_messages ? pairs_of(messages) : Json(nullptr);
  }
  return data;
}

}  // namespace flitscope
