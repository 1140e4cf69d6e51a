#include "cli/serve/service_admin.h"

#include "cli/common/clock.h"
#include "cli/serve/admin_http.h"
#include "cli/serve/admin_port.h"
#include "server/event_log.h"

#include <string.h>

struct ls_service_admin {
    ls_admin_subject subject;
    ls_admin_desk desk;
    ls_admin_facts facts;
    ls_admin_http http;
    bool has_http;
    ls_admin_port *port; /* NULL: none */
};

static void log_path(const ls_service_admin_config *config)
{
    char quoted[LS_EVENT_LOG_QUOTED_BYTES];
    ls_log_print(config->log, "listening_admin path=%s", ls_event_log_quote(config->path, quoted));
}

/* The token was read, at the start or again. */
static void set_token(void *context, const ls_http_token *token)
{
    ls_admin_http_set_token(&((ls_service_admin *)context)->http, token);
}

ls_status ls_service_admin_open(const ls_service_admin_config *config, ls_service_admin **admin,
                                ls_error *error)
{
    *admin = NULL;
    if (!config->path && !config->has_http && !config->has_lobby)
        return LS_OK;
    ls_service_admin *self = ls_alloc(sizeof *self);
    self->subject = (ls_admin_subject){.server = config->server,
                                       .web = config->web,
                                       .metrics = config->metrics,
                                       .handover = config->handover,
                                       .rooms = config->rooms,
                                       .rights = config->rights};
    ls_admin_desk_init(&self->desk, config->link);
    self->facts = (ls_admin_facts){.sim = config->sim,
                                   .bans = config->bans_file,
                                   .options = config->options,
                                   .start_unix_s = ls_clock_unix_s(),
                                   .peers_max = config->metrics->peers_max,
                                   .predecessor = config->predecessor,
                                   .log = config->log,
                                   .desk = &self->desk};
    ls_status status = LS_OK;
    ls_admin_http_init(&self->http, &self->facts);
    self->has_http = config->has_http;
    if (self->has_http) {
        config->rights->set_token = set_token;
        config->rights->token_context = self;
        set_token(self, &config->rights->token);
    }
    if (config->path)
        status = ls_admin_port_open(config->path, &self->facts, &self->port, error);
    if (status) {
        ls_service_admin_close(self);
        return status;
    }
    if (config->path)
        log_path(config);
    *admin = self;
    return LS_OK;
}

void ls_service_admin_stop(ls_service_admin *admin)
{
    if (admin)
        ls_admin_desk_close(&admin->desk);
}

void ls_service_admin_close(ls_service_admin *admin)
{
    if (!admin)
        return;
    ls_service_admin_stop(admin);
    ls_admin_port_close(admin->port);
    ls_admin_http_destroy(&admin->http);
    ls_admin_desk_destroy(&admin->desk);
    ls_free(admin);
}

void ls_service_admin_step(ls_service_admin *admin, uint64_t now_ns)
{
    if (admin)
        ls_admin_desk_serve(&admin->desk, &admin->subject, now_ns);
}

bool ls_service_admin_take(ls_service_admin *admin, ls_metrics *metrics)
{
    ls_admin_task task = {.verb = LS_ADMIN_ROOMS};
    if (!admin)
        return false;
    ls_admin_desk_begin_turn(&admin->desk);
    bool is_done = ls_admin_desk_ask(&admin->desk, &task);
    ls_admin_desk_end_turn(&admin->desk);
    *metrics = task.metrics;
    return is_done;
}

ls_status ls_service_admin_open_room(ls_service_admin *admin, const char *from, const char *room,
                                     const char *wishes, ls_error *error)
{
    const char *arguments[] = {room, wishes};
    const ls_admin_caller caller = {.address = from};
    char line[LS_ADMIN_LINE_BYTES_MAX];
    ls_admin_result result;
    if (!admin)
        return ls_error_set(error, LS_ERROR_REFUSED, "the server opens no rooms on demand");
    ls_status status =
        ls_admin_request_format(LS_ADMIN_OPEN, arguments, wishes[0] ? 2 : 1, line, error);
    if (status)
        return status;
    ls_admin_answer_do(&admin->facts, &caller, line, strcspn(line, "\n"), &result);
    ls_free(result.body.data);
    if (result.status)
        *error = result.error;
    return result.status;
}

bool ls_service_admin_admits(ls_service_admin *admin, const ls_http_post *post,
                             ls_http_answer *answer)
{
    return ls_admin_http_admits(admin && admin->has_http ? &admin->http : NULL, post, answer);
}

void ls_service_admin_post(ls_service_admin *admin, const ls_http_post *post,
                           ls_http_answer *answer)
{
    ls_admin_http_answer(&admin->http, post, answer);
}
