/* Compares the roots that clients report with the server's own. A root is of the world *before* its
 * tick. The server simulates after it closes ticks, so a report may precede the server's root; it
 * is held until then. Reports may arrive out of order. So a wrong one waits for reports of earlier
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

/* The report of one root, or of a batch (proto/root_batch.h). */
typedef struct ls_referee_held {
    uint64_t tick; /* of the first root */
    uint64_t root;
    uint32_t more; /* roots after the first: `root` is the number of the batch. 0: no batch */
} ls_referee_held;

/* The state of one client. */
typedef struct ls_referee_case {
    uint32_t held_count;
    ls_referee_held held[LS_SERVER_REPORTS_HELD]; /* in the order of arrival */
    uint64_t right_count;
    uint64_t right_next; /* one above the highest tick with a right root; 0: none yet */
    /* A bit for each of the LS_SERVER_ROOTS ticks before `right_next`, by tick modulo
     * LS_SERVER_ROOTS: its root was right. */
    uint64_t right_bits[LS_SERVER_ROOTS / 64];
    uint64_t reload_from; /* the client was told to reload: reports of earlier ticks are about its
                             old world and are ignored. UINT64_MAX: all reports are ignored until it
                             asks for the snapshot */
    bool was_reloaded;    /* it has asked for the snapshot: a wrong root of tick `reload_from` may
                             still be of the old world */
    bool is_suspect;      /* a wrong root has come */
    bool has_diverged;    /* the verdict has fallen and is final */
    uint64_t tick;        /* the lowest wrong tick; of a wrong batch the last one */
    uint32_t more;        /* ticks before it of the same wrong batch; 0: no batch */
    uint64_t expected, found; /* the server's and the client's root of `tick`, or of the batch */
    uint64_t since_ns;        /* when the first wrong root came */
    uint64_t reported_next;   /* one above the highest tick with a right or held root */
    uint64_t missed_from;     /* reported_next at the client's last message */
    uint64_t missed_next;     /* the referee's `next` at the client's last message */
    uint64_t missed; /* ticks in which the client sent messages but no root of a later tick */
} ls_referee_case;

typedef enum ls_report {
    LS_REPORT_IGNORED, /* too old, of a world that the client has replaced, or after the verdict */
    LS_REPORT_REFUSED, /* of an open tick, too many are held, or a batch that begins too early: the
                          client must send it again, or its roots one by one */
    LS_REPORT_HELD,    /* held until the server has a root of its tick */
    LS_REPORT_RIGHT,
    LS_REPORT_WRONG,
} ls_report;

/* The first root to be pushed is the root before tick `first`. */
void ls_referee_init(ls_referee *referee, uint64_t first);
/* Adds the server's root before its tick `referee->next`. */
void ls_referee_push(ls_referee *referee, uint64_t root);

/* Judges one report. `closed` is the next tick that the server closes; reports of later ticks are
 * refused. */
ls_report ls_referee_report(const ls_referee *referee, ls_referee_case *client,
                            ls_referee_held report, uint64_t closed, uint64_t now_ns);
/* Checks the held reports after a push. True when one was right and of a tick >= `near`. */
bool ls_referee_check_held(const ls_referee *referee, ls_referee_case *client, uint64_t near,
                           uint64_t now_ns);
/* Called for each message of the client. True when it still sends messages but its roots have
 * stopped: for `ticks_max` ticks of the server, none of a later tick came. The count then restarts.
 * Between two messages at most `step_max` ticks count, so silence, loading and a server that
 * catches up do not count. */
bool ls_referee_is_mute(const ls_referee *referee, ls_referee_case *client, uint64_t ticks_max,
                        uint64_t step_max) LS_MUST_USE;
/* True once, when the verdict falls: the root before was right, or `grace_ns` have passed since the
 * first wrong one. Call it after reports and in each step. */
bool ls_referee_decide(ls_referee_case *client, uint64_t grace_ns, uint64_t now_ns) LS_MUST_USE;
/* The first tick at which the client's world may have differed: the verdict's tick, or an earlier
 * one if reports before it are missing. A right root of a later tick does not replace these: a
 * world that differed may equal the server's again. */
uint64_t ls_referee_unreported_from(const ls_referee_case *client);

#endif
