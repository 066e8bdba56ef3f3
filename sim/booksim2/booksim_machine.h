// The machine of a BookSim2 configuration, as a configuration of flitscope and what the socket needs beside.
#pragma once

#include <fmt/core.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "params/diagnostics.h"

namespace flitscope {

/// The kinds of packets of BookSim2's interface: Interconnect::Type.
inline constexpr std::size_t kPacketKinds = 4;

struct BookSimMachine {
  /// A configuration of flitscope: network, routers and nodes.
  std::string machine;
  /// Its `workload`: the synthetic traffic of the file; empty if `bounded`.
  std::string workload;
  /// What is simulated otherwise than the file says, a line each, and keys without effect.
  std::vector<std::string> notes;

  std::uint32_t flit_bytes = 32;
  std::uint32_t subnets = 1;
  std::array<std::uint32_t, kPacketKinds> subnet{};         ///< of each kind
  std::array<std::uint32_t, kPacketKinds> message_class{};  ///< of the machine, likewise
  std::uint32_t input_buffer = 9;                           ///< flits, of a node and subnet
  bool maps_nodes = false;                                  ///< use_map
  std::vector<std::uint32_t> memory_nodes;                  ///< memory_node_map
};

/// Reads a configuration of BookSim2 (docs/embedding.md, "BookSim2's interface"). The name of a network
/// file starts from its directory, in the result from `directory`. `bounded`: with the limited buffers of its
/// interface, which its own traffic does not have. Throws InputError with all errors: what cannot be read,
/// keys that BookSim2 has not, and those that flitscope cannot simulate.
[[nodiscard]] BookSimMachine read_booksim_machine(std::string_view text, const std::filesystem::path& file,
                                                  const std::filesystem::path& directory, bool bounded);

// BookSim2's configuration files (.icnt and others): `key = value;`.

/// The settings of a file. Values that are asked for and cannot be read become diagnostics.
class BookSimFile {
 public:
  struct Setting {
    std::string value;  ///< without blanks at its ends
    SourceLocation place;
  };

  /// Reads a text: a setting a statement, which ends with `;` or its line; `//` and `#` begin comments; a
  /// line `[...]` has no meaning. Errors are added to `diagnostics`: what is no setting, and a key set twice.
  BookSimFile(std::string_view text, const std::string& file, Diagnostics& diagnostics);

  [[nodiscard]] const std::map<std::string, Setting>& settings() const { return settings_; }
  [[nodiscard]] bool has(const std::string& key) const { return settings_.contains(key); }
  /// The place of a key's value; the file where it is not set.
  [[nodiscard]] SourceLocation place(const std::string& key) const {
    const auto found = settings_.find(key);
    return found == settings_.end() ? SourceLocation{file_} : found->second.place;
  }
  /// A whole number from `least` to `most`; `otherwise` where the key is not set.
  [[nodiscard]] std::uint32_t number(const std::string& key, std::uint32_t otherwise, std::uint32_t least = 0,
                                     std::uint32_t most = 1U << 24) const;
  /// A number of at least 0.
  [[nodiscard]] double real(const std::string& key, double otherwise) const;
  [[nodiscard]] std::string word(const std::string& key, const std::string& otherwise) const {
    const auto found = settings_.find(key);
    return found == settings_.end() ? otherwise : found->second.value;
  }
  /// The numbers of a list {1,2,3}; a number is a list of one.
  [[nodiscard]] std::vector<std::uint32_t> list(const std::string& key) const;

  /// Adds an error at a key.
  template <typename... Args>
  void error(const std::string& key, fmt::format_string<Args...> message, Args&&... args) const {
    diagnostics_.add(place(key), fmt::format(message, std::forward<Args>(args)...));
  }

 private:
  std::string file_;
  Diagnostics& diagnostics_;
  std::map<std::string, Setting> settings_;
};

}  // namespace flitscope
