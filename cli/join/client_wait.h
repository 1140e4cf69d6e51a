/* Waits for the links of many clients at once. The cost of a wake-up depends only on the links that
 * have packets. */
#ifndef LS_CLIENT_WAIT_H
#define LS_CLIENT_WAIT_H

#include <lockstep/link.h>

struct ls_client_wait_event; /* the system's */

typedef struct ls_client_wait {
    int file;
    struct ls_client_wait_event *events;
    uint32_t count;
} ls_client_wait;

/* Opens a wait for up to `count` links.
 *   errors  IO: no descriptor; ls_client_wait_close() may be called all the same */
ls_status ls_client_wait_open(ls_client_wait *wait, uint32_t count, ls_error *error) LS_MUST_USE;
void ls_client_wait_close(ls_client_wait *wait);

/* Adds an ENet link under its number, 0..count-1. */
ls_status ls_client_wait_add(ls_client_wait *wait, const ls_link *link, uint32_t number,
                             ls_error *error) LS_MUST_USE;

/* Waits as ls_loop_wait() does, but for all links. Sets flags[number] of each link that has
 * packets. */
void ls_client_wait_for(ls_client_wait *wait, uint64_t wake_ns, uint8_t *flags);

#endif
