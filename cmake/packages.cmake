# Debian packages: cpack -G DEB, in the build's folder, writes
#
#   flitscope           the program, flitscope-claims, its manual page, its completion, configurations
#   libflitscope-dev    headers, archives, CMake package, pkg-config files
#   python3-flitscope   runs, results and networks from Python
# What is built is packed: the programs and the archives, which are part of it; not the tests.
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME flitscope)
set(CPACK_PACKAGE_VENDOR flitscope)
set(CPACK_PACKAGE_CONTACT "flitscope maintainers <maintainers@flitscope.invalid>" CACHE STRING
    "Who maintains the packages")
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_COMPONENTS_ALL program library python)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
    WORLD_READ WORLD_EXECUTE)
set(CPACK_STRIP_FILES ON)

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME flitscope)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "gtkwave, librsvg2-bin, bash-completion")
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION "flitscope simulates networks on chip, chiplets and scale-up tori flit by
flit and cycle by cycle, under synthetic traffic and collectives. It
names the cause of every stalled cycle, draws load curves, proves freedom
from deadlock before a run, and finds deadlocks exactly. This package has
the program, its manual page, and configurations to start from.")

set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libflitscope-dev)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_DEPENDS "libsystemc-dev, libfmt-dev, libboost-dev")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_RECOMMENDS
    "nlohmann-json3-dev, libyaml-cpp-dev, libssl-dev, pkg-config, cmake")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SUGGESTS verilator)
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION "Routers and network interfaces of flitscope as SystemC modules, for
models with an sc_main and a clock of their own, TLM-2.0 sockets, or
routers in SystemVerilog. This package has headers, archives, a CMake
package and pkg-config files. Experiments (flitscope::run) need the
recommended packages.")

set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-flitscope)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SHLIBDEPS ON)
# The compiled part is for one version of Python.
math(EXPR next "${Python_VERSION_MINOR} + 1")
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS
    "python3 (>= 3.${Python_VERSION_MINOR}), python3 (<< 3.${next}), flitscope (>= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS python3-pandas)
set(CPACK_COMPONENT_PYTHON_DESCRIPTION "Runs experiments, sweeps and studies of flitscope and reads their results
and traces: a thin layer over the command line and its files. Tables become
pandas frames. A network can be stepped cycle by cycle. This package has the
Python module.")

# What Debian wants to find in /usr/share/doc.
set(PACKAGE_program flitscope)
set(PACKAGE_library libflitscope-dev)
set(PACKAGE_python python3-flitscope)
foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  set(folder ${PROJECT_BINARY_DIR}/package-docs/${component})
  install(CODE "
    file(MAKE_DIRECTORY ${folder})
    configure_file(${PROJECT_SOURCE_DIR}/packaging/changelog ${folder}/changelog COPYONLY)
    execute_process(COMMAND gzip -9nf ${folder}/changelog COMMAND_ERROR_IS_FATAL ANY)"
          COMPONENT ${component} EXCLUDE_FROM_ALL)
  install(FILES ${folder}/changelog.gz packaging/copyright DESTINATION share/doc/${PACKAGE_${component}}
          COMPONENT ${component} EXCLUDE_FROM_ALL)
endforeach()
include(CPack)
