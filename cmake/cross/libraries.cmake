# zstd and libsodium in plain C, from the sources that scripts/matrix-sources unpacked.
file(GLOB zstd_sources ${LOCKSTEP_SOURCES}/zstd/lib/common/*.c ${LOCKSTEP_SOURCES}/zstd/lib/compress/*.c
  ${LOCKSTEP_SOURCES}/zstd/lib/decompress/*.c)
add_library(zstd STATIC ${zstd_sources})
target_include_directories(zstd SYSTEM PUBLIC ${LOCKSTEP_SOURCES}/zstd/lib)
target_compile_definitions(zstd PRIVATE ZSTD_DISABLE_ASM=1 XXH_NAMESPACE=ZSTD_)
target_compile_options(zstd PRIVATE -w)

# Without the definitions that its configure would make, libsodium uses its portable implementations.
set(sodium ${LOCKSTEP_SOURCES}/libsodium/src/libsodium)
file(GLOB_RECURSE sodium_sources ${sodium}/*.c)
set(VERSION matrix)
set(SODIUM_LIBRARY_VERSION_MAJOR 0)
set(SODIUM_LIBRARY_VERSION_MINOR 0)
configure_file(${sodium}/include/sodium/version.h.in ${CMAKE_BINARY_DIR}/sodium/sodium/version.h @ONLY)
configure_file(${sodium}/include/sodium/export.h ${CMAKE_BINARY_DIR}/sodium/sodium/export.h COPYONLY)
add_library(sodium STATIC ${sodium_sources})
target_include_directories(sodium SYSTEM PUBLIC ${sodium}/include ${CMAKE_BINARY_DIR}/sodium
  PRIVATE ${sodium}/include/sodium ${CMAKE_BINARY_DIR}/sodium/sodium)
target_compile_definitions(sodium PUBLIC SODIUM_STATIC PRIVATE CONFIGURED=1)
target_compile_options(sodium PRIVATE -w)
if(CMAKE_SYSTEM_NAME STREQUAL "WASI") # for raise(), which ends the process
  target_compile_definitions(sodium PRIVATE _WASI_EMULATED_SIGNAL)
  target_link_libraries(sodium PUBLIC wasi-emulated-signal)
endif()
