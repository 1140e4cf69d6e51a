# The flags that every file of the engine and of every simulation is compiled with. They are part of
# the determinism contract (docs/determinism.md), so they live on one interface target.
include(CheckCCompilerFlag)
include(CheckCSourceCompiles)

add_library(lockstep_flags INTERFACE)
add_library(lockstep::sim ALIAS lockstep_flags) # its name in the installed package
target_compile_features(lockstep_flags INTERFACE c_std_17)
target_include_directories(lockstep_flags INTERFACE
  $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_compile_options(lockstep_flags INTERFACE
  -ffp-contract=off -fno-math-errno
  # A function without a prototype returns int: gcc 12 and clang 14 cut its pointers with a warning.
  $<$<COMPILE_LANGUAGE:C>:-Werror=implicit-function-declaration>
  $<$<COMPILE_LANG_AND_ID:C,GNU>:-fexcess-precision=fast>
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fexcess-precision=fast>)

if(WIN32) # a printf() that knows %zu and the widths of <inttypes.h>
  target_compile_definitions(lockstep_flags INTERFACE __USE_MINGW_ANSI_STDIO=1)
endif()

# Flags of our own tree only; a user's simulation chooses its own warnings.
add_library(lockstep_private INTERFACE)
target_link_libraries(lockstep_private INTERFACE lockstep_flags)
# Headers that are not public are included by their path from the root.
target_include_directories(lockstep_private INTERFACE ${CMAKE_CURRENT_SOURCE_DIR})
target_compile_definitions(lockstep_private INTERFACE XXH_FORCE_MEMORY_ACCESS=0 _GNU_SOURCE)
target_compile_options(lockstep_private INTERFACE
  -Wall -Wextra -Wno-missing-field-initializers -Wshadow $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes> $<$<COMPILE_LANGUAGE:C>:-Wmissing-prototypes>
  -Wvla -Wundef -Wpointer-arith
  -Wcast-align -Wwrite-strings -Wconversion -Wno-sign-conversion
  $<$<NOT:$<CONFIG:Release>>:-fno-omit-frame-pointer> -fvisibility=hidden -fPIC)
# A short loop that lies across two lines of the instruction cache can take twice the time. Advice,
# so a user's simulation chooses for itself.
check_c_compiler_flag(-falign-loops=64 LOCKSTEP_ALIGNS_LOOPS)
if(LOCKSTEP_ALIGNS_LOOPS)
  target_compile_options(lockstep_private INTERFACE
    "$<$<NOT:$<CONFIG:Debug>>:-falign-functions=64;-falign-loops=64>")
endif()
if(LOCKSTEP_WERROR)
  target_compile_options(lockstep_private INTERFACE -Werror)
endif()
if(LOCKSTEP_SANITIZE)
  target_compile_options(lockstep_flags INTERFACE
    -fsanitize=${LOCKSTEP_SANITIZE} -fno-sanitize-recover=all)
  target_link_options(lockstep_flags INTERFACE -fsanitize=${LOCKSTEP_SANITIZE})
endif()

set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# gcc 12 has no instructions to exchange a byte on riscv64, and calls libatomic.
check_c_source_compiles("#include <stdatomic.h>
  static atomic_bool flag;
  int main(int count, char **arguments) { (void)arguments; return atomic_exchange(&flag, count > 1); }"
  LOCKSTEP_HAS_ATOMIC_BYTES)
set(LOCKSTEP_ATOMIC)
if(NOT LOCKSTEP_HAS_ATOMIC_BYTES)
  set(LOCKSTEP_ATOMIC atomic)
endif()
