/* All that can be found out about the tick in which a replay leaves its recording: by running that
 * tick in other ways, until one ends as recorded, and from the column hashes and the states that
 * the file holds behind it. Plain text, so that it can be handed from process to process as it is.
 */
#ifndef LS_DEPARTURE_H
#define LS_DEPARTURE_H

#include "core/builder.h"
#include "core/program.h"
#include "replays/recording.h"
#include "replays/root_ring.h"

enum { LS_DEPARTURE_NAME_BYTES = 96, LS_DEPARTURE_TEXT_BYTES = 320 };

/* An empty text is what is not known. Longer ones are cut. */
typedef struct ls_departure {
    bool is_start; /* the state before the first tick differs already */
    uint64_t tick; /* that made the difference; of is_start the one before which it shows */
    uint64_t expected_root, found_root; /* behind it */
    char system[LS_DEPARTURE_NAME_BYTES];
    char component[LS_DEPARTURE_NAME_BYTES];
    char entity[LS_DEPARTURE_NAME_BYTES]; /* also empty for a singleton */
    char field[LS_DEPARTURE_NAME_BYTES];
    char expected[LS_DEPARTURE_NAME_BYTES], found[LS_DEPARTURE_NAME_BYTES];
    char line[LS_DEPARTURE_TEXT_BYTES];    /* of the store: `function at file:line` */
    char columns[LS_DEPARTURE_TEXT_BYTES]; /* components that differ where the file tells */
    char writers[LS_DEPARTURE_TEXT_BYTES]; /* systems that may write the component */
    char why[LS_DEPARTURE_TEXT_BYTES];     /* what the system did, in words */
    uint64_t agrees_tick; /* from here on all recorded roots agree again; 0: they do not */
    uint64_t seen_tick;   /* the state before it is what component or cell is of */
    char how[LS_DEPARTURE_TEXT_BYTES]; /* how all this is known, or why it is not */
} ls_departure;

/* The recording is read again, and left somewhere.
 *   thread  as ls_trap_begin() */
void ls_departure_find(ls_recording *recording, const ls_program *program,
                       const ls_root_difference *difference, ls_departure *departure);

/* Lines for people, each behind the indent. */
void ls_departure_print(const ls_departure *departure, const char *indent, ls_builder *text);
/* One JSON object. */
void ls_departure_json(const ls_departure *departure, ls_builder *text);

#endif
