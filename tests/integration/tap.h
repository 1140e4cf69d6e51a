/* A link on top of another one that does to its packets what an attacker on the path can do. */
#ifndef LS_TAP_H
#define LS_TAP_H

#include <lockstep/link.h>

typedef struct tap_config {
    uint64_t seed;
    uint32_t replays;   /* old packets that follow each packet of the tick channel */
    uint32_t forgeries; /* packets with changed, cut or random bytes that follow */
    /* Sees each datagram outside of a connection once it is under way; NULL: none does. */
    void (*see)(void *context, const uint8_t *data, uint32_t bytes);
    void *context;
} tap_config;

/* The tap owns `inner`, and destroys or kills it with itself. */
ls_link *tap_create(ls_link *inner, const tap_config *config);

#endif
