# In the place of what is compiled here for no machine.
#
# ncurses: this machine's headers, and functions that open no terminal. So `lockstep watch` is compiled, and says there
# that it has none.
foreach(name curses.h ncurses_dll.h unctrl.h)
  find_file(found_${name} ${name} PATHS /usr/include NO_DEFAULT_PATH REQUIRED)
  configure_file(${found_${name}} ${headers}/${name} COPYONLY)
endforeach()
set(functions cbreak clearok curs_set delscreen endwin has_colors init_pair keypad newterm nodelay noecho resizeterm
  set_escdelay start_color use_default_colors waddch waddnstr wattr_off wattr_on wattrset werase wgetch whline wmove
  wrefresh wvline)
set(text "int COLS, LINES;\nvoid *curscr, *stdscr;\n")
foreach(name IN LISTS functions)
  string(APPEND text "void *${name}(void) { return 0; }\n")
endforeach()
file(WRITE ${CMAKE_BINARY_DIR}/ncurses.c "${text}")
add_library(ncurses STATIC ${CMAKE_BINARY_DIR}/ncurses.c)
target_compile_options(ncurses PRIVATE -w -fno-builtin)
target_include_directories(ncurses SYSTEM INTERFACE ${headers})
add_library(PkgConfig::NCURSES ALIAS ncurses)

# musl-gcc links gcc's library for glibc, which asks glibc for the tables of a function. Without an answer a call stack is
# one function deep.
if(CMAKE_C_COMPILER MATCHES "musl")
  file(WRITE ${CMAKE_BINARY_DIR}/find_object.c "int _dl_find_object(void *at, void *found) { return -1; }\n")
  add_library(find_object OBJECT ${CMAKE_BINARY_DIR}/find_object.c)
  target_compile_options(find_object PRIVATE -w)
  target_link_libraries(ncurses INTERFACE $<TARGET_OBJECTS:find_object>) # which the program alone links
endif()
