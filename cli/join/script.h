/* Reads inputs from a file, for `join --input script:FILE`. A line has one input:
 *   TICK HEX        an order for this tick
 *   state TICK HEX  the player's state from this tick on
 * Ticks rise within each kind. Blank lines, and text after a '#', are ignored. */
#ifndef LS_SCRIPT_H
#define LS_SCRIPT_H

#include <lockstep/match.h>

#define LS_SCRIPT_BYTES_MAX (4u << 20)

typedef struct ls_script_line {
    uint64_t tick;
    uint32_t number; /* line number in the file, from 1 */
    uint16_t bytes;
    uint8_t data[LS_INPUT_BYTES_MAX];
} ls_script_line;

/* The lines of one kind, in the order of their ticks; each tick has at most one state. */
typedef struct ls_script_lines {
    ls_script_line *items;
    uint32_t count, capacity;
} ls_script_lines;

typedef struct ls_script {
    ls_script_lines orders, states;
} ls_script;

/* Reads a script from a file, or from a pipe until its end.
 *   errors  NOT_FOUND; LIMIT: over LS_SCRIPT_BYTES_MAX; USAGE: names the unreadable file, or the
 *           line and its mistake. *script is then empty
 *   owns    free with ls_script_reset() */
ls_status ls_script_read(const char *path, ls_script *script, ls_error *error) LS_MUST_USE;
/* Checks that the script suits a simulation with states of `state_bytes` bytes. `path` is for the
 * error's text.
 *   errors  USAGE: names the first line that does not suit */
ls_status ls_script_check(const ls_script *script, const char *path, uint32_t state_bytes,
                          ls_error *error) LS_MUST_USE;
void ls_script_reset(ls_script *script);

#endif
