/* The seats of one match, and the last frame built from them. */
#ifndef LS_SEATS_FIXTURE_H
#define LS_SEATS_FIXTURE_H

#include "server/seats.h"
#include "tests/support/test.h"

typedef struct fixture {
    ls_seats seats;
    ls_frame frame;
    ls_seats_taken taken;
    uint64_t tick;
} fixture;

static inline int fixture_begin(void **state, const ls_sim *sim, const ls_match *match)
{
    fixture *f = ls_alloc(sizeof *f);
    ls_seats_init(&f->seats, sim, match);
    *state = f;
    return 0;
}

static inline int end(void **state)
{
    fixture *f = *state;
    ls_seats_reset(&f->seats);
    ls_free(f);
    return 0;
}

#endif
