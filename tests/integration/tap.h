/* A link that sits on another one and does to its packets what an attacker on the way can do. */
#ifndef LS_TAP_H
#define LS_TAP_H

#include <lockstep/link.h>

typedef struct tap_config {
    uint64_t seed;
    uint32_t replays;   /* every packet of the tick channel is followed by so many old ones */
    uint32_t forgeries; /* and by so many with changed, cut or random bytes */
} tap_config;

/* The tap owns `inner`. Destroying or killing it is destroying that. */
ls_link *tap_create(ls_link *inner, const tap_config *config);

#endif
