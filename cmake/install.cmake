# What `cmake --install` puts in place: the program, and the library for models of one's own. find_package(flitscope)
# finds the targets
#
#   flitscope::model     topologies, routes, messages, schedules
#   flitscope::network   routers, network interfaces, the network as a SystemC module; drivers, observers, analysis
#   flitscope::run       experiments: algorithms, configurations, schedule files, runs and their results
#   flitscope::booksim2  BookSim2's interface for other simulators
#
# and pkg-config the same as flitscope-model, flitscope-network, flitscope-run and flitscope-booksim2.
#
# Parts declare themselves in registries and no other file names them, so the archives are linked whole.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(FLITSCOPE_CMAKE_DIRECTORY ${CMAKE_INSTALL_LIBDIR}/cmake/flitscope)

# flitscope_pkg_config(NAME DESCRIPTION REQUIRES CFLAGS LIBS FOLDER...): flitscope-NAME.pc of these folders. It finds the
# prefix from where it lies itself.
file(RELATIVE_PATH PC_UP /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
string(REGEX REPLACE "/$" "" PC_UP "${PC_UP}")
function(flitscope_pkg_config PC_NAME PC_DESCRIPTION PC_REQUIRES PC_CFLAGS PC_LIBS)
  set(PC_ARCHIVES "")
  foreach(folder IN LISTS ARGN)
    string(REPLACE "/" "_" archive flitscope_${folder})
    string(APPEND PC_ARCHIVES ",\${libdir}/flitscope/lib${archive}.a")
  endforeach()
  configure_file(cmake/flitscope.pc.in ${PROJECT_BINARY_DIR}/flitscope-${PC_NAME}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/flitscope-${PC_NAME}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
          COMPONENT library)
endfunction()

# flitscope_package(NAME EXPORT FOLDER...): the target flitscope::NAME of these folders, with their headers.
function(flitscope_package name export)
  set(archives "")
  set(installed "")
  foreach(folder IN LISTS ARGN)
    string(REPLACE "/" "_" archive flitscope_${folder})
    list(APPEND archives ${archive})
    list(APPEND installed flitscope::${archive})
    get_filename_component(above ${folder} DIRECTORY)
    install(DIRECTORY ${folder} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/flitscope/${above} COMPONENT library
            FILES_MATCHING PATTERN "*.h" PATTERN foreign EXCLUDE)
  endforeach()
  set(package flitscope_${name}_package)
  add_library(${package} INTERFACE)
  set_target_properties(${package} PROPERTIES EXPORT_NAME ${name})
  target_compile_features(${package} INTERFACE cxx_std_20)
  target_include_directories(${package} INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/flitscope>)
  list(JOIN installed "," installed)
  target_link_libraries(${package} INTERFACE "$<INSTALL_INTERFACE:$<LINK_LIBRARY:WHOLE_ARCHIVE,${installed}>>")
  install(TARGETS ${package} ${archives} EXPORT ${export}
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}/flitscope COMPONENT library)
endfunction()

set(MODEL_FOLDERS model params networks traffic)
set(NETWORK_FOLDERS routers/routing routers/parts routers/engine routers/modules routers/circuits sim/host sim/network
    sim/adaptors sim/driver sim/observe sim/analysis)
set(RUN_FOLDERS algorithms sim/formats sim/config sim/run)
flitscope_package(model flitscope-targets ${MODEL_FOLDERS})
target_link_libraries(flitscope_model_package INTERFACE fmt::fmt)
flitscope_package(network flitscope-targets ${NETWORK_FOLDERS})
target_link_libraries(flitscope_network_package INTERFACE flitscope_model_package flitscope::systemc Boost::headers)
flitscope_package(run flitscope-run-targets ${RUN_FOLDERS})
target_link_libraries(flitscope_run_package INTERFACE
  flitscope_network_package nlohmann_json::nlohmann_json yaml-cpp OpenSSL::Crypto)
flitscope_package(booksim2 flitscope-run-targets sim/booksim2)
target_link_libraries(flitscope_booksim2_package INTERFACE flitscope_run_package)

flitscope_pkg_config(model "topologies, routes, messages, schedules" "fmt" "" "" ${MODEL_FOLDERS})
flitscope_pkg_config(network "routers and networks as SystemC modules" "flitscope-model"
                     " -DSC_CPLUSPLUS=201703L" " -lsystemc" ${NETWORK_FOLDERS})
flitscope_pkg_config(run "experiments" "flitscope-network nlohmann_json yaml-cpp libcrypto" "" "" ${RUN_FOLDERS})
flitscope_pkg_config(booksim2 "BookSim2's interface" "flitscope-run" "" "" sim/booksim2)

install(EXPORT flitscope-targets NAMESPACE flitscope:: DESTINATION ${FLITSCOPE_CMAKE_DIRECTORY} COMPONENT library)
install(EXPORT flitscope-run-targets NAMESPACE flitscope:: DESTINATION ${FLITSCOPE_CMAKE_DIRECTORY} COMPONENT library)
configure_package_config_file(cmake/flitscope-config.cmake.in ${PROJECT_BINARY_DIR}/flitscope-config.cmake
                              INSTALL_DESTINATION ${FLITSCOPE_CMAKE_DIRECTORY})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/flitscope-config-version.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${PROJECT_BINARY_DIR}/flitscope-config.cmake ${PROJECT_BINARY_DIR}/flitscope-config-version.cmake
              cmake/systemc.cmake
        DESTINATION ${FLITSCOPE_CMAKE_DIRECTORY} COMPONENT library)

install(TARGETS flitscope RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
# Only if it was built.
install(TARGETS flitscope-claims RUNTIME DESTINATION libexec/flitscope COMPONENT program OPTIONAL)
install(DIRECTORY configs DESTINATION ${CMAKE_INSTALL_DATADIR}/flitscope COMPONENT program)
install(FILES packaging/completion.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
        RENAME flitscope COMPONENT program)
# The manual page is what the program says of itself.
install(CODE "execute_process(COMMAND ${PROJECT_SOURCE_DIR}/scripts/make_manual.sh $<TARGET_FILE:flitscope>
                                      ${PROJECT_BINARY_DIR}/flitscope.1.gz COMMAND_ERROR_IS_FATAL ANY)"
        COMPONENT program)
install(FILES ${PROJECT_BINARY_DIR}/flitscope.1.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program)
install(FILES python/flitscope.py DESTINATION lib/python3/dist-packages COMPONENT python)
if(TARGET _flitscope)
  # Only if it was built.
  install(TARGETS _flitscope LIBRARY DESTINATION lib/python3/dist-packages COMPONENT python OPTIONAL)
endif()
