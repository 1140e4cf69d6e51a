# CMake 3.25 has no description of WebAssembly System Interface. Nothing in it differs from the defaults.
set(CMAKE_EXECUTABLE_SUFFIX "")
