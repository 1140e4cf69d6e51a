/* The terminal as a screen of characters (ncurses). Every way out restores it: the end, a signal, a
 * failed assertion. */
#ifndef LS_SCREEN_H
#define LS_SCREEN_H

#include <lockstep/base.h>

/* Called once per process.
 *   errors  USAGE: stdin or stdout is no terminal, or of an unknown kind
 *   owns    ls_screen_end
 *   thread  main; so are all calls of ncurses */
ls_status ls_screen_begin(ls_error *error) LS_MUST_USE;
void ls_screen_end(void);

/* A signal (SIGINT, SIGTERM, SIGHUP) asked for the end, or the terminal is gone. */
bool ls_screen_is_over(void);
/* The next key, after at most `wait_ms`; -1 when there is none. */
int ls_screen_key(uint32_t wait_ms);

#endif
