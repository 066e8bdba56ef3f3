# Everything comes from Debian packages; the README names each with its purpose.
find_package(Boost 1.74 REQUIRED COMPONENTS program_options)
find_package(yaml-cpp REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(GTest REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(SQLiteCpp REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)
# Of Debian's gtkwave; called when waveforms are written as FST, and fst2vcd by the tests.
find_program(FLITSCOPE_VCD2FST vcd2fst)
if(NOT FLITSCOPE_VCD2FST)
  message(WARNING "vcd2fst is missing (Debian package gtkwave): waveforms can be written as VCD only")
endif()

# Debian builds SystemC as C++17 and its header refuses a program that says otherwise; the library's
# interface is the same in C++20, so we say what it wants to hear, here and nowhere else.
find_path(SYSTEMC_INCLUDE systemc REQUIRED)
find_library(SYSTEMC_LIBRARY systemc REQUIRED)
add_library(flitscope_systemc INTERFACE)
add_library(flitscope::systemc ALIAS flitscope_systemc)
target_include_directories(flitscope_systemc SYSTEM INTERFACE ${SYSTEMC_INCLUDE})
target_link_libraries(flitscope_systemc INTERFACE ${SYSTEMC_LIBRARY})
target_compile_definitions(flitscope_systemc INTERFACE SC_CPLUSPLUS=201703L)
