# lockstep_add_simulation(NAME [BUILTIN] [NO_CHECK] [WEB art.js] SOURCES file.c [file.h ...])
#
# Adds a simulation. By default the target NAME is a module NAME.so that `lockstep run`, `serve` and
# `join` load with --sim; its ls_* symbols come from the binary that loads it, so that a module
# carries no second copy of the engine. With BUILTIN it is a static library to link into a program.
# The hash of the sources is compiled in and becomes part of the simulation's fingerprint, so that
# two machines that run other code refuse each other instead of diverging. Headers belong into
# SOURCES for the same reason. Definitions of the target, and options of it that change what C means,
# are part of the hash; `lockstep source-hash` computes the same without CMake (cli/module/source_hash.c).
# After a module is linked, `lockstep schedule check` runs: a schedule that does not build is an error of
# the build, with file and line. NO_CHECK, or -DLOCKSTEP_CHECK_SCHEDULES=OFF for all, leaves it out. A
# BUILTIN one is checked by the program that it is linked into, when that creates its ls_program.
# With -DLOCKSTEP_WEB=FOLDER, the source tree of lockstep, NAME.wasm and NAME_play.wasm for the page are made beside NAME.so.
# WEB is the drawing of the simulation for that page (docs/web.md), and no part of the hash.
# In a build for WebAssembly (`web/build --with FOLDER`, which that runs) they take its place.
# The same file serves this tree and the installed package.
option(LOCKSTEP_CHECK_SCHEDULES "Check the schedules of simulation modules when they are built" ON)
set(LOCKSTEP_WEB "" CACHE PATH "Source tree of lockstep; its web/build makes NAME.wasm beside each simulation module NAME.so")
function(lockstep_add_simulation name)
  cmake_parse_arguments(SIM "BUILTIN;NO_CHECK" "WEB" "SOURCES" ${ARGN})
  if(NOT SIM_SOURCES)
    message(FATAL_ERROR "lockstep_add_simulation(${name}): SOURCES is empty")
  endif()
  set(art "")
  if(SIM_WEB)
    get_filename_component(art ${SIM_WEB} ABSOLUTE)
    if(NOT EXISTS ${art})
      message(FATAL_ERROR "lockstep_add_simulation(${name}): there is no ${art}; WEB names the JavaScript that draws it in the page")
    endif()
  endif()
  set(digest "")
  set(paths "")
  foreach(source IN LISTS SIM_SOURCES)
    get_filename_component(path ${source} ABSOLUTE)
    file(SHA256 ${path} hash)
    string(APPEND digest "${hash}\n")
    list(APPEND paths ${path})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
  endforeach()

  if(SIM_BUILTIN)
    add_library(${name} STATIC ${SIM_SOURCES})
    if(TARGET ls_core)
      target_link_libraries(${name} PRIVATE lockstep_private ls_core)
    elseif(TARGET lockstep::lockstep)
      target_link_libraries(${name} PRIVATE lockstep::lockstep)
    else()
      # find_package(lockstep COMPONENTS shared). Never both, or a program has two engines.
      target_link_libraries(${name} PRIVATE lockstep::shared)
    endif()
  elseif(COMMAND lockstep_add_web_modules)
    add_library(${name} STATIC ${SIM_SOURCES})
    target_link_libraries(${name} PRIVATE lockstep::sim)
    lockstep_add_web_modules(${name} ${name} "${art}")
  else()
    add_library(${name} MODULE ${SIM_SOURCES})
    set_target_properties(${name} PROPERTIES PREFIX ""
      C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden)
    target_link_libraries(${name} PRIVATE lockstep::sim)
    if(LOCKSTEP_WEB)
      lockstep_make_web_modules(${name} ${paths} ${art})
    endif()
  endif()
  if(LOCKSTEP_CHECK_SCHEDULES AND NOT SIM_BUILTIN AND NOT SIM_NO_CHECK)
    lockstep_check_simulation(${name} ${paths})
  endif()
  # At the end of the folder's CMakeLists.txt, when the target has all its definitions.
  cmake_language(EVAL CODE "cmake_language(DEFER CALL lockstep_finish_simulation ${name} [[${digest}]])")
endfunction()

# Another build, with the compiler for WebAssembly, reads the same CMakeLists.txt.
function(lockstep_make_web_modules name)
  get_filename_component(build ${LOCKSTEP_WEB}/web/build ABSOLUTE BASE_DIR ${CMAKE_BINARY_DIR})
  if(NOT EXISTS ${build})
    message(FATAL_ERROR "LOCKSTEP_WEB=${LOCKSTEP_WEB}: there is no web/build; it has to be the source tree of lockstep")
  endif()
  set(modules ${name}.wasm ${name}_play.wasm)
  add_custom_command(OUTPUT ${modules} DEPENDS ${ARGN}
    COMMAND ${build} --with ${CMAKE_CURRENT_SOURCE_DIR} --into ${CMAKE_CURRENT_BINARY_DIR} ${modules}
    COMMENT "Building ${name}.wasm and ${name}_play.wasm" USES_TERMINAL VERBATIM)
  add_custom_target(${name}_web ALL DEPENDS ${modules})
endfunction()

# Runs the check when the module is linked. A build for another machine cannot load its modules, unless it
# has an emulator.
function(lockstep_check_simulation name)
  set(checker "")
  if(TARGET lockstep)
    set(checker lockstep)
    add_dependencies(${name} lockstep)
  elseif(LOCKSTEP_EXECUTABLE AND EXISTS ${LOCKSTEP_EXECUTABLE})
    set(checker ${CMAKE_CROSSCOMPILING_EMULATOR} ${LOCKSTEP_EXECUTABLE})
  endif()
  if(CMAKE_CROSSCOMPILING AND NOT CMAKE_CROSSCOMPILING_EMULATOR)
    set(why "this build is for another machine")
  elseif(NOT checker)
    set(why "the lockstep binary is not installed")
  else()
    set(given "")
    foreach(path IN LISTS ARGN)
      list(APPEND given --source ${path})
    endforeach()
    add_custom_command(TARGET ${name} POST_BUILD
      COMMAND ${checker} schedule check --sim $<TARGET_FILE:${name}> ${given} VERBATIM)
    return()
  endif()
  message(STATUS "lockstep_add_simulation(${name}): the schedule is not checked, because ${why}; "
    "`lockstep schedule check --sim ${name}.so` does it where the module runs")
endfunction()

# The compiler's options of a simulation, one word each, from every place where CMake takes them. Those
# that linked targets pass on are not among them.
function(lockstep_simulation_options name out)
  string(TOUPPER "CMAKE_C_FLAGS_${CMAKE_BUILD_TYPE}" flags)
  separate_arguments(all UNIX_COMMAND "${CMAKE_C_FLAGS} ${${flags}}")
  get_property(options TARGET ${name} PROPERTY COMPILE_OPTIONS)
  get_property(definitions TARGET ${name} PROPERTY COMPILE_DEFINITIONS)
  get_property(sources TARGET ${name} PROPERTY SOURCES)
  if(sources MATCHES "[.](cc|cpp|cxx)(;|$)")
    string(TOUPPER "CMAKE_CXX_FLAGS_${CMAKE_BUILD_TYPE}" flags)
    separate_arguments(more UNIX_COMMAND "${CMAKE_CXX_FLAGS} ${${flags}}")
    list(APPEND all ${more})
  endif()
  list(FILTER sources EXCLUDE REGEX "\\$<")
  foreach(source IN LISTS sources)
    get_property(more SOURCE ${source} PROPERTY COMPILE_OPTIONS)
    list(APPEND options ${more})
    get_property(more SOURCE ${source} PROPERTY COMPILE_FLAGS)
    list(APPEND options "SHELL:${more}")
    get_property(more SOURCE ${source} PROPERTY COMPILE_DEFINITIONS)
    list(APPEND definitions ${more})
  endforeach()
  foreach(option IN LISTS options)
    if(option MATCHES "^SHELL:(.*)")
      separate_arguments(option UNIX_COMMAND "${CMAKE_MATCH_1}")
    endif()
    list(APPEND all ${option})
  endforeach()
  list(TRANSFORM definitions REPLACE "^-D" "")
  list(TRANSFORM definitions PREPEND "-D")
  list(APPEND all ${definitions})
  string(REGEX REPLACE "(^|;)(-[DU]);" "\\1\\2" all "${all}")
  set(${out} "${all}" PARENT_SCOPE)
endfunction()

# Completes the hash: a line a file, then the sorted options that count.
function(lockstep_finish_simulation name digest)
  lockstep_simulation_options(${name} all)
  set(dialects signed-char unsigned-char signed-bitfields unsigned-bitfields short-enums short-wchar pack-struct wrapv
    trapv strict-aliasing strict-overflow)
  string(JOIN "|" dialects ${dialects})
  # CMake computes the values of generator expressions after the hash.
  string(GENEX_STRIP "${all}" plain)
  foreach(option IN LISTS all)
    if(NOT option IN_LIST plain AND option MATCHES "(^|[:,])-([DU][^_]|f(no-)?(${dialects}))")
      message(FATAL_ERROR "lockstep_add_simulation(${name}): ${option} is part of a generator expression, "
        "whose value the fingerprint does not cover: two builds with different values would not refuse each "
        "other. Choose the value with if() instead.")
    endif()
  endforeach()
  # Reserved names choose among the C library's interfaces, and NDEBUG takes assertions out.
  list(FILTER all INCLUDE REGEX "^-[DU][^_]|^-f(no-)?(${dialects})(=.*)?$")
  list(FILTER all EXCLUDE REGEX "^-[DU](NDEBUG|LS_SIM_SOURCE_HASH)(=.*)?$")
  list(TRANSFORM all APPEND "=1" REGEX "^-D[^=]*$")
  list(SORT all)
  list(REMOVE_DUPLICATES all)
  foreach(option IN LISTS all)
    string(APPEND digest "${option}\n")
  endforeach()
  string(SHA256 digest "${digest}")
  target_compile_definitions(${name} PRIVATE LS_SIM_SOURCE_HASH="${digest}")
endfunction()
