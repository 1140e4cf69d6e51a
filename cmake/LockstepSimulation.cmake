# lockstep_add_simulation(NAME [BUILTIN] SOURCES file.c [file.h ...])
#
# Adds a simulation. By default the target NAME is a module NAME.so that `lockstep run`, `serve` and
# `join` load with --sim; its ls_* symbols come from the binary that loads it, so that a module
# carries no second copy of the engine. With BUILTIN it is a static library to link into a program.
# The hash of the sources is compiled in and becomes part of the simulation's fingerprint, so that
# two machines that run other code refuse each other instead of diverging. Headers belong into
# SOURCES for the same reason. The same file serves this tree and the installed package.
function(lockstep_add_simulation name)
  cmake_parse_arguments(SIM "BUILTIN" "" "SOURCES" ${ARGN})
  if(NOT SIM_SOURCES)
    message(FATAL_ERROR "lockstep_add_simulation(${name}): SOURCES is empty")
  endif()
  set(digest "")
  foreach(source IN LISTS SIM_SOURCES)
    get_filename_component(path ${source} ABSOLUTE)
    file(SHA256 ${path} hash)
    string(APPEND digest "${hash}\n")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
  endforeach()
  string(SHA256 digest "${digest}")

  if(SIM_BUILTIN)
    add_library(${name} STATIC ${SIM_SOURCES})
    if(TARGET ls_core)
      target_link_libraries(${name} PRIVATE lockstep_private ls_core)
    else()
      target_link_libraries(${name} PRIVATE lockstep::lockstep)
    endif()
  else()
    add_library(${name} MODULE ${SIM_SOURCES})
    set_target_properties(${name} PROPERTIES PREFIX "" C_VISIBILITY_PRESET hidden)
    target_link_libraries(${name} PRIVATE lockstep::sim)
  endif()
  target_compile_definitions(${name} PRIVATE LS_SIM_SOURCE_HASH="${digest}")
endfunction()
