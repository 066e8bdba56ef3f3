#include "sim/observe/writers/gtkwave_save.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/observe/observer.h"

namespace flitscope {

namespace {

// Flags of a trace in a save file.
constexpr unsigned kHex = 0x2;
constexpr unsigned kDecimal = 0x4;
constexpr unsigned kRight = 0x20;
constexpr unsigned kBlank = 0x200;
constexpr unsigned kTranslated = 0x2000;
constexpr unsigned kGroupBegin = 0x800000;
constexpr unsigned kGroupEnd = 0x1000000;

// The window, in points: a tree of scopes on the left, names, values, and waves in the rest.
constexpr int kWindowWidth = 1600;
constexpr int kTreeWidth = 200;
constexpr int kValuesWidth = 140;
constexpr int kLetterWidth = 8;
constexpr int kMinNamesWidth = 200;
constexpr int kMaxNamesWidth = 600;

/// How a kind of signal is drawn.
struct Look {
  const char* words = nullptr;  ///< translate file; nullptr: a decimal number
  unsigned colour = 0;  ///< 1 red, 2 orange, 3 yellow, 4 green, 5 blue, 6 indigo, 7 violet; 0 as usual
};

Look look_of(const std::string& signal) {
  const std::size_t dot = signal.rfind('.');
  const std::string name = signal.substr(dot + 1, signal.find('[', dot) - dot - 1);
  if (name == "state") return {"state", 5};
  if (name == "blocked") return {"blocked", 1};
  if (name == "circuit") return {"circuit", 5};
  if (name == "front" || name == "sent" || name == "put" || name == "received") return {"kind", 4};
  if (name == "wants") return {"wants", 2};
  if (name == "stalled_vcs" || name.starts_with("culprit")) return {nullptr, 1};
  if (name == "target" || name == "source") return {nullptr, 2};
  if (name == "credits" || name == "occupancy") return {nullptr, 3};
  return {};
}

}  // namespace

void GtkwaveSave::begin_group(const std::string& name) {
  signals_ += fmt::format("@{:x}\n-{}\n", kGroupBegin | kBlank, name);
}

void GtkwaveSave::note(const std::string& text) {
  longest_name_ = std::max(longest_name_, text.size());
  signals_ += fmt::format("@{:x}\n-{}\n", kBlank, text);
}

void GtkwaveSave::end_group() {
  signals_ += fmt::format("@{:x}\n-\n", kGroupEnd | kBlank);
}

void GtkwaveSave::add(const std::string& signal, const std::string& suffix) {
  longest_name_ = std::max(longest_name_, signal.size());
  const Look look = look_of(signal);
  if (look.words != nullptr) {
    const std::string own = look.words + suffix;
    signals_ += fmt::format("@{:x}\n^1 waves-{}.txt\n", kTranslated | kRight | kHex,
                            words_.contains(own) ? own : look.words);
  } else {
    signals_ += fmt::format("@{:x}\n", kRight | kDecimal);
  }
  if (look.colour != 0) signals_ += fmt::format("[color] {}\n", look.colour);
  signals_ += signal + "\n";
}

void GtkwaveSave::write_words(const std::string& name, const Words& words) const {
  ObserverFile out(dump_.parent_path() / fmt::format("waves-{}.txt", name));
  // GTKWave compares texts, and writes hexadecimal numbers with all their digits.
  const unsigned digits = (words.width + 3) / 4;
  for (std::size_t value = 0; value < words.words.size(); ++value) {
    out << fmt::format("{:0{}x} {}\n", value, digits, words.words[value]);
  }
  out.finish();
}

void GtkwaveSave::write(std::uint64_t end) const {
  for (const auto& [name, words] : words_) write_words(name, words);
  ObserverFile out(dump_.parent_path() / "waves.gtkw");
  // Every name can be read. The whole dump, or the time up to the last marker and a little more, goes into
  // the rest of the window: a zoom of z shows 200 * 2^z points for a unit of time.
  const int names =
      std::clamp(kLetterWidth * static_cast<int>(longest_name_) + 20, kMinNamesWidth, kMaxNamesWidth);
  const int waves = kWindowWidth - kTreeWidth - kValuesWidth - names;
  std::uint64_t shown = end;
  if (!markers_.empty()) {
    const std::uint64_t last = markers_.rbegin()->second;
    shown = std::min(end, last + last / 4 + 16);
  }
  const double zoom = -std::log2(static_cast<double>(std::max<std::uint64_t>(shown, 1)) * 200 / waves);
  out << "[*]\n[*] written by flitscope; keep it beside the dump\n[*]\n";
  out << fmt::format("[dumpfile] \"{}\"\n[savefile] \"waves.gtkw\"\n[timestart] 0\n[size] {} 900\n",
                     dump_.filename().string(), kWindowWidth);
  out << fmt::format("*{:.6f} {}", zoom,
                     markers_.empty() ? -1 : static_cast<std::int64_t>(markers_.begin()->second));
  for (char name = 'A'; name <= 'Z'; ++name) {
    const auto marker = markers_.find(name);
    out << ' ' << (marker == markers_.end() ? -1 : static_cast<std::int64_t>(marker->second));
  }
  out << fmt::format("\n[treeopen] flitscope.\n[sst_width] {}\n[signals_width] {}\n[sst_expanded] 1\n",
                     kTreeWidth, names + kValuesWidth)
      << signals_;
  out << "[pattern_trace] 1\n[pattern_trace] 0\n";
  out.finish();
}

}  // namespace flitscope
