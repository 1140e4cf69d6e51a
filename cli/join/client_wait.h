/* Waiting for the links of many clients at once: only those that have packets are looked at. */
#ifndef LS_CLIENT_WAIT_H
#define LS_CLIENT_WAIT_H

#include <lockstep/link.h>

struct epoll_event;

typedef struct ls_client_wait {
    int file;
    struct epoll_event *events;
    uint32_t count;
} ls_client_wait;

/*   errors  IO: no descriptor; the zeroed wait may be closed all the same */
ls_status ls_client_wait_open(ls_client_wait *wait, uint32_t count, ls_error *error) LS_MUST_USE;
void ls_client_wait_close(ls_client_wait *wait);

/* Adds a link over ENet under its number, 0..count-1. */
ls_status ls_client_wait_add(ls_client_wait *wait, const ls_link *link, uint32_t number,
                             ls_error *error) LS_MUST_USE;

/* As ls_loop_wait(), for all links: sets the flag of each that has something. */
void ls_client_wait_for(ls_client_wait *wait, uint64_t wake_ns, uint8_t *flags);

#endif
