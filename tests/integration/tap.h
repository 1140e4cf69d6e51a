/* A link on top of another link. It treats packets as an attacker on the path could. */
#ifndef LS_TAP_H
#define LS_TAP_H

#include <lockstep/link.h>

typedef struct tap_config {
    uint64_t seed;
    uint32_t replays;   /* old packets sent after each packet of the tick channel */
    uint32_t forgeries; /* changed, cut or random packets sent after each of these packets */
    /* Called for each datagram outside a connection after it was sent; may be NULL. */
    void (*see)(void *context, const uint8_t *data, uint32_t bytes);
    void *context;
} tap_config;

/* The tap owns `inner` and destroys or kills it together with itself. */
ls_link *tap_create(ls_link *inner, const tap_config *config);

#endif
