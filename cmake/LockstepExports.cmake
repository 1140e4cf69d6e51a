# LOCKSTEP_ABI: that of the headers, which is in the names of the shared libraries.
file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/../include/lockstep/base.h abi REGEX "^#define LS_ABI [0-9]+$")
string(REGEX REPLACE "^#define LS_ABI " "" LOCKSTEP_ABI "${abi}")

# The names of the functions that files declare with a marker, such as LS_API. CMake runs again when a file changes.
#   lockstep_exports(RESULT MARKER FILE...)   MARKER: a regular expression
function(lockstep_exports result marker)
  set(names "")
  foreach(file IN LISTS ARGN)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    file(READ ${file} text)
    # Brackets and semicolons have a meaning in CMake's lists.
    string(REGEX REPLACE "[];[]" " " text "${text}")
    string(REGEX MATCHALL "\n(${marker})[ \n][^()#/]*[ *\n](ls|enet)_[a-z0-9_]+\\(" functions "${text}")
    foreach(function IN LISTS functions)
      string(REGEX REPLACE "^.*[ *\n]([a-z0-9_]+)\\($" "\\1" name "${function}")
      list(APPEND names ${name})
    endforeach()
  endforeach()
  set(${result} "${names}" PARENT_SCOPE)
endfunction()
