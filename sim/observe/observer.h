// Observers: what watches runs and writes files about them. An observer is one file in observers/, which
// declares an ObserverEntry; docs/adding-an-observer.md has a complete one.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "params/key.h"
#include "params/registry.h"
#include "params/settings.h"
#include "sim/observe/deadlock/deadlock.h"
#include "sim/observe/observed_run.h"

namespace flitscope {

/// How a run ended.
struct RunEnd {
  /// The last cycle that was looked at.
  Cycle last = 0;
  /// As the result has them: until the last delivery, or `last` if the run did not complete.
  Cycle cycles = 0;
  std::optional<Deadlock> deadlock;
};

/// An observer of one run, made when the network is there and nothing has happened. What it wants to be told
/// it says then, to the LinkRun or CircuitRun it is made with.
class Observer {
 public:
  Observer() = default;
  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;
  virtual ~Observer() = default;

  /// Cycle `last` was the last one. Flits that are still stalled then are told of after this.
  virtual void ended(Cycle /*last*/) {}
  /// Everything has been told. Throws OutputError if a file could not be written completely.
  virtual void close(const RunEnd& end) = 0;
};

/// An observer as it is declared; `Keys` holds the values of its keys.
template <typename Keys>
struct ObserverDeclaration {
  std::string name;
  std::string summary;
  /// What it writes.
  std::vector<std::string> files;
  /// Keys of the section `observe`, or of a section of its own in it: "observe.NAME".
  RowSection<Keys> keys;
  /// Where its keys stand among those of other observers: a lower one comes first, and ours are below 0.
  int order = 0;
  /// Whether the configuration asks for it.
  std::function<bool(const Keys&)> wanted;
  /// Whether it then needs to know what a first run finds; never if this is empty.
  std::function<bool(const Keys&)> needs_first_run = {};
  /// Watches a run on links, or on circuits; empty if it has nothing to see there. Throws OutputError.
  std::function<std::unique_ptr<Observer>(const Keys&, LinkRun&)> on_links = {};
  std::function<std::unique_ptr<Observer>(const Keys&, CircuitRun&)> on_circuits = {};
};

/// The same, whatever the type of its keys.
struct ObserverKind {
  std::string name;
  std::string summary;
  std::vector<std::string> files;
  std::function<bool(const Settings&)> wanted;
  std::function<bool(const Settings&)> needs_first_run;
  std::function<std::unique_ptr<Observer>(LinkRun&)> on_links;
  std::function<std::unique_ptr<Observer>(CircuitRun&)> on_circuits;
};

using ObserverRegistry = Registry<ObserverKind>;

/// An object of this type at namespace scope registers an observer and its keys.
template <typename Keys>
class ObserverEntry {
 public:
  explicit ObserverEntry(const ObserverDeclaration<Keys>& declared)
      : keys_(declared.keys, declared.order), kind_(kind_of(declared)) {}

 private:
  static ObserverKind kind_of(const ObserverDeclaration<Keys>& declared) {
    ObserverKind kind{declared.name, declared.summary, declared.files, {}, {}, {}, {}};
    kind.wanted = [wanted = declared.wanted](const Settings& settings) {
      return wanted(settings.get<Keys>());
    };
    kind.needs_first_run = [needs = declared.needs_first_run](const Settings& settings) {
      return needs && needs(settings.get<Keys>());
    };
    if (declared.on_links) {
      kind.on_links = [make = declared.on_links](LinkRun& run) {
        return make(run.settings.get<Keys>(), run);
      };
    }
    if (declared.on_circuits) {
      kind.on_circuits = [make = declared.on_circuits](CircuitRun& run) {
        return make(run.settings.get<Keys>(), run);
      };
    }
    return kind;
  }

  SettingsRegistry::Entry keys_;
  ObserverRegistry::Entry kind_;
};

/// The observers that a configuration asks for.
[[nodiscard]] std::vector<const ObserverKind*> wanted_observers(const Settings& settings);

}  // namespace flitscope
