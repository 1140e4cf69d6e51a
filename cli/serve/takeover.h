/* `serve --take-over`: a process that continues the matches of another one, which records to the
 * same folder, when that one is drained (cli/serve/handover.h). Then it opens its other rooms.
 *   thread  that of the server */
#ifndef LS_TAKEOVER_H
#define LS_TAKEOVER_H

#include "cli/serve/rooms.h"
#include <lockstep/identity.h>

typedef struct ls_takeover ls_takeover;

typedef struct ls_takeover_config {
    const char *folder;
    ls_server *server;
    ls_rooms *rooms;
    const ls_program *program;
    const ls_public_key *key;
    ls_log *log;
} ls_takeover_config;

/* Waits in the folder for the other process.
 *   errors  those of ls_successor_listen()
 *   owns    the caller; what the config points to must exist as long as the take-over */
ls_status ls_takeover_create(const ls_takeover_config *config, ls_takeover **takeover,
                             ls_error *error) LS_MUST_USE;
void ls_takeover_destroy(ls_takeover *takeover); /* NULL is allowed */

/* Prints what it waits for. NULL is allowed. */
void ls_takeover_print(const ls_takeover *takeover);
/* Call it before each step of the server. True while the other process hands matches over: call it
 * again soon. NULL is allowed.
 *   errors  none; those of ls_rooms_open_new() are logged */
bool ls_takeover_step(ls_takeover *takeover);

#endif
