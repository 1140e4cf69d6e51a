# What `cmake --install` puts down: the binary (component "runtime"), its manual and completions ("manual"), and for those who write a
# simulation or a program of their own (component "dev") the library in two forms, the headers, a CMake package
# and pkg-config files. tests/package builds against the result.
include(CMakePackageConfigHelpers)

install(DIRECTORY include/lockstep DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dev)

# One archive of all folders' objects: users link `lockstep` and need not know our folders.
add_library(lockstep_library STATIC
  $<TARGET_OBJECTS:ls_core> $<TARGET_OBJECTS:ls_proto> $<TARGET_OBJECTS:ls_replays>
  $<TARGET_OBJECTS:ls_server> $<TARGET_OBJECTS:ls_client>)
set_target_properties(lockstep_library PROPERTIES
  OUTPUT_NAME lockstep EXPORT_NAME lockstep LINKER_LANGUAGE C)
target_link_libraries(lockstep_library PUBLIC lockstep_flags
  PkgConfig::XXHASH PkgConfig::JANSSON PkgConfig::SODIUM PkgConfig::ENET
  PkgConfig::ZSTD Threads::Threads ${LOCKSTEP_ATOMIC} ${CMAKE_DL_LIBS})
add_library(lockstep::lockstep ALIAS lockstep_library)
set_target_properties(lockstep_flags PROPERTIES EXPORT_NAME sim)

include(cmake/LockstepExports.cmake)
include(cmake/LockstepShared.cmake)

# Two exports: those who link the shared library alone need none of the packages that it uses.
install(TARGETS lockstep_flags EXPORT lockstep)
if(TARGET lockstep_shared)
  install(TARGETS lockstep_shared EXPORT lockstep
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev)
endif()
install(TARGETS lockstep_library EXPORT lockstep-static
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev)
if(TARGET lockstep)
  install(TARGETS lockstep RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT runtime)
endif()

# The interface as JSON, for bindings (docs/engines.md). clang prints declarations as JSON; gcc does not. The
# sizes are those of this machine.
find_program(LOCKSTEP_CLANG NAMES clang-14 clang DOC "describes the interface as JSON")
find_package(Python3 QUIET COMPONENTS Interpreter)
set(LOCKSTEP_API ${PROJECT_BINARY_DIR}/lockstep-api.json)
if(LOCKSTEP_CLANG AND Python3_FOUND AND NOT CMAKE_CROSSCOMPILING AND NOT LOCKSTEP_SANITIZE)
  file(GLOB headers CONFIGURE_DEPENDS include/lockstep/*.h)
  add_custom_command(OUTPUT ${LOCKSTEP_API}
    COMMAND Python3::Interpreter -B ${PROJECT_SOURCE_DIR}/cmake/describe_api.py
      --include ${PROJECT_SOURCE_DIR}/include --clang ${LOCKSTEP_CLANG} --output ${LOCKSTEP_API}
    DEPENDS ${PROJECT_SOURCE_DIR}/cmake/describe_api.py ${headers} VERBATIM)
  set(native ${PROJECT_BINARY_DIR}/csharp/Native.cs)
  add_custom_command(OUTPUT ${native}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/csharp
    COMMAND Python3::Interpreter -B ${PROJECT_SOURCE_DIR}/bindings/csharp/generate.py ${LOCKSTEP_API} --output ${native}
    DEPENDS ${PROJECT_SOURCE_DIR}/bindings/csharp/generate.py ${LOCKSTEP_API} VERBATIM)
  add_custom_target(lockstep_api ALL DEPENDS ${LOCKSTEP_API} ${native})
  install(FILES ${LOCKSTEP_API} DESTINATION ${CMAKE_INSTALL_DATADIR}/lockstep COMPONENT dev)
  install(DIRECTORY bindings/csharp DESTINATION ${CMAKE_INSTALL_DATADIR}/lockstep/bindings COMPONENT dev
    PATTERN obj EXCLUDE PATTERN bin EXCLUDE PATTERN Native.cs EXCLUDE)
  install(FILES ${native} DESTINATION ${CMAKE_INSTALL_DATADIR}/lockstep/bindings/csharp COMPONENT dev)
else()
  message(STATUS "No clang or Python here, or another target: lockstep-api.json is left out")
endif()

# The manual and the completions of shells.
if(TARGET lockstep AND Python3_FOUND AND NOT CMAKE_CROSSCOMPILING AND NOT LOCKSTEP_SANITIZE)
  set(manual ${PROJECT_BINARY_DIR}/manual)
  add_custom_command(OUTPUT ${manual}/lockstep.1
    COMMAND Python3::Interpreter -B ${PROJECT_SOURCE_DIR}/cmake/make_manual.py $<TARGET_FILE:lockstep> ${manual}
    DEPENDS ${PROJECT_SOURCE_DIR}/cmake/make_manual.py lockstep VERBATIM)
  add_custom_target(manual ALL DEPENDS ${manual}/lockstep.1)
  install(DIRECTORY ${manual}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT manual)
endif()
foreach(place bash:bash-completion/completions:lockstep zsh:zsh/site-functions:_lockstep fish:fish/vendor_completions.d:lockstep.fish)
  string(REPLACE ":" ";" place ${place})
  list(GET place 0 shell)
  list(GET place 1 folder)
  list(GET place 2 name)
  install(FILES cli/completion/lockstep.${shell} DESTINATION ${CMAKE_INSTALL_DATADIR}/${folder} RENAME ${name}
    COMPONENT manual)
endforeach()

install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime)

# To be copied; `cmake -B build` in a copy builds it.
install(DIRECTORY examples/walkers examples/cpp DESTINATION ${CMAKE_INSTALL_DATADIR}/lockstep/examples
  COMPONENT dev)

# pip installs it from there.
install(DIRECTORY bindings/python DESTINATION ${CMAKE_INSTALL_DATADIR}/lockstep/bindings COMPONENT dev
  PATTERN __pycache__ EXCLUDE PATTERN build EXCLUDE)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/lockstep)
foreach(export lockstep lockstep-static)
  install(EXPORT ${export} NAMESPACE lockstep:: FILE ${export}-targets.cmake
    DESTINATION ${package_dir} COMPONENT dev)
endforeach()
set(LOCKSTEP_BINARY ${CMAKE_INSTALL_BINDIR}/lockstep)
configure_package_config_file(cmake/lockstep-config.cmake.in lockstep-config.cmake
  INSTALL_DESTINATION ${package_dir} PATH_VARS LOCKSTEP_BINARY)
# Until 1.0 a minor version may change what a simulation is compiled against.
write_basic_package_version_file(lockstep-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES
  ${CMAKE_CURRENT_BINARY_DIR}/lockstep-config.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/lockstep-config-version.cmake
  cmake/LockstepSimulation.cmake
  DESTINATION ${package_dir} COMPONENT dev)

# pkg-config has no words for the compiler, so its flags are those that this build used.
set(LOCKSTEP_PC_FLAGS_CPP "-ffp-contract=off -fno-math-errno")
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
  string(APPEND LOCKSTEP_PC_FLAGS_CPP " -fexcess-precision=fast")
endif()
set(LOCKSTEP_PC_LIBS "${LOCKSTEP_ATOMIC}")
list(TRANSFORM LOCKSTEP_PC_LIBS PREPEND " -l")
set(LOCKSTEP_PC_FLAGS "${LOCKSTEP_PC_FLAGS_CPP} -Werror=implicit-function-declaration")
file(RELATIVE_PATH LOCKSTEP_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" LOCKSTEP_PC_PREFIX "${LOCKSTEP_PC_PREFIX}")
set(pc_names lockstep lockstep-sim lockstep-sim-cpp)
if(TARGET lockstep_shared)
  list(APPEND pc_names lockstep-shared)
endif()
foreach(name IN LISTS pc_names)
  configure_file(cmake/${name}.pc.in ${name}.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${name}.pc
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)
endforeach()
