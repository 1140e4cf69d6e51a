/* The configuration of a client. */
#ifndef LS_CLIENT_CONFIG_H
#define LS_CLIENT_CONFIG_H

#include <lockstep/evidence_limits.h>
#include <lockstep/executor.h>
#include <lockstep/limits.h>
#include <lockstep/link.h>
#include <lockstep/pass.h>
#include <lockstep/program.h>
#include <lockstep/world.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LS_TICK_NEVER UINT64_MAX

/* Start from ls_client_config_default(). Members marked `copied` are copied; all others must
 * outlive the client. */
typedef struct ls_client_config {
    const ls_program *program; /* must have the server's fingerprint */
    ls_link *link;             /* a fresh one to the server; not destroyed by the client */
    ls_executor *executor;     /* NULL: serial */
    const ls_entropy *entropy; /* NULL: the system's */

    /* Trust in the server: the pinned key (copied), else the keys that `trust` accepts, else any.
     * `trust` is asked after a server has proven its key and before a secret is sent: LS_OK, or a
     * refusal with a text for the user. Any host can answer a first datagram, so it is asked again
     * when another server answers. See include/lockstep/known_servers.h. */
    const ls_public_key *pin;
    ls_status (*trust)(void *context, const ls_public_key *shown, ls_error *error);
    void *trust_context;
    /* At most one of three, all copied: the server's password, the psk derived from it (32 bytes),
     * a matchmaker's pass. None: an open server. */
    const char *password;
    const uint8_t *psk;
    const ls_pass *pass;
    const uint8_t *resume_secret; /* LS_RESUME_BYTES of an earlier session, copied: take its seat */
    uint64_t resume_ns;           /* how long a lost session is tried to be resumed; 0: never */

    char name[LS_NAME_BYTES]; /* UTF-8 without control characters; may be empty */
    char room[LS_ROOM_BYTES]; /* "": any */
    const char *build; /* compiler, CPU, system: reported to the server, copied; may be NULL */
    bool is_spectator; /* takes no seat */
    bool is_bot;       /* the simulation's bot plays the seat */
    bool is_machine;   /* the caller plays and is a program: reported to the server, as for bots */
    uint64_t unix_s;   /* wall clock at the first step, for the server's certificate */
    uint32_t snapshot_bytes_max; /* a larger one is refused */
    /* Ticks that one step runs at most, 1..LS_CLIENT_STEP_TICKS: bounds the time of a step while
     * the client catches up. */
    uint32_t step_ticks;
    /* States of the last confirmed ticks are kept for the server's questions after a desync: for
     * how long, at most LS_CLIENT_EVIDENCE_MS_MAX (0: never), and in how much memory. */
    uint32_t evidence_ms;
    size_t evidence_bytes;

    /* For tests of desync detection: one bit of this client's world is flipped when it reaches this
     * tick; LS_TICK_NEVER: not. */
    uint64_t corrupt_at;
    uint64_t corrupt_pick; /* which bit: see ls_world_flip_bit */

    /* Called after each confirmed tick has run, with its frame; and after a snapshot was loaded.
     * Inside ls_client_step; both may only call the get, submit, world and set_limit functions of
     * the client. */
    void (*ran)(void *context, const ls_frame *frame);
    void (*loaded)(void *context);
    void *hook_context;

    /* Takes one line `event key=value ...` without a newline; NULL: no log. */
    void (*log)(void *context, const char *line);
    void *log_context;
} ls_client_config;

/* A nameless player that trusts any server. The caller sets program and link. */
LS_API ls_client_config ls_client_config_default(void);

#ifdef __cplusplus
}
#endif

#endif
