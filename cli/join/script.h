/* Inputs from a file, for `join --input script:FILE`: a line for each.
 *     TICK HEX        an order that wishes for this tick
 *     state TICK HEX  what the player holds from this tick on
 * Ticks rise; blank lines and what follows a '#' are left out. */
#ifndef LS_SCRIPT_H
#define LS_SCRIPT_H

#include <lockstep/match.h>

#define LS_SCRIPT_BYTES_MAX (4u << 20)

typedef struct ls_script_line {
    uint64_t tick;
    uint32_t number; /* in the file, from 1 */
    uint16_t bytes;
    uint8_t data[LS_INPUT_BYTES_MAX];
} ls_script_line;

/* One kind's, in the order of their ticks; states have each tick once. */
typedef struct ls_script_lines {
    ls_script_line *items;
    uint32_t count, capacity;
} ls_script_lines;

typedef struct ls_script {
    ls_script_lines orders, states;
} ls_script;

/* Reads a script from any readable file; a pipe is read to its end.
 *   errors  NOT_FOUND; LIMIT above LS_SCRIPT_BYTES_MAX; USAGE names the file that cannot be read,
 *           or the line and what is wrong with it. *script is then empty
 *   owns    ls_script_reset */
ls_status ls_script_read(const char *path, ls_script *script, ls_error *error) LS_MUST_USE;
/* Checks that the script suits a simulation with states of `state_bytes` bytes; `path` is for the
 * error's text.
 *   errors  USAGE names the first line that does not */
ls_status ls_script_check(const ls_script *script, const char *path, uint32_t state_bytes,
                          ls_error *error) LS_MUST_USE;
void ls_script_reset(ls_script *script);

#endif
