# lockstep-N.dll, where N is LS_ABI, with all that is public, liblockstep.a, and a player that finds everything in the DLL. What they need of
# others is inside.
set(objects $<TARGET_OBJECTS:ls_core> $<TARGET_OBJECTS:ls_proto> $<TARGET_OBJECTS:ls_replays>
  $<TARGET_OBJECTS:ls_server> $<TARGET_OBJECTS:ls_client>)

file(GLOB public_headers CONFIGURE_DEPENDS ${root}/include/lockstep/*.h)
lockstep_exports(exports LS_API ${public_headers})
list(REMOVE_ITEM exports ls_sim_float_faults) # each module has its own
list(JOIN exports "\n  " exports)
file(WRITE ${CMAKE_BINARY_DIR}/lockstep.def "EXPORTS\n  ${exports}\n")

add_library(lockstep_shared SHARED ${objects} ${CMAKE_BINARY_DIR}/lockstep.def)
add_library(lockstep_static STATIC ${objects} $<TARGET_OBJECTS:xxhash> $<TARGET_OBJECTS:jansson> $<TARGET_OBJECTS:zstd>
  $<TARGET_OBJECTS:sodium> $<TARGET_OBJECTS:enet> $<TARGET_OBJECTS:enet_system>)
set_target_properties(lockstep_shared lockstep_static PROPERTIES OUTPUT_NAME lockstep LINKER_LANGUAGE C)
# Programs of two versions can share a folder, as with the soname of Linux; the import library has the name to link with.
set_target_properties(lockstep_shared PROPERTIES PREFIX "" RUNTIME_OUTPUT_NAME lockstep-${LOCKSTEP_ABI})
target_link_options(lockstep_shared PRIVATE -static -Wl,--no-undefined)
target_link_libraries(lockstep_shared PRIVATE xxhash jansson zstd sodium enet ws2_32 winmm)

# The simulations as objects: as libraries they would bring the static engine with them.
add_executable(player_dll ${root}/tests/determinism/player.c $<TARGET_OBJECTS:ls_sims> $<TARGET_OBJECTS:ls_physics>
  $<TARGET_OBJECTS:ls_cannon> $<TARGET_OBJECTS:ls_colony> $<TARGET_OBJECTS:ls_disjoint> $<TARGET_OBJECTS:ls_fountain> $<TARGET_OBJECTS:ls_regatta> $<TARGET_OBJECTS:ls_skirmish> $<TARGET_OBJECTS:ls_toyphys>)
target_link_libraries(player_dll PRIVATE lockstep_private lockstep_shared pthread)

# The program exports the same to simulations in DLLs, which link with liblockstep_sim.dll.a.
set(linked $<TARGET_FILE:ls_core> $<TARGET_FILE:ls_proto> $<TARGET_FILE:ls_replays> $<TARGET_FILE:ls_server>
  $<TARGET_FILE:ls_client>)
set_target_properties(lockstep PROPERTIES ARCHIVE_OUTPUT_NAME lockstep_sim)
target_link_libraries(lockstep PRIVATE ${CMAKE_BINARY_DIR}/lockstep.def)
target_link_options(lockstep PRIVATE -static -Wl,--whole-archive ${linked} -Wl,--no-whole-archive)
