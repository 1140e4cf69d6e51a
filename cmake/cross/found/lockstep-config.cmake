# What find_package(lockstep) of a user's project finds in a build for WebAssembly: the targets of this build. Its programs
# have a library to name, and are not built.
if(NOT TARGET lockstep::lockstep)
  add_library(lockstep::lockstep INTERFACE IMPORTED GLOBAL)
endif()
