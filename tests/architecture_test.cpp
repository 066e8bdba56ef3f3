// Which room may use which: includes lead only where the table says. The design's reasons: an algorithm is
// pure, a router knows no experiment, and nothing goes in circles.
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/strong_components.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <string>
#include <vector>

namespace flitscope::test {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = FLITSCOPE_SOURCE_DIR;

struct Room {
  std::string folder;
  /// Folders, or single headers, that its files may include beside those of the room itself.
  std::vector<std::string> may_use;
};

// What a run stands on, from the ground up.
const std::vector<std::string> kSchedules{"model/", "routers/routing/", "sim/host/"};
const std::vector<std::string> kRun{"model/",         "algorithms/",  "routers/",      "sim/network/",
                                    "sim/driver/",    "sim/observe/", "sim/analysis/", "sim/config/",
                                    "sim/schedules/", "sim/host/"};

std::vector<std::string> with(std::vector<std::string> rooms, std::initializer_list<const char*> more) {
  rooms.insert(rooms.end(), more.begin(), more.end());
  return rooms;
}

const std::vector<Room> kRooms{
    {"model", {}},
    {"algorithms", {"model/"}},
    {"networks", {"model/"}},
    {"routers/routing", {"model/"}},
    {"routers/engine", {"model/", "routers/machine.h", "routers/routing/routing.h"}},
    {"routers/modules",
     {"model/", "routers/machine.h", "routers/report.h", "routers/engine/", "routers/routing/routing.h"}},
    {"routers/circuits", {"model/", "routers/machine.h"}},
    {"sim/host", {}},
    {"sim/network", {"model/", "routers/", "sim/host/"}},
    {"sim/adaptors", {"model/", "routers/", "sim/network/"}},
    {"sim/driver",
     {"model/", "routers/machine.h", "routers/engine/agenda.h", "routers/engine/flit.h",
      "sim/network/transport.h", "sim/network/circuit_transport.h"}},
    {"sim/observe", {"model/", "routers/", "sim/network/", "sim/driver/"}},
    {"sim/analysis", {"model/", "routers/machine.h", "routers/routing/"}},
    {"sim/config", {"model/", "routers/machine.h", "routers/routing/"}},
    {"sim/schedules", kSchedules},
    {"sim/formats", with(kSchedules, {"sim/schedules/"})},
    {"sim/run", kRun},
    {"sim/report", with(kRun, {"sim/run/"})},
    {"sim/claims", with(kRun, {"sim/run/"})},
    {"sim/batch", with(kRun, {"sim/run/", "sim/report/"})},
    {"sim/app", with(kRun, {"sim/run/", "sim/report/", "sim/claims/", "sim/batch/", "sim/formats/"})},
};

/// Beside the rooms: the machine that a configuration describes and routers are made of.
const std::vector<std::string> kBesideRooms{"routers/machine.h", "routers/machine.cpp",
                                            "routers/link_times.h", "routers/report.h"};

struct Library {
  std::string header;
  /// Rooms, or single files, that may include headers that begin like this.
  std::vector<std::string> rooms;
};

const std::vector<Library> kLibraries{
    {"systemc",
     {"routers/modules", "routers/circuits", "sim/network", "sim/adaptors", "sim/app/main.cpp",
      "sim/app/sc_main.cpp"}},
    {"tlm", {"sim/adaptors"}},
    {"yaml-cpp/", {"sim/config"}},
    {"nlohmann/",
     {"sim/observe", "sim/schedules", "sim/formats", "sim/run", "sim/report", "sim/batch",
      "sim/claims/printer.cpp", "sim/app"}},
    {"boost/program_options", {"sim/app"}},
    {"pugixml.hpp", {"sim/formats"}},
    {"google/protobuf/", {"sim/formats"}},
    {"boost/uuid", {"sim/batch"}},
    {"SQLiteCpp/", {"sim/batch"}},
    {"sqlite3.h", {"sim/batch"}},
    {"openssl/", {"sim/schedules"}},
    {"fstream",
     {"sim/host", "sim/observe", "sim/config", "sim/schedules", "sim/run", "sim/report", "sim/batch",
      "sim/app"}},
    {"iostream", {"sim/app"}},
};

struct Include {
  std::string place;  ///< "file:line"
  std::string header;
  bool of_ours = false;
};

bool is_source(const fs::path& file) {
  return file.extension() == ".h" || file.extension() == ".cpp";
}

std::vector<fs::path> sources_in(const fs::path& folder) {
  std::vector<fs::path> files;
  if (!fs::exists(folder)) return files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file() && is_source(entry.path())) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

std::vector<Include> includes_of(const fs::path& file) {
  static const std::regex pattern(R"(^\s*#\s*include\s*([<"])([^>"]+)[>"].*)");
  std::vector<Include> includes;
  std::ifstream stream(file);
  std::string line;
  for (int number = 1; std::getline(stream, line); ++number) {
    std::smatch match;
    if (!std::regex_match(line, match, pattern)) continue;
    includes.push_back(
        {file.lexically_relative(kRoot).string() + ":" + std::to_string(number), match[2], match[1] == "\""});
  }
  return includes;
}

bool may_use(const Room& room, const std::string& header) {
  const auto covers = [&](const std::string& allowed) {
    return allowed.ends_with('/') ? header.starts_with(allowed) : header == allowed;
  };
  return header.starts_with(room.folder + "/") || std::ranges::any_of(room.may_use, covers);
}

TEST(Architecture, EveryRoomUsesOnlyTheRoomsBelowIt) {
  std::size_t seen = 0;
  for (const Room& room : kRooms) {
    for (const fs::path& file : sources_in(kRoot / room.folder)) {
      for (const Include& include : includes_of(file)) {
        if (!include.of_ours) continue;
        ++seen;
        EXPECT_TRUE(may_use(room, include.header))
            << include.place << ": " << room.folder << " may not use " << include.header;
      }
    }
  }
  EXPECT_GT(seen, 100U);  // the files were found and read
}

TEST(Architecture, LibrariesStayInTheirRooms) {
  for (const Room& room : kRooms) {
    for (const fs::path& file : sources_in(kRoot / room.folder)) {
      for (const Include& include : includes_of(file)) {
        for (const Library& library : kLibraries) {
          if (include.of_ours || !include.header.starts_with(library.header)) continue;
          const auto allows = [&](const std::string& one) {
            return one == room.folder || include.place.starts_with(one + ":");
          };
          EXPECT_TRUE(std::ranges::any_of(library.rooms, allows))
              << include.place << ": " << room.folder << " may not use <" << include.header << ">";
        }
      }
    }
  }
}

TEST(Architecture, EverySourceIsInARoom) {
  std::size_t in_rooms = kBesideRooms.size();
  std::size_t in_all = 0;
  for (const Room& room : kRooms) in_rooms += sources_in(kRoot / room.folder).size();
  for (const char* floor : {"model", "algorithms", "networks", "routers", "sim"}) {
    in_all += sources_in(kRoot / floor).size();
  }
  EXPECT_EQ(in_rooms, in_all) << "a folder is not in the table of rooms";
}

TEST(Architecture, OurHeadersAreNamedFromTheRootAndAreThere) {
  for (const Room& room : kRooms) {
    for (const fs::path& file : sources_in(kRoot / room.folder)) {
      for (const Include& include : includes_of(file)) {
        const bool is_there = !include.of_ours || fs::exists(kRoot / include.header);
        EXPECT_TRUE(is_there) << include.place << ": " << include.header << " does not exist";
      }
    }
  }
}

/// x.h and x.cpp are one thing: "sim/config/keys".
std::string unit_of(const fs::path& file) {
  return fs::path(file).replace_extension().string();
}

/// Groups of files that include one another in the end, a line each.
std::string circles_in(const std::map<std::string, std::vector<std::string>>& includes) {
  std::map<std::string, std::size_t> numbers;
  for (const auto& [unit, used] : includes) numbers.emplace(unit, numbers.size());
  boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS> graph(numbers.size());
  for (const auto& [unit, used] : includes) {
    for (const std::string& other : used) {
      if (other != unit && numbers.contains(other)) boost::add_edge(numbers[unit], numbers[other], graph);
    }
  }
  std::vector<std::size_t> group_of(numbers.size());
  boost::strong_components(graph, group_of.data());
  std::map<std::size_t, std::vector<std::string>> groups;
  for (const auto& [unit, number] : numbers) groups[group_of[number]].push_back(unit);
  std::string circles;
  for (const auto& [number, units] : groups) {
    if (units.size() == 1) continue;
    for (const std::string& unit : units) circles += unit + " ";
    circles.back() = '\n';
  }
  return circles;
}

TEST(Architecture, ACircleOfFilesIsSeenAlsoThroughImplementationFiles) {
  EXPECT_EQ(circles_in({{"a", {"b"}}, {"b", {"c"}}, {"c", {}}}), "");
  EXPECT_EQ(circles_in({{"a", {"b"}}, {"b", {"c", "elsewhere"}}, {"c", {"a", "c"}}, {"d", {"a"}}}),
            "a b c\n");
  EXPECT_EQ(unit_of("sim/config/keys.cpp"), unit_of("sim/config/keys.h"));
}

TEST(Architecture, NoFilesIncludeOneAnotherInACircle) {
  std::map<std::string, std::vector<std::string>> includes;
  for (const Room& room : kRooms) {
    for (const fs::path& file : sources_in(kRoot / room.folder)) {
      auto& used = includes[unit_of(file.lexically_relative(kRoot))];
      for (const Include& include : includes_of(file)) {
        if (include.of_ours) used.push_back(unit_of(include.header));
      }
    }
  }
  EXPECT_GT(includes.size(), 100U);  // the files were found
  EXPECT_EQ(circles_in(includes), "") << "these files include one another";
}

}  // namespace
}  // namespace flitscope::test
