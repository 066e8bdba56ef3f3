# The energy tables in the program: a source with the text of every file in sim/formats/energy_tables.
file(GLOB energy_tables CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/sim/formats/energy_tables/*.yaml)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${energy_tables})
set(entries "")
foreach(table IN LISTS energy_tables)
  file(READ ${table} text)
  get_filename_component(name ${table} NAME)
  string(APPEND entries "      {\"${name}\", R\"=-table-=(${text})=-table-=\"},\n")
endforeach()
set(energy_source ${PROJECT_BINARY_DIR}/energy_tables.cpp)
file(CONFIGURE OUTPUT ${energy_source} @ONLY CONTENT "#include \"sim/formats/energy_table.h\"

namespace flitscope::energy_tables {

const std::vector<File>& files() {
  static const std::vector<File> all{
${entries}  };
  return all;
}

}  // namespace flitscope::energy_tables
")
set_source_files_properties(${energy_source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON SKIP_PRECOMPILE_HEADERS ON)
target_sources(flitscope_sim_formats PRIVATE ${energy_source})
