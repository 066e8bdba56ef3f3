# SystemC as a target. Installed with the library, for its users' builds.
#
# Debian builds SystemC as C++17 and its header refuses a program that says otherwise; the library's interface is the
# same in C++20, so we say what it wants to hear, here and nowhere else.
if(NOT TARGET flitscope::systemc)
  find_path(FLITSCOPE_SYSTEMC_INCLUDE systemc REQUIRED)
  find_library(FLITSCOPE_SYSTEMC_LIBRARY systemc REQUIRED)
  add_library(flitscope::systemc INTERFACE IMPORTED GLOBAL)
  target_include_directories(flitscope::systemc SYSTEM INTERFACE ${FLITSCOPE_SYSTEMC_INCLUDE})
  target_link_libraries(flitscope::systemc INTERFACE ${FLITSCOPE_SYSTEMC_LIBRARY})
  target_compile_definitions(flitscope::systemc INTERFACE SC_CPLUSPLUS=201703L)
endif()
