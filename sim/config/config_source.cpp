#include "sim/config/config_source.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <utility>

#include "sim/config/overrides.h"
#include "sim/config/section_reader.h"

namespace flitscope {

namespace {

/// More than any configuration has; what is longer is another kind of file.
constexpr std::size_t kMaxBytes = std::size_t{1} << 20;

std::string read_text(const std::filesystem::path& file) {
  const std::string name = SourceLocation{file.string()}.text();
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored)) {
    throw InputError("{}: is a directory, not a configuration file", name);
  }
  errno = 0;
  std::ifstream stream(file, std::ios::binary);
  if (!stream) {
    throw InputError("{}: cannot be opened: {}", name, std::strerror(errno));
  }
  std::string text(kMaxBytes + 1, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (stream.bad()) throw InputError("{}: cannot be read: {}", name, std::strerror(errno));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  if (text.size() > kMaxBytes) {
    throw InputError("{}: is no configuration: longer than {} bytes", name, kMaxBytes);
  }
  return text;
}

void require_map(const YamlNode& root, Diagnostics& diagnostics) {
  if (root.kind == YamlNode::Kind::null) {
    diagnostics.add(root.place, "the configuration is empty; it must begin with 'flitscope: 1'");
  } else if (root.kind == YamlNode::Kind::scalar || root.kind == YamlNode::Kind::sequence) {
    diagnostics.add(root.place, "a configuration must be a map; it begins with 'flitscope: 1'");
  }
  if (root.kind != YamlNode::Kind::map) diagnostics.throw_if_any();
}

void add_places(const YamlNode& map, const std::string& section, std::map<std::string, std::string>& places) {
  for (const YamlNode& item : map.items) {
    const std::string path = path_of(section, item.key);
    const bool is_section = item.kind == YamlNode::Kind::map;
    places[path] = (is_section ? item.key_place : item.place).text();
    if (is_section) add_places(item, path, places);
    if (item.kind != YamlNode::Kind::sequence) continue;
    for (std::size_t i = 0; i < item.items.size(); ++i) {
      if (item.items[i].kind != YamlNode::Kind::map) continue;
      const std::string inner = fmt::format("{}[{}]", path, i);
      places[inner] = item.items[i].place.text();
      add_places(item.items[i], inner, places);
    }
  }
}

}  // namespace

ConfigSource load_source(const std::filesystem::path& file, std::span<const std::string> overrides,
                         Diagnostics& diagnostics) {
  return parse_source(read_text(file), file.string(), file.parent_path(), overrides, diagnostics);
}

ConfigSource parse_source(std::string_view text, const std::string& file_name,
                          const std::filesystem::path& base_directory, std::span<const std::string> overrides,
                          Diagnostics& diagnostics) {
  auto root = parse_yaml(text, {file_name, 1, 1}, diagnostics);
  if (!root) diagnostics.throw_if_any();
  require_map(*root, diagnostics);
  apply_overrides(*root, overrides, diagnostics);
  return {std::move(*root), file_name, base_directory};
}

ExperimentConfig read_source(const ConfigSource& source, Diagnostics& diagnostics) {
  auto config = read_config(source.root, source.base_directory, diagnostics, source.networks.get());
  diagnostics.throw_if_any();
  config->file = source.file;
  add_places(source.root, "", config->places);
  return std::move(*config);
}

ExperimentConfig load_config(const std::filesystem::path& file, std::span<const std::string> overrides) {
  Diagnostics diagnostics;
  return read_source(load_source(file, overrides, diagnostics), diagnostics);
}

ExperimentConfig parse_config(std::string_view text, const std::string& file_name,
                              const std::filesystem::path& base_directory,
                              std::span<const std::string> overrides) {
  Diagnostics diagnostics;
  return read_source(parse_source(text, file_name, base_directory, overrides, diagnostics), diagnostics);
}

}  // namespace flitscope
