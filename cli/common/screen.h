/* The terminal as a screen of characters (ncurses). The terminal is restored however the process
 * ends: normally, by a signal or by a failed assertion. */
#ifndef LS_SCREEN_H
#define LS_SCREEN_H

#include <lockstep/base.h>

typedef enum ls_screen_colours {
    LS_SCREEN_AUTO,   /* if the terminal has colours, unless the variable NO_COLOR has a value */
    LS_SCREEN_ALWAYS, /* if the terminal has colours */
    LS_SCREEN_NEVER,
} ls_screen_colours;

/* Called once per process. `instead` names a command that needs no terminal.
 *   errors  USAGE: stdin or stdout is no terminal, or the terminal's type is unknown
 *   owns    ls_screen_end
 *   thread  main; so are all calls of ncurses */
ls_status ls_screen_begin(const char *instead, ls_screen_colours colours,
                          ls_error *error) LS_MUST_USE;
void ls_screen_end(void);

/* Returns whether SIGINT, SIGTERM or SIGHUP asked for the end, or the terminal is gone. */
bool ls_screen_is_over(void);
/* Waits at most `wait_ms` for a key and returns it; -1 if there is none. KEY_RESIZE: all must be
 * drawn anew. */
int ls_screen_key(uint32_t wait_ms);

#endif
