// A comparison as a table, as text and as Markdown.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "model/units.h"
#include "sim/studies/comparison.h"

namespace flitscope {
namespace {

std::uint64_t stalls_of(const ComparedRun& run) {
  std::uint64_t sum = 0;
  for (const std::uint64_t stalls : run.stalls) sum += stalls;
  return sum;
}

/// The cause of most stalls.
std::string main_cause(const ComparedRun& run) {
  const auto* const most = std::ranges::max_element(run.stalls);
  if (*most == 0) return "";
  return name_of(static_cast<StallCause>(most - run.stalls.begin()));
}

/// The rows of each length, the fastest first.
std::map<std::uint64_t, std::vector<const ComparedAlgorithm*>> by_length(const Comparison& comparison) {
  std::map<std::uint64_t, std::vector<const ComparedAlgorithm*>> lengths;
  for (const ComparedAlgorithm& row : comparison.algorithms) lengths[row.message].push_back(&row);
  return lengths;
}

Table shown(const std::vector<const ComparedAlgorithm*>& rows) {
  Table table{{"algorithm", "steps", "bound", "link bytes", "of least", "closed form", "barrier", "dataflow",
               "stalls", "mostly"},
              {}};
  for (const ComparedAlgorithm* const row : rows) {
    table.rows.push_back(
        {row->name, row->steps, row->lower_bound_steps ? Table::Cell(*row->lower_bound_steps) : Table::Cell(),
         row->link_bytes, fmt::format("{:.2f}", static_cast<double>(row->link_bytes) / row->least_bytes),
         row->closed_form ? Table::Cell(*row->closed_form) : Table::Cell(), row->barrier.cycles,
         row->dataflow.cycles, stalls_of(row->dataflow), main_cause(row->dataflow)});
  }
  return table;
}

std::string winner_text(const std::vector<const ComparedAlgorithm*>& rows) {
  const ComparedAlgorithm& first = *rows.front();
  const auto* const barrier =
      *std::ranges::min_element(rows, {}, [](const auto* row) { return row->barrier.cycles; });
  std::string text = fmt::format("{} wins with {} cycles", first.name, first.dataflow.cycles);
  if (rows.size() > 1) {
    const ComparedAlgorithm& second = *rows[1];
    const double ahead =
        static_cast<double>(second.dataflow.cycles) / static_cast<double>(first.dataflow.cycles);
    text += fmt::format(", {:.1f}% ahead of {}", 100 * (ahead - 1), second.name);
  }
  return text + fmt::format("; with barriers {} in {}", barrier->name, barrier->barrier.cycles);
}

/// How closed forms compare with what barriers measure.
std::string forms_text(const std::vector<const ComparedAlgorithm*>& rows) {
  std::size_t forms = 0;
  double largest = 0;
  std::string differing;
  for (const ComparedAlgorithm* const row : rows) {
    if (!row->closed_form) continue;
    ++forms;
    const auto form = static_cast<double>(*row->closed_form);
    const double difference = static_cast<double>(row->barrier.cycles) / form - 1;
    if (std::abs(difference) <= std::abs(largest)) continue;
    largest = difference;
    differing = row->name;
  }
  if (forms == 0) return "";
  std::string text =
      fmt::format("{} of {} {} a closed form, ", forms, rows.size(), forms == 1 ? "has" : "have");
  if (differing.empty()) return text + "which is exactly what barriers measure.";
  return text + fmt::format("from which barriers differ by {:+.2f}% at most ({}).", 100 * largest, differing);
}

std::string crossovers_text(const Comparison& comparison) {
  std::string text;
  const ComparedAlgorithm* before = nullptr;
  for (const auto& [message, rows] : by_length(comparison)) {
    const ComparedAlgorithm* const winner = rows.front();
    if (before != nullptr && before->name != winner->name) {
      text += fmt::format("between {} and {}: from {} to {}\n", bytes_text(before->message),
                          bytes_text(message), before->name, winner->name);
    }
    before = winner;
  }
  return text.empty() ? "the same algorithm wins with every length\n" : text;
}

/// Who did not take part, or not with every length, and why: a line each.
std::string left_out_text(const Comparison& comparison) {
  std::string text;
  std::set<std::string> told;
  for (const auto& [name, reason] : comparison.left_out) {
    // What does not fit does not fit with any of its choices.
    if (told.insert(name.substr(0, name.find(',')) + reason).second)
      text += fmt::format("{}: {}\n", name, reason);
  }
  return text;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

/// The lines as a list in Markdown.
std::string listed(const std::string& text) {
  std::string list;
  for (const std::string& line : lines_of(text)) list += "* " + line + "\n";
  return list;
}

}  // namespace

Table to_table(const Comparison& comparison) {
  Table table{{"goal", "algorithm", "message_bytes", "steps", "lower_bound_steps", "link_bytes", "step_bytes",
               "least_link_bytes", "closed_form_cycles", "barrier_cycles", "dataflow_cycles"},
              {}};
  for (const char* const advance : {"barrier", "dataflow"}) {
    for (unsigned cause = 0; cause < kStallCauses; ++cause) {
      table.columns.push_back(fmt::format("{}_stalls_{}", advance, name_of(static_cast<StallCause>(cause))));
    }
  }
  for (const ComparedAlgorithm& row : comparison.algorithms) {
    std::vector<Table::Cell> cells{
        comparison.goal,
        row.name,
        row.message,
        row.steps,
        row.lower_bound_steps ? Table::Cell(*row.lower_bound_steps) : Table::Cell(),
        row.link_bytes,
        row.step_bytes,
        row.least_bytes,
        row.closed_form ? Table::Cell(*row.closed_form) : Table::Cell(),
        row.barrier.cycles,
        row.dataflow.cycles};
    for (const ComparedRun* const run : {&row.barrier, &row.dataflow}) {
      for (const std::uint64_t stalls : run->stalls) cells.emplace_back(stalls);
    }
    table.rows.push_back(std::move(cells));
  }
  return table;
}

std::string comparison_text(const Comparison& comparison) {
  std::string text;
  for (const auto& [message, rows] : by_length(comparison)) {
    text += fmt::format("{} of {}\n{}{}\n", comparison.goal, bytes_text(message), to_text(shown(rows)),
                        winner_text(rows));
    if (const std::string forms = forms_text(rows); !forms.empty()) text += forms + "\n";
    text += "\n";
  }
  text += crossovers_text(comparison);
  for (const std::string& line : lines_of(left_out_text(comparison))) text += "left out: " + line + "\n";
  return text;
}

std::string comparison_markdown(const Comparison& comparison) {
  std::string text;
  for (const auto& [message, rows] : by_length(comparison)) {
    const Table table = shown(rows);
    text += fmt::format("### {} of {}\n\n|", comparison.goal, bytes_text(message));
    for (const std::string& column : table.columns) text += fmt::format(" {} |", column);
    text += "\n|" + [&] {
      std::string line;
      for (std::size_t i = 0; i < table.columns.size(); ++i) line += "---|";
      return line;
    }() + "\n";
    for (const auto& row : table.rows) {
      text += "|";
      for (const Table::Cell& cell : row) {
        text += fmt::format(" {} |", cell.is_null()     ? ""
                                     : cell.is_string() ? cell.get<std::string>()
                                                        : cell.dump());
      }
      text += "\n";
    }
    text += fmt::format("\n{}.", winner_text(rows));
    if (const std::string forms = forms_text(rows); !forms.empty()) text += " " + forms;
    text += "\n\n";
  }
  text += "Where the winner changes:\n\n" + listed(crossovers_text(comparison));
  const std::string left_out = left_out_text(comparison);
  return left_out.empty() ? text : text + "\nLeft out:\n\n" + listed(left_out);
}

}  // namespace flitscope
