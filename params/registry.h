// How a file adds an algorithm, a routing function or a probe: it declares one object at namespace scope.
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

namespace flitscope {

/// The declared things of one kind, sorted by name. Filled while the program starts, constant afterwards.
/// T has a member `name`.
template <typename T>
class Registry {
 public:
  [[nodiscard]] static const std::vector<T>& all() { return entries(); }

  /// The entry of that name, or nullptr.
  [[nodiscard]] static const T* find(std::string_view name) {
    const auto at = std::ranges::find(entries(), name, &T::name);
    return at == entries().end() ? nullptr : &*at;
  }

  /// `static const Registry<T>::Entry entry{{.name = ...}};` registers.
  class Entry {
   public:
    explicit Entry(T entry) {
      auto& list = entries();
      const auto at = std::ranges::upper_bound(list, entry.name, {}, &T::name);
      list.insert(at, std::move(entry));
    }
  };

 private:
  static std::vector<T>& entries() {
    static std::vector<T> list;
    return list;
  }
};

}  // namespace flitscope
