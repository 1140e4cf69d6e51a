/* The rights to enter a server and to run it: the keys of matchmakers, the bans and the token for
 * HTTP, read from files at the start and again on SIGHUP, then with what may change in the file of
 * --config. A job reads them, so that no match waits for the disk. */
#ifndef LS_SERVICE_RIGHTS_H
#define LS_SERVICE_RIGHTS_H

#include "cli/common/log.h"
#include "cli/serve/bans.h"
#include "cli/serve/config_reload.h"
#include "cli/serve/http_token.h"
#include "cli/serve/service_options.h"
#include <lockstep/jobs.h>

/* The number of reloads, and the result of the last one. */
typedef struct ls_rights_reload {
    uint64_t number; /* counts from 1; 0: only the start has read */
    ls_status status;
    ls_error error;
    uint32_t token_keys, bans;
    /* Names of options with a new value, in effect and after a restart. */
    char changed[LS_CONFIG_NAMES_BYTES], waiting[LS_CONFIG_NAMES_BYTES];
} ls_rights_reload;

/* The job's part, and what is in effect. Zero it at first. */
typedef struct ls_service_rights {
    ls_job job; /* the first member: its function casts it back */
    const ls_service_options *options;
    ls_server *server;
    const ls_link *web; /* NULL: no players over WebSocket */
    ls_jobs *jobs;
    ls_log *log;
    ls_retention *retention; /* NULL: matches are not recorded */
    bool is_wanted;          /* another reload begins when the job is done */
    bool has_new_bans;       /* an admin has changed the bans since the job began */
    ls_bans bans;            /* in effect */
    ls_bans read_bans;       /* by the job */
    ls_http_token token;     /* the last that was read */
    /* Gets a new token. NULL: none is read. */
    void (*set_token)(void *context, const ls_http_token *token);
    void *token_context;
    ls_token_key read_keys[LS_TOKEN_KEYS_MAX]; /* by the job */
    ls_config_reload config;                   /* by the job */
    ls_status status;                          /* of the job */
    ls_error error;                            /* of the job */
    ls_retention_limits limits;                /* in effect */
    uint64_t submitted;                        /* number of the job's reload */
    ls_rights_reload last;
} ls_service_rights;

/* Reads the bans and the token before the server starts.
 *   errors  those of ls_bans_read(), ls_bans_check() and ls_http_token_read()
 *   owns    ls_service_rights_close() by the caller, before the server */
ls_status ls_service_rights_read(ls_service_rights *rights, const ls_service_options *options,
                                 ls_error *error) LS_MUST_USE;
/* Puts the bans in effect. `web` is the link of players over WebSocket, or NULL. */
void ls_service_rights_begin(ls_service_rights *rights, ls_server *server, const ls_link *web,
                             ls_jobs *jobs, ls_log *log);
/* Waits for the job. */
void ls_service_rights_close(ls_service_rights *rights);

/* Opens the log again and reads all again; the log has the result. If a file cannot be read, all
 * stays as it was. Returns the number of the reload. */
uint64_t ls_service_rights_reload(ls_service_rights *rights);
/* Returns the result of a reload or of a later one; NULL if it is not done. */
const ls_rights_reload *ls_service_rights_result(const ls_service_rights *rights, uint64_t number);
/* Call it after each step. */
void ls_service_rights_maintain(ls_service_rights *rights);

#endif
