#include "sim/observe/writers/vcd_writer.h"

#include <fcntl.h>
#include <fmt/compile.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <spawn.h>
extern "C" {  // glibc 2.36 declares it for C only
#include <sys/pidfd.h>
}
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstring>
#include <iterator>

#include "model/error.h"
#include "model/version.h"

namespace flitscope {

namespace {

/// Short names of signals: printable characters, as many as it takes.
std::string code_of(std::size_t number) {
  constexpr std::size_t kFirst = '!';
  constexpr std::size_t kCharacters = '~' - '!' + 1;
  std::string code;
  do {
    code += static_cast<char>(kFirst + number % kCharacters);
    number /= kCharacters;
  } while (number > 0);
  return code;
}

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

VcdWriter::VcdWriter(const std::filesystem::path& file) {
  if (file.extension() == ".fst") {
    packer_.emplace(file);
  } else {
    out_.emplace(file);
  }
}

std::string VcdWriter::open_scope(const std::string& name) {
  scopes_.push_back(name);
  for (unsigned number = 2; !opened_.insert(fmt::format("{}", fmt::join(scopes_, "."))).second; ++number) {
    scopes_.back() = fmt::format("{}_{}", name, number);
  }
  header_ += fmt::format("$scope module {} $end\n", scopes_.back());
  return scopes_.back();
}

void VcdWriter::close_scope() {
  scopes_.pop_back();
  header_ += "$upscope $end\n";
}

VcdWriter::Signal VcdWriter::declare(const std::string& name, unsigned width) {
  const std::string range = width == 1 ? "" : fmt::format("[{}:0]", width - 1);
  const Value signal{fmt::format("{}.{}{}", fmt::join(scopes_, "."), name, range), code_of(values_.size()),
                     width, 0};
  header_ +=
      fmt::format("$var wire {} {} {}{}{} $end\n", width, signal.code, name, width == 1 ? "" : " ", range);
  values_.push_back(signal);
  return static_cast<Signal>(values_.size() - 1);
}

void VcdWriter::begin(const std::string& timescale, std::uint64_t time) {
  text_ =
      fmt::format("$version flitscope {} $end\n$timescale {} $end\n{}$enddefinitions $end\n#{}\n$dumpvars\n",
                  FLITSCOPE_VERSION, timescale, header_, time);
  header_.clear();
  written_time_ = time;
  for (const Value& signal : values_) write_value(signal);
  text_ += "$end\n";
}

void VcdWriter::write(Signal signal, std::uint64_t value) {
  values_[signal].value = value;
  if (!has_begun()) return;
  if (time_ != written_time_) write_time();
  write_value(values_[signal]);
}

void VcdWriter::write_time() {
  constexpr std::size_t kEnough = 1U << 16;
  if (text_.size() >= kEnough) flush();
  fmt::format_to(std::back_inserter(text_), FMT_COMPILE("#{}\n"), time_);
  written_time_ = time_;
}

void VcdWriter::write_value(const Value& signal) {
  if (signal.width == 1) {
    text_ += signal.value == 0 ? '0' : '1';
    text_ += signal.code;
    text_ += '\n';
  } else {
    fmt::format_to(std::back_inserter(text_), FMT_COMPILE("b{:b} {}\n"), signal.value, signal.code);
  }
}

void VcdWriter::flush() {
  // Errors are found by close().
  if (packer_) {
    packer_->write(text_);
  } else {
    *out_ << text_;
  }
  text_.clear();
}

void VcdWriter::close(std::uint64_t time) {
  time_ = std::max(time, written_time_);
  if (time_ != written_time_) write_time();
  flush();
  if (packer_) {
    packer_->finish();
  } else {
    out_->finish();
  }
}

FstPacker::FstPacker(const std::filesystem::path& file, std::chrono::milliseconds patience)
    : file_(file), patience_(patience) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw OutputError(file_.string() + ": no pipe to vcd2fst");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  std::string program = "vcd2fst";
  std::string from = "-";
  std::string to = file_.string();
  std::array<char*, 4> arguments{program.data(), from.data(), to.data(), nullptr};
  const int failed = posix_spawnp(&process_, "vcd2fst", &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[0]);
  input_ = ends[1];
  if (failed != 0) {
    close_input();
    throw OutputError(
        "{}: vcd2fst cannot be started: {} (it is in the Debian package gtkwave; 'observe.waves.format: vcd' "
        "needs no other program)",
        file_.string(), std::strerror(failed));
  }
  fcntl(input_, F_SETFL, O_NONBLOCK);
  // If vcd2fst dies, writing must fail, not end this program.
  std::signal(SIGPIPE, SIG_IGN);
}

FstPacker::~FstPacker() {
  close_input();
  wait_for_end();
}

void FstPacker::write(std::string_view text) {
  while (!text.empty() && failure_.empty()) {
    const ssize_t written = ::write(input_, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN) {
      if (!is_ready(input_, POLLOUT)) fail("vcd2fst hangs");
    } else if (errno != EINTR) {
      fail(fmt::format("vcd2fst takes no more: {}", std::strerror(errno)));
    }
  }
}

void FstPacker::finish() {
  close_input();
  wait_for_end();
  if (failure_.empty()) return;
  throw OutputError(
      "{}: could not be written completely: {} ('observe.waves.format: vcd' needs no other program)",
      file_.string(), failure_);
}

void FstPacker::fail(const std::string& what) {
  if (failure_.empty()) failure_ = what;
}

bool FstPacker::is_ready(int descriptor, short events) const {
  pollfd wanted{.fd = descriptor, .events = events, .revents = 0};
  int ready = 0;
  do {
    ready = poll(&wanted, 1, static_cast<int>(patience_.count()));
  } while (ready < 0 && errno == EINTR);
  return ready > 0;
}

void FstPacker::wait_for_end() {
  if (process_ < 0) return;
  const int process = pidfd_open(process_, 0);
  const bool has_ended = failure_.empty() && (process < 0 || is_ready(process, POLLIN));
  if (process >= 0) close(process);
  if (!has_ended) {
    fail("vcd2fst hangs");
    kill(process_, SIGKILL);
  }
  int status = 0;
  waitpid(process_, &status, 0);
  process_ = -1;
  if (status != 0) fail(fmt::format("vcd2fst failed with status {}", status));
}

void FstPacker::close_input() {
  if (input_ >= 0) close(input_);
  input_ = -1;
}

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
