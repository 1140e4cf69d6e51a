/* The configuration of a client. */
#ifndef LS_CLIENT_CONFIG_H
#define LS_CLIENT_CONFIG_H

#include <lockstep/evidence_limits.h>
#include <lockstep/executor.h>
#include <lockstep/limits.h>
#include <lockstep/link.h>
#include <lockstep/pass.h>
#include <lockstep/program.h>
#include <lockstep/session_limits.h>
#include <lockstep/world.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LS_TICK_NEVER UINT64_MAX

/* Start from ls_client_config_default(). The client copies members marked `copied`; all other
 * pointers must stay valid longer than the client. */
typedef struct ls_client_config {
    const ls_program *program; /* must have the server's fingerprint */
    ls_link *link;             /* a new link to the server; the caller destroys it */
    ls_executor *executor;     /* NULL: serial */
    const ls_entropy *entropy; /* source of random secrets; NULL: the system's */

    /* Trust in the server's key: the key must equal `pin` (copied); without `pin`, `trust` decides;
     * without either, any key is accepted. The client calls `trust` when a server has proven its
     * key and before it sends a secret. `trust` returns LS_OK, or a refusal with a text for the
     * user. Any host can answer the first datagram, so the call repeats if another server answers.
     * See include/lockstep/known_servers.h. */
    const ls_public_key *pin;
    ls_status (*trust)(void *context, const ls_public_key *shown, ls_error *error);
    void *trust_context;
    /* At most one of three credentials, all copied: the server's password, the psk derived from it
     * (32 bytes), or a matchmaker's pass. None of them: for an open server. */
    const char *password;
    const uint8_t *psk;
    const ls_pass *pass;
    const uint8_t *resume_secret; /* an earlier session's LS_RESUME_BYTES, copied: resumes it */
    uint64_t resume_ns;           /* how long the client tries to resume a lost session; 0: never */

    char name[LS_NAME_BYTES]; /* UTF-8 without control characters; may be empty */
    char room[LS_ROOM_BYTES]; /* "": any room */
    const char *build; /* compiler, CPU, system: reported to the server, copied; may be NULL */
    bool is_spectator; /* watches without a seat */
    bool is_bot;       /* the simulation's bot plays this seat */
    /* For load tests: holds a session, follows the ticks and acknowledges them, but has no world
     * and reports no roots. Excludes is_bot, corrupt_at and sessions; a server has to allow it. */
    bool is_light;
    bool is_machine; /* the caller is a program that plays: reported to the server as a bot */
    uint64_t unix_s; /* wall clock at the first step; checks the server's certificate */
    /* Limits on what a server may choose; beyond them the client refuses, with a reason that names
     * the limit. memory_max, in bytes, bounds the memory for a snapshot that loads: its bytes,
     * packed and unpacked, its world, and the world that it replaces, with all kept states of that
     * world. After each tick it bounds the world with its kept states. So a world of more than half
     * of memory_max cannot be replaced. */
    uint64_t memory_max;
    uint32_t tick_rate_max, players_max; /* of the match */
    /* The maximum of ticks that one step runs, 1..LS_CLIENT_STEP_TICKS: it bounds the time of a
     * step while the client catches up. */
    uint32_t step_ticks;
    /* The client keeps the states of the last confirmed ticks, because after a desync the server
     * asks for cells of them. evidence_ms: for how long (0: it keeps none; at most
     * LS_CLIENT_EVIDENCE_MS_MAX). evidence_bytes: in how much memory. */
    uint32_t evidence_ms;
    size_t evidence_bytes;

    /* For tests of desync detection: the tick at which one bit of this client's world is flipped;
     * LS_TICK_NEVER: no flip. */
    uint64_t corrupt_at;
    uint64_t corrupt_pick; /* chooses the bit: see ls_world_flip_bit */

    /* Hooks: `ran` is called after each confirmed tick, with its frame; `loaded` after a snapshot
     * was loaded. Both run inside ls_client_step() and may only call the get, submit, world and
     * set_limit functions of the client. */
    void (*ran)(void *context, const ls_frame *frame);
    void (*loaded)(void *context);
    void *hook_context;

    /* Receives each log line, `event key=value ...` without a newline; NULL: no log. */
    void (*log)(void *context, const char *line);
    void *log_context;
} ls_client_config;

/* A nameless player that trusts any server. The caller must set program and link. */
LS_API ls_client_config ls_client_config_default(void);

#ifdef __cplusplus
}
#endif

#endif
