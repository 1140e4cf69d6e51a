/* Does what `lockstep admin` asks, and answers its lines. The first line of an answer is `table
 * BYTES`, `text BYTES` or `error CODE BYTES` with an exit code; BYTES bytes follow. */
#ifndef LS_ADMIN_ANSWER_H
#define LS_ADMIN_ANSWER_H

#include "cli/common/log.h"
#include "cli/serve/admin_desk.h"
#include "core/base/builder.h"

/* The sources of the answers. */
typedef struct ls_admin_facts {
    const char *sim;
    const char *bans; /* file; NULL: bans end with the process */
    uint64_t start_unix_s;
    uint32_t peers_max;
    const ls_service_options *options;
    ls_successor_config predecessor; /* this server, as it hands its matches over */
    ls_log *log;
    ls_admin_desk *desk;
} ls_admin_facts;

/* The one that asks, for the log. */
typedef struct ls_admin_caller {
    const char *address;    /* of an HTTP client; NULL: a process at the other end of the socket */
    uint32_t user, process; /* ids of that process */
} ls_admin_caller;

typedef struct ls_admin_result {
    ls_status status;
    ls_error error;
    bool is_table;
    ls_builder body; /* of a good result */
} ls_admin_result;

/* Does what a line says; the line may be hostile. Callers of several threads take turns.
 *   owns    ls_free(result->body.data) by the caller
 *   thread  any but that of the server */
void ls_admin_answer_do(const ls_admin_facts *facts, const ls_admin_caller *caller,
                        const char *line, size_t bytes, ls_admin_result *result);

/* Adds the answer to a line. */
void ls_admin_answer_line(const ls_admin_facts *facts, const ls_admin_caller *caller,
                          const char *line, size_t bytes, ls_builder *answer);
/* Adds an error. */
void ls_admin_answer_error(ls_builder *answer, ls_status status, const char *text);

#endif
