/* Compares the roots that clients report with the server's own. A root is of the world *before*
 * its tick. The server simulates after it closes ticks, so a report may come before the server has
 * a root: it is held. Reports are unordered, so a wrong one waits a moment for those of earlier
 * ticks: the verdict names the first tick that differs. */
#ifndef LS_REFEREE_H
#define LS_REFEREE_H

#include <lockstep/limits.h>

#include <lockstep/base.h>

typedef struct ls_referee {
    uint64_t next;  /* tick of the next root */
    uint64_t first; /* tick of the first root */
    uint64_t roots[LS_SERVER_ROOTS];
} ls_referee;

typedef struct ls_referee_held {
    uint64_t tick, root;
} ls_referee_held;

/* The state of one client. */
typedef struct ls_referee_case {
    uint32_t held_count;
    ls_referee_held held[LS_SERVER_REPORTS_HELD]; /* in the order of arrival */
    uint64_t right_count;
    uint64_t right_next;  /* one above the highest tick that was right; 0: none yet */
    uint64_t reload_from; /* the client was told to reload: reports of earlier ticks are about its
                             old world and are ignored. UINT64_MAX: it has not asked for the
                             snapshot yet, so all reports are ignored */
    bool was_reloaded;    /* it has asked for the snapshot: a wrong report of tick `reload_from`
                             itself may still be about the old world */
    bool is_suspect;
    bool has_diverged; /* decided; nothing changes afterwards */
    uint64_t tick;     /* the lowest wrong tick */
    uint64_t expected, found;
    uint64_t since_ns;
    uint64_t reported_next; /* one above the highest tick that was right or is held */
    uint64_t missed_from;   /* reported_next, and the server's next root, at its last message */
    uint64_t missed_next;
    uint64_t missed; /* ticks for which the client kept sending, without a root of a later tick */
} ls_referee_case;

typedef enum ls_report {
    LS_REPORT_IGNORED, /* too old, or the verdict has fallen */
    LS_REPORT_REFUSED, /* of an open tick, or too many are held: it is to come again */
    LS_REPORT_HELD,    /* until the server has a root of its tick */
    LS_REPORT_RIGHT,
    LS_REPORT_WRONG,
} ls_report;

/* The first root will be that before tick `first`. */
void ls_referee_init(ls_referee *referee, uint64_t first);
/* Adds the server's root before its tick `referee->next`. */
void ls_referee_push(ls_referee *referee, uint64_t root);

/* One report; `closed` is the next tick that the server will close: later ticks are ignored. */
ls_report ls_referee_report(const ls_referee *referee, ls_referee_case *client,
                            ls_referee_held report, uint64_t closed, uint64_t now_ns);
/* Checks held reports after a push. True when one of them was right at a tick >= `near`. */
bool ls_referee_check_held(const ls_referee *referee, ls_referee_case *client, uint64_t near,
                           uint64_t now_ns);
/* Called for each message of the client. True when it keeps sending but its roots stopped: none of
 * a later tick came for `ticks_max` ticks of the server; counting then starts again. Between two
 * messages at most `step_max` ticks count, so silence, loading and a server that catches up
 * do not count. */
bool ls_referee_is_mute(const ls_referee *referee, ls_referee_case *client, uint64_t ticks_max,
                        uint64_t step_max) LS_MUST_USE;
/* True once, when the verdict falls and its tick is final: every root before was right, or
 * `grace_ns` have passed since the first wrong one. Call it after reports and in each step. */
bool ls_referee_decide(ls_referee_case *client, uint64_t grace_ns, uint64_t now_ns) LS_MUST_USE;
/* The first tick from which its world may have differed: the verdict's, or an earlier one when the
 * reports between were lost. */
uint64_t ls_referee_unreported_from(const ls_referee_case *client);

#endif
