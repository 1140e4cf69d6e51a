/* Compares the roots that clients report with the server's own. A root is of the world *before* its
 * tick. The server simulates behind its ticks, so a report may come before there is a root to
 * compare it with: it is held. Reports travel unordered, so a wrong one waits a moment for those of
 * earlier ticks: the verdict names the first tick that differs. */
#ifndef LS_REFEREE_H
#define LS_REFEREE_H

#include <lockstep/limits.h>

#include <lockstep/base.h>

typedef struct ls_referee {
    uint64_t next;  /* tick of the next root */
    uint64_t first; /* of the first that was pushed */
    uint64_t roots[LS_SERVER_ROOTS];
} ls_referee;

typedef struct ls_referee_held {
    uint64_t tick, root;
} ls_referee_held;

/* What is known of one client. */
typedef struct ls_referee_case {
    uint32_t held_count;
    ls_referee_held held[LS_SERVER_REPORTS_HELD]; /* in the order of arrival */
    uint64_t right_count;
    uint64_t right_next;  /* one above the highest tick that was right; 0: none yet */
    uint64_t reload_from; /* reports of ticks before it are of a world that was given up, or, at
                             UINT64_MAX, shall be */
    bool was_reloaded;    /* then a wrong report of tick `reload_from` may be of that world, too */
    bool is_suspect;
    bool has_diverged; /* decided; nothing changes any more */
    uint64_t tick;     /* the lowest that was wrong */
    uint64_t expected, found;
    uint64_t since_ns;
    uint64_t reported_next; /* one above the highest tick that was right or is held */
    uint64_t missed_from;   /* reported_next, and the server's next root, when it spoke last */
    uint64_t missed_next;
    uint64_t missed; /* ticks for which it went on speaking, and no root of a later one came */
} ls_referee_case;

typedef enum ls_report {
    LS_REPORT_IGNORED, /* too old, of a tick that was not closed, or the case is decided */
    LS_REPORT_HELD,    /* until there is a root of its tick */
    LS_REPORT_RIGHT,
    LS_REPORT_WRONG,
} ls_report;

/* Before the root of tick `first`. */
void ls_referee_init(ls_referee *referee, uint64_t first);
/* The server's root before its tick `referee->next`. */
void ls_referee_push(ls_referee *referee, uint64_t root);

/* A report; `closed` is the next tick that the server will close: what lies beyond is ignored. */
ls_report ls_referee_report(const ls_referee *referee, ls_referee_case *client,
                            ls_referee_held report, uint64_t closed, uint64_t now_ns);
/* Takes up what is held, after a push. True when one of them was right at a tick >= `near`. */
bool ls_referee_check_held(const ls_referee *referee, ls_referee_case *client, uint64_t near,
                           uint64_t now_ns);
/* The client has said something else than what was heard just now. True when its roots do not come
 * any more: for `ticks_max` ticks of the server's world there was none of a later tick; then it is
 * counted anew. Between two words of the client no more than `step_max` ticks count: whoever is
 * silent, or busy loading, or meets a server that catches up, withholds nothing. */
bool ls_referee_is_mute(const ls_referee *referee, ls_referee_case *client, uint64_t ticks_max,
                        uint64_t step_max) LS_MUST_USE;
/* True once: when the case is ripe, its tick is final. Ask after reports and in each step. */
bool ls_referee_decide(ls_referee_case *client, uint64_t now_ns) LS_MUST_USE;
/* The tick from which on its world may have differed: that of the case, or an earlier one when the
 * reports in between were lost. */
uint64_t ls_referee_unreported_from(const ls_referee_case *client);

#endif
