/* The numbers and names that a fleet of Agones is told about a server. */
#ifndef LS_AGONES_FACTS_H
#define LS_AGONES_FACTS_H

#include <lockstep/limits.h>

#include <stdbool.h>
#include <stdint.h>

/* The most names in a list of Agones. */
#define LS_AGONES_NAMES_MAX 1000

typedef struct ls_agones_facts {
    uint32_t rooms, rooms_max, players, players_max;
    uint32_t name_count, client_count;
    bool is_draining;                                      /* opens no further room */
    char names[LS_AGONES_NAMES_MAX][LS_ROOM_BYTES];        /* of rooms */
    char clients[LS_AGONES_NAMES_MAX][LS_CLIENT_ID_BYTES]; /* of players with a token; may repeat */
} ls_agones_facts;

#endif
