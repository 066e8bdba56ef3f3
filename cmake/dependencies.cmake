# Everything comes from Debian packages; docs/install.md names each with its purpose.
find_package(Boost 1.74 REQUIRED COMPONENTS program_options)
find_package(yaml-cpp REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(GTest REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(SQLiteCpp REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)
find_package(pugixml REQUIRED)
find_package(ZLIB REQUIRED)
find_package(Protobuf REQUIRED)
# The part of the Python module that is compiled, for Debian's Python, whichever else is on the path.
set(Python_EXECUTABLE /usr/bin/python3 CACHE FILEPATH "The Python that the module is for")
set(PYBIND11_FINDPYTHON ON)
find_package(pybind11 REQUIRED)
# Of Debian's gtkwave; called when waveforms are written as FST, and fst2vcd by the tests.
find_program(FLITSCOPE_VCD2FST vcd2fst)
if(NOT FLITSCOPE_VCD2FST)
  message(WARNING "vcd2fst is missing (Debian package gtkwave): waveforms can be written as VCD only")
endif()
# Of Debian's librsvg2-bin; called when plots are written as PNG.
find_program(FLITSCOPE_RSVG_CONVERT rsvg-convert)
if(NOT FLITSCOPE_RSVG_CONVERT)
  message(WARNING "rsvg-convert is missing (Debian package librsvg2-bin): plots can be written as SVG only")
endif()

include(cmake/systemc.cmake)
