/* Compares the roots that clients report with the server's own. A root is of the world *before* its
 * tick. Reports travel unordered, so a wrong one waits a moment for those of earlier ticks: the
 * verdict names the first tick that differs. */
#ifndef LS_REFEREE_H
#define LS_REFEREE_H

#include "server/server_limits.h"

#include "core/base.h"

typedef struct ls_referee {
    uint64_t next; /* tick of the next root */
    uint64_t roots[LS_SERVER_ROOTS];
} ls_referee;

/* What is known of one client. */
typedef struct ls_referee_case {
    uint64_t right_count;
    uint64_t right_next; /* one above the highest tick that was right; 0: none yet */
    bool is_suspect;
    bool has_diverged; /* decided; nothing changes any more */
    uint64_t tick;     /* the lowest that was wrong */
    uint64_t expected, found;
    uint64_t since_ns;
} ls_referee_case;

typedef enum ls_report {
    LS_REPORT_IGNORED, /* too old, of a tick to come, or the case is decided */
    LS_REPORT_RIGHT,
    LS_REPORT_WRONG,
} ls_report;

void ls_referee_init(ls_referee *referee);
/* The server's root before its tick `referee->next`. */
void ls_referee_push(ls_referee *referee, uint64_t root);

ls_report ls_referee_hear(const ls_referee *referee, ls_referee_case *client, uint64_t tick,
                          uint64_t root, uint64_t now_ns);
/* True once: when the case is ripe, its tick is final. Ask after reports and in each step. */
bool ls_referee_decide(ls_referee_case *client, uint64_t now_ns) LS_MUST_USE;

#endif
