/* All servers that a lobby knows, and their rooms by name. */
#ifndef LS_LOBBY_DIRECTORY_H
#define LS_LOBBY_DIRECTORY_H

#include "cli/lobby/lobby_entry.h"

#define LS_LOBBY_SERVERS_MAX 4096
/* The most rooms in the list. */
#define LS_LOBBY_LIST_MAX 100

typedef struct ls_lobby_place {
    uint32_t server, room; /* indexes */
} ls_lobby_place;

/* The servers of a lobby, and their rooms. Zero it before the first call. */
typedef struct ls_lobby_directory {
    ls_lobby_entry *servers;
    uint32_t count, capacity;
    ls_lobby_place *places; /* all rooms, by name, then by the server's address */
    uint32_t place_count;
    ls_builder list; /* JSON of the open rooms */
} ls_lobby_directory;

void ls_lobby_directory_reset(ls_lobby_directory *directory);
/* Takes over a server's entry, and zeroes `*entry`. An entry beyond LS_LOBBY_SERVERS_MAX is
 * freed. */
void ls_lobby_directory_add(ls_lobby_directory *directory, ls_lobby_entry *entry);
/* Sorts the rooms and prints the list. Call it after the last server was added. */
void ls_lobby_directory_finish(ls_lobby_directory *directory);

/* Copies from `last` how many rooms each server was promised, less those that it has listed since.
 * A server's promises end LS_LOBBY_PROMISE_S after the last one. */
#define LS_LOBBY_PROMISE_S 10
void ls_lobby_directory_keep_promises(ls_lobby_directory *directory, const ls_lobby_directory *last,
                                      uint64_t now_ns);

/* The server of this address, or NULL. */
ls_lobby_entry *ls_lobby_directory_server(const ls_lobby_directory *directory, const char *address);
/* Finds a room; `server` is the address of one, or NULL for any. A room with a free seat is
 * preferred. NULL: there is none. */
const ls_lobby_place *ls_lobby_directory_find(const ls_lobby_directory *directory, const char *room,
                                              const char *server);
/* The server with the largest share of free rooms; `sim` may be NULL. NULL: none has a free room.
 */
ls_lobby_entry *ls_lobby_directory_choose(const ls_lobby_directory *directory, const char *sim);
/* Prints the object of one room. */
void ls_lobby_directory_print(const ls_lobby_directory *directory, const ls_lobby_place *place,
                              ls_builder *text);

#endif
