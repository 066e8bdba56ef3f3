// Networks from files: our own YAML, and the text of BookSim's anynet networks. docs/networks.md describes
// both.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/graph.h"
#include "params/diagnostics.h"
#include "sim/formats/value_reader.h"

namespace flitscope {

/// What names of routers and ports in graph files are of, so that routes and channels can be read back.
[[nodiscard]] bool is_graph_name(std::string_view name);
inline constexpr std::string_view kGraphNameLetters = "letters, digits, '_', '-' and '.'";

/// Reads a network: YAML if the name ends in .yaml or .yml, otherwise anynet. Adds every mistake with its
/// place to `diagnostics` and returns nothing then. With `clock` delays can be times.
[[nodiscard]] std::optional<GraphPlan> read_graph(const std::filesystem::path& file, const CycleLength& clock,
                                                  Diagnostics& diagnostics);

/// The same from text, which messages call `name`.
[[nodiscard]] std::optional<GraphPlan> read_graph_yaml(std::string_view text, const std::string& name,
                                                       Diagnostics& diagnostics,
                                                       const CycleLength& clock = {});
[[nodiscard]] std::optional<GraphPlan> read_anynet(std::string_view text, const std::string& name,
                                                   Diagnostics& diagnostics);

/// Name of the network of a file that has none in it: "FILE of 4 nodes".
[[nodiscard]] std::string graph_name_of_file(const std::filesystem::path& file, std::size_t nodes);

/// First line of a copy of such a file, which keeps the name of its network though the copy is called
/// otherwise.
[[nodiscard]] std::string graph_name_comment(const std::string& name);

/// Places of the routers and links of a plan in its file.
struct PlanPlaces {
  SourceLocation whole;
  std::vector<SourceLocation> routers;
  std::vector<SourceLocation> links;

  /// Adds a fault of the plan to `diagnostics`; true if it has none.
  bool check(const std::optional<PlanFault>& fault, Diagnostics& diagnostics) const;
};

}  // namespace flitscope
