/* The result of a run: a running hash of its trace, and the first invariant that was broken. */
#ifndef LS_SIMULATION_VERDICT_H
#define LS_SIMULATION_VERDICT_H

#include <stdbool.h>
#include <stdint.h>

/* The invariants, in the order of docs/testing.md. */
enum invariant {
    HOLDS = 0,
    EQUAL_ROOTS,     /* each tick has one root, on every node */
    NAMED_DESYNC,    /* a planted difference is reported within its time, with tick and client */
    NO_FALSE_DESYNC, /* no other client is accused */
    INPUT_ONCE,      /* an accepted input is in exactly one tick, byte for byte, in its order */
    TICK_STAYS,      /* a tick that was sent never changes */
    REPLAY_EQUAL,    /* the recording gives the roots of the match */
    DURABLE, /* after a crash, the recording is a valid prefix, with every tick that was said to be
                on the disk */
    SOUND,   /* no crash, no queue without bound, and a seat is taken just when a session has it */
    CONVERGES,  /* without faults all clients converge, and the match ends */
    CONTAINED,  /* a slow or hostile peer harms only itself */
    REPEATABLE, /* the same seed gives the same trace */
};
#define INVARIANTS_END (REPEATABLE + 1)

const char *invariant_name(enum invariant which);

struct verdict {
    enum invariant broken;
    char text[400];
    uint64_t now_ns; /* set by the run */
    uint64_t trace;
    uint64_t lines;
    bool is_printing;
};

/* Reports a broken invariant; only the first report is kept. */
void verdict_fail(struct verdict *self, enum invariant broken, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Adds a line to the trace. */
void verdict_note(struct verdict *self, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
