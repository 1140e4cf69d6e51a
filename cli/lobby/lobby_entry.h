/* One server as a lobby knows it: where it is, and which rooms are open there. Servers register as
 * JSON, which may be hostile. */
#ifndef LS_LOBBY_ENTRY_H
#define LS_LOBBY_ENTRY_H

#include "cli/serve/metrics.h"
#include "core/base/builder.h"
#include <lockstep/server_address.h>

/* The longest JSON of one server. */
#define LS_LOBBY_ENTRY_BYTES_MAX (1u << 20)
#define LS_LOBBY_SIM_BYTES       64

typedef struct ls_lobby_room {
    char name[LS_ROOM_BYTES]; /* "": the only room of a server may have no name */
    char state[12];           /* as ls_metrics_state_name() */
    uint32_t players, seats;
    bool requires_token;
} ls_lobby_room;

typedef struct ls_lobby_entry {
    char address[LS_SERVER_ADDRESS_TEXT_BYTES]; /* HOST:PORT#KEY */
    char sim[LS_LOBBY_SIM_BYTES];
    uint32_t rooms_max, room_count; /* rooms_max 0: no room opens on demand */
    uint32_t promised;    /* rooms that a lobby has had opened, and that are not listed yet */
    uint64_t promised_ns; /* when the last of them was promised */
    bool is_draining;
    ls_lobby_room *rooms;
} ls_lobby_entry;

void ls_lobby_entry_reset(ls_lobby_entry *entry);
/* Fills in the rooms and is_draining from the metrics of this process; the caller sets address, sim
 * and rooms_max. */
void ls_lobby_entry_take(ls_lobby_entry *entry, const ls_metrics *metrics);
void ls_lobby_entry_print(const ls_lobby_entry *entry, ls_builder *text);
/* Reads what ls_lobby_entry_print() writes.
 *   errors  LS_ERROR_CORRUPT: the text is no entry; *entry is then zeroed
 *   owns    ls_lobby_entry_reset() by the caller */
ls_status ls_lobby_entry_read(const char *json, size_t bytes, ls_lobby_entry *entry,
                              ls_error *error) LS_MUST_USE;

/* Whether players may still enter. */
bool ls_lobby_room_is_open(const ls_lobby_room *room);

#endif
