# The report's page in the program: our scripts and style, and D3, which draws the charts, of Debian's node-d3. Without
# D3 everything but `flitscope report` works.
find_file(FLITSCOPE_D3 d3.min.js PATHS /usr/share/nodejs/d3/dist /usr/share/javascript/d3 NO_DEFAULT_PATH)
if(FLITSCOPE_D3)
  set(d3 ${FLITSCOPE_D3})
else()
  set(d3 "")
  message(WARNING "D3 is missing (Debian package node-d3): the program is built without 'flitscope report'")
endif()

# In the order in which the page runs them.
set(page_folder ${PROJECT_SOURCE_DIR}/sim/report/page)
set(page_scripts page.js charts.js network.js nodes.js run.js energy.js circuits.js sweep.js load.js compare.js points.js protocol.js
    replay_trace.js replay_drawing.js replay_worms.js replay_density.js replay.js main.js)
set(page_files ${page_folder}/page.css)
foreach(script IN LISTS page_scripts)
  list(APPEND page_files ${page_folder}/${script})
endforeach()

set(page_assets ${PROJECT_BINARY_DIR}/page_assets.cpp)
list(JOIN page_files "|" joined)
add_custom_command(OUTPUT ${page_assets}
  COMMAND ${CMAKE_COMMAND} -DOUT=${page_assets} "-DFILES=${joined}" -DD3=${d3}
          -P ${PROJECT_SOURCE_DIR}/cmake/embed_page.cmake
  DEPENDS ${page_files} ${d3} ${PROJECT_SOURCE_DIR}/cmake/embed_page.cmake VERBATIM)
set_source_files_properties(${page_assets} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON SKIP_PRECOMPILE_HEADERS ON)
target_sources(flitscope_sim_report PRIVATE ${page_assets})
