/* Answers the lines of `lockstep admin`. The first line of an answer is `table BYTES`, `text BYTES`
 * or `error CODE BYTES` with an exit code; BYTES bytes follow.
 *   thread  admin */
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
    ls_log *log;
    ls_admin_desk *desk;
} ls_admin_facts;

/* The process at the other end of the socket, for the log. */
typedef struct ls_admin_caller {
    uint32_t user, process;
} ls_admin_caller;

/* Adds the answer to a line, which may be hostile. */
void ls_admin_answer_line(const ls_admin_facts *facts, const ls_admin_caller *caller,
                          const char *line, size_t bytes, ls_builder *answer);
/* Adds an error. */
void ls_admin_answer_error(ls_builder *answer, ls_status status, const char *text);

#endif
