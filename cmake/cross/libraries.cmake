# zstd, libsodium and ENet, from the sources that scripts/matrix-sources unpacked.
file(GLOB zstd_sources ${LOCKSTEP_SOURCES}/zstd/lib/common/*.c ${LOCKSTEP_SOURCES}/zstd/lib/compress/*.c
  ${LOCKSTEP_SOURCES}/zstd/lib/decompress/*.c)
foreign_library(zstd ${zstd_sources})
if(LOCKSTEP_FOREIGN STREQUAL "-O0" AND NOT LOCKSTEP_LIBRARIES) # a fifth of the time
  foreign_options(zstd DEFINITIONS ZSTD_NO_INLINE=1)
  set_target_properties(zstd PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
endif()
target_include_directories(zstd SYSTEM INTERFACE ${LOCKSTEP_SOURCES}/zstd/lib)
foreign_options(zstd DEFINITIONS ZSTD_DISABLE_ASM=1 XXH_NAMESPACE=ZSTD_ INCLUDES ${LOCKSTEP_SOURCES}/zstd/lib)
add_library(PkgConfig::ZSTD ALIAS zstd)

# Without the definitions that its configure would make, libsodium uses its portable implementations.
set(sodium ${LOCKSTEP_SOURCES}/libsodium/src/libsodium)
file(GLOB_RECURSE sodium_sources ${sodium}/*.c)
set(VERSION matrix)
set(SODIUM_LIBRARY_VERSION_MAJOR 0)
set(SODIUM_LIBRARY_VERSION_MINOR 0)
configure_file(${sodium}/include/sodium/version.h.in ${CMAKE_BINARY_DIR}/sodium/sodium/version.h @ONLY)
configure_file(${sodium}/include/sodium/export.h ${CMAKE_BINARY_DIR}/sodium/sodium/export.h COPYONLY)
if(CMAKE_SYSTEM_NAME STREQUAL "WASI") # without a table of 30 KiB
  list(APPEND sodium_sources ${CMAKE_CURRENT_LIST_DIR}/sodium_base_point.c)
  set_source_files_properties(${sodium}/crypto_scalarmult/curve25519/ref10/x25519_ref10.c PROPERTIES
    COMPILE_DEFINITIONS ge25519_scalarmult_base=ls_sodium_base_multiple)
endif()
foreign_library(sodium ${sodium_sources})
target_include_directories(sodium SYSTEM INTERFACE ${sodium}/include ${CMAKE_BINARY_DIR}/sodium)
target_compile_definitions(sodium INTERFACE SODIUM_STATIC)
foreign_options(sodium DEFINITIONS CONFIGURED=1 SODIUM_STATIC
  INCLUDES ${sodium}/include ${sodium}/include/sodium ${CMAKE_BINARY_DIR}/sodium ${CMAKE_BINARY_DIR}/sodium/sodium)
add_library(PkgConfig::SODIUM ALIAS sodium)
if(CMAKE_SYSTEM_NAME STREQUAL "WASI") # for raise(), which ends the process, and for the prototype of arc4random_buf()
  target_compile_definitions(sodium PRIVATE _WASI_EMULATED_SIGNAL _GNU_SOURCE)
  target_link_libraries(sodium INTERFACE wasi-emulated-signal)
endif()

# The functions for sockets of ENet's system file get other names, so that those of proto/enet_socket.c are the only
# ones of theirs.
if(EXISTS ${LOCKSTEP_SOURCES}/enet AND NOT CMAKE_SYSTEM_NAME STREQUAL "WASI") # which has no sockets
  set(enet ${LOCKSTEP_SOURCES}/enet)
  set(system $<IF:$<BOOL:${WIN32}>,win32,unix>)
  if(NOT LOCKSTEP_LIBRARIES)
    add_library(enet_system OBJECT ${enet}/${system}.c)
    foreach(name create bind get_address set_option destroy send receive)
      target_compile_definitions(enet_system PRIVATE enet_socket_${name}=enet_system_socket_${name})
    endforeach()
    target_compile_definitions(enet_system PRIVATE _GNU_SOURCE HAS_FCNTL HAS_POLL HAS_INET_PTON HAS_INET_NTOP
      HAS_GETADDRINFO HAS_GETNAMEINFO HAS_SOCKLEN_T HAS_MSGHDR_FLAGS)
    target_include_directories(enet_system SYSTEM PRIVATE ${enet}/include)
    target_compile_options(enet_system PRIVATE -w ${LOCKSTEP_FOREIGN})
    set_target_properties(enet_system PROPERTIES POSITION_INDEPENDENT_CODE ${LOCKSTEP_SHARED})
  endif()
  foreign_library(enet ${enet}/callbacks.c ${enet}/compress.c ${enet}/host.c ${enet}/list.c ${enet}/packet.c
    ${enet}/peer.c ${enet}/protocol.c $<TARGET_OBJECTS:enet_system>)
  target_include_directories(enet SYSTEM INTERFACE ${enet}/include)
  foreign_options(enet INCLUDES ${enet}/include)
  if(WIN32)
    target_link_libraries(enet INTERFACE winmm ws2_32)
  endif()
  add_library(PkgConfig::ENET ALIAS enet)
endif()
