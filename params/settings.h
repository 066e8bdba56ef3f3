// Keys that a part of the program registers in its own file, and the values a configuration gives them: the
// keys are read, checked, printed in config.yaml and listed, and the part finds its values in the
// configuration (docs/adding-a-key.md).
#pragma once

#include <algorithm>
#include <any>
#include <map>
#include <tuple>
#include <typeindex>
#include <utility>
#include <vector>

#include "params/key.h"

namespace flitscope {

/// Values of registered keys: one object, which can be copied, of each type. Values that are not set are
/// those of a fresh object.
class Settings {
 public:
  template <typename T>
  [[nodiscard]] const T& get() const {
    static const T fresh{};
    const auto at = objects_.find(typeid(T));
    return at == objects_.end() ? fresh : *std::any_cast<T>(&at->second);
  }
  template <typename T>
  [[nodiscard]] T& get() {
    std::any& object = objects_[typeid(T)];
    if (!object.has_value()) object.emplace<T>();
    return *std::any_cast<T>(&object);
  }

 private:
  std::map<std::type_index, std::any> objects_;
};

/// The registered keys.
class SettingsRegistry {
 public:
  /// An object of this type in a source file registers a section, or keys of one. Among those that add to the
  /// same section, a lower `order` precedes.
  struct Entry {
    template <typename T>
    explicit Entry(RowSection<T> section, int order = 0) {
      const auto access = [](auto& settings) -> auto& {
        return settings.template get<T>();
      };
      add({order, within<Settings>(access, std::move(section))});
    }
  };

  struct Part {
    int order = 0;
    RowSection<Settings> section;
  };
  /// By `order`, then by the names of the section and of its first key.
  [[nodiscard]] static const std::vector<Part>& all() { return parts(); }

 private:
  static void add(Part part) {
    // Files register in any order; what is printed has one.
    const auto rank = [](const Part& each) {
      const auto& rows = each.section.rows;
      return std::tuple(each.order, each.section.name, rows.empty() ? "" : rows.front().name);
    };
    parts().insert(std::ranges::upper_bound(parts(), rank(part), {}, rank), std::move(part));
  }
  static std::vector<Part>& parts() {
    static std::vector<Part> list;
    return list;
  }
};

}  // namespace flitscope
