# liblockstep.so, beside the static library. Its soname has LS_ABI, not the version: docs/client.md.
# It exports what the public headers declare LS_API, and the functions of ENet that it replaces:
# libenet finds those of proto/enet_socket.c only through the symbol table.
option(LOCKSTEP_SHARED "Build liblockstep.so" ON)
get_filename_component(root ${CMAKE_CURRENT_LIST_DIR} DIRECTORY) # cmake/cross is another project
# A program that links a sanitized library needs the same sanitizer; version scripts are of ELF.
if(LOCKSTEP_SANITIZE OR NOT CMAKE_EXECUTABLE_FORMAT STREQUAL "ELF")
  set(LOCKSTEP_SHARED OFF)
endif()
if(NOT LOCKSTEP_SHARED)
  return()
endif()

# The map follows from the headers each time that CMake runs.
file(GLOB public_headers CONFIGURE_DEPENDS ${root}/include/lockstep/*.h)
lockstep_exports(names "LS_API|LS_REPLACES" ${public_headers} ${root}/proto/enet_socket.c)
set(exports "")
foreach(name IN LISTS names)
  string(APPEND exports "    ${name};\n")
endforeach()
set(map ${PROJECT_BINARY_DIR}/liblockstep.map)
file(GENERATE OUTPUT ${map} CONTENT
  "LOCKSTEP_${LOCKSTEP_ABI} {\n  global:\n${exports}  local:\n    *;\n};\n")

add_library(lockstep_shared SHARED
  $<TARGET_OBJECTS:ls_core> $<TARGET_OBJECTS:ls_proto> $<TARGET_OBJECTS:ls_replays>
  $<TARGET_OBJECTS:ls_server> $<TARGET_OBJECTS:ls_client>)
set_target_properties(lockstep_shared PROPERTIES
  OUTPUT_NAME lockstep EXPORT_NAME shared LINKER_LANGUAGE C
  VERSION ${LOCKSTEP_ABI}.${PROJECT_VERSION} SOVERSION ${LOCKSTEP_ABI} LINK_DEPENDS ${map})
target_link_libraries(lockstep_shared PUBLIC lockstep_flags PRIVATE
  PkgConfig::XXHASH PkgConfig::JANSSON PkgConfig::SODIUM PkgConfig::ENET
  PkgConfig::ZSTD Threads::Threads ${LOCKSTEP_ATOMIC} ${CMAKE_DL_LIBS})
# The library's calls of its own functions need no lookup by name.
target_link_options(lockstep_shared PRIVATE
  -Wl,--version-script=${map} -Wl,--no-undefined -Wl,-Bsymbolic-functions)
add_library(lockstep::shared ALIAS lockstep_shared)
