# The program in one file, for an image without a system (docker/Dockerfile.static). glibc cannot load a simulation into
# such a program, so it has the built-in ones only. Debian has no static libenet: scripts/static-enet makes one.
option(LOCKSTEP_STATIC "Link the program statically, without the loading of simulations" OFF)
if(LOCKSTEP_STATIC)
  set(LOCKSTEP_SHARED OFF)
  set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
  set(PKG_CONFIG_ARGN --static)
endif()
