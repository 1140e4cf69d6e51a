/* The facts that Agones gives about the GameServer of this process: lines of JSON of GET
 * /watch/gameserver. They come from another process, in parts of any size, and may be hostile.
 *   source  https://agones.dev/site/docs/guides/client-sdks/rest/ */
#ifndef LS_AGONES_GAMESERVER_H
#define LS_AGONES_GAMESERVER_H

#include "core/base/builder.h"
#include <lockstep/limits.h>
#include <lockstep/server_address.h>

/* The longest line: more than a resource of Kubernetes may have. */
#define LS_AGONES_LINE_BYTES_MAX (2u << 20)
/* The most bytes of an annotation of an allocation, with its terminating zero. A longer one is
 * refused. */
#define LS_AGONES_TEXT_BYTES 512

/* The wishes of an allocation: annotations `lockstep.dev/NAME`, "" for one that is not given. */
typedef struct ls_agones_allocation {
    char id[64]; /* agones.dev/last-allocated: differs for each allocation */
    char room[LS_AGONES_TEXT_BYTES], seed[LS_AGONES_TEXT_BYTES], players[LS_AGONES_TEXT_BYTES];
    char options[LS_AGONES_TEXT_BYTES], tokens[LS_AGONES_TEXT_BYTES];
    const char *wrong; /* the first annotation that is too long or no text; NULL: none */
} ls_agones_allocation;

/* Numbers and names that a GameServer may have a place for. */
typedef enum ls_agones_tally {
    LS_AGONES_COUNTER_ROOMS,
    LS_AGONES_COUNTER_PLAYERS,
    LS_AGONES_LIST_ROOMS,
    LS_AGONES_LIST_PLAYERS,
    LS_AGONES_TALLIES,
} ls_agones_tally;

typedef struct ls_agones_gameserver {
    char state[32];              /* such as Ready or Allocated */
    char address[LS_HOST_BYTES]; /* where players reach it; "": not yet known */
    uint16_t port;               /* the port named `lockstep`, or else the first; 0: none */
    uint32_t health_s;           /* health.periodSeconds: a ping is due in each; 0: not given */
    bool has_tally[LS_AGONES_TALLIES];
    ls_agones_allocation allocation;
} ls_agones_gameserver;

/* Whether the GameServer was allocated for a room. */
bool ls_agones_gameserver_is_allocated(const ls_agones_gameserver *gameserver);

/* Reads {"result": {...}}, or the object alone.
 *   errors  LS_ERROR_CORRUPT: no such JSON; *gameserver is then unspecified */
ls_status ls_agones_gameserver_read(const char *json, size_t bytes,
                                    ls_agones_gameserver *gameserver, ls_error *error) LS_MUST_USE;

/* Appends a part of the stream to `rest`, the bytes after the last whole line, and calls `take` for
 * each line that is now whole. False: `take` returned false, or a line is too long. */
bool ls_agones_gameserver_split(ls_builder *rest, const char *data, size_t bytes,
                                bool (*take)(void *context, const char *line, size_t bytes),
                                void *context) LS_MUST_USE;

#endif
