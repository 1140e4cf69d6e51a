#include "cli/serve/service_rights.h"

#include "cli/serve/service_keys.h"
#include "core/base/builder.h"
#include "proto/link_web.h"
#include "server/admission_rights.h"
#include "server/event_log.h"

#include <inttypes.h>
#include <string.h>

static bool is_banned(void *context, const ls_remote *remote, const char *client)
{
    const ls_service_rights *rights = context;
    const ls_address address = ls_link_web_address(rights->web, remote);
    return ls_bans_cover(&rights->bans, &address, client);
}

static ls_status read_bans(const ls_service_options *options, ls_bans *bans, ls_error *error)
{
    *bans = (ls_bans){0};
    return options->bans ? ls_bans_read(options->bans, bans, error) : LS_OK;
}

static ls_status read_token(const ls_service_options *options, ls_http_token *token,
                            ls_error *error)
{
    return options->http_token ? ls_http_token_read(options->http_token, token, error) : LS_OK;
}

static void read_all(ls_job *job)
{
    ls_service_rights *rights = (ls_service_rights *)job;
    rights->status = ls_service_keys_load(rights->options, rights->read_keys, &rights->error);
    if (!rights->status)
        rights->status = read_bans(rights->options, &rights->read_bans, &rights->error);
    if (!rights->status)
        rights->status = read_token(rights->options, &rights->token, &rights->error);
    if (!rights->status)
        rights->status = ls_config_reload_read(rights->options, &rights->config, &rights->error);
}

ls_status ls_service_rights_read(ls_service_rights *rights, const ls_service_options *options,
                                 ls_error *error)
{
    *rights =
        (ls_service_rights){.job.run = read_all, .options = options, .limits = options->retention};
    ls_status status = read_bans(options, &rights->bans, error);
    if (!status && options->bans)
        status = ls_bans_check(options->bans, error);
    return status ? status : read_token(options, &rights->token, error);
}

void ls_service_rights_begin(ls_service_rights *rights, ls_server *server, const ls_link *web,
                             ls_jobs *jobs, ls_log *log)
{
    rights->server = server;
    rights->web = web;
    rights->jobs = jobs;
    rights->log = log;
    ls_admission_set_ban(server, is_banned, rights);
}

void ls_service_rights_close(ls_service_rights *rights)
{
    if (rights->jobs)
        ls_job_wait(rights->jobs, &rights->job);
    ls_bans_reset(&rights->bans);
    ls_bans_reset(&rights->read_bans);
    ls_service_keys_reset(rights->read_keys);
}

uint64_t ls_service_rights_reload(ls_service_rights *rights)
{
    ls_log_reopen(rights->log);
    rights->is_wanted = true;
    ls_service_rights_maintain(rights);
    return rights->submitted + rights->is_wanted;
}

const ls_rights_reload *ls_service_rights_result(const ls_service_rights *rights, uint64_t number)
{
    return rights->last.number >= number ? &rights->last : NULL;
}

static void note(ls_service_rights *rights, bool has_changed, const char *name)
{
    if (has_changed)
        ls_config_names_add(rights->last.changed, name);
}

static void apply_config(ls_service_rights *rights)
{
    const ls_config_reload *config = &rights->config;
    const ls_retention_limits before = rights->limits;
    rights->limits = config->retention;
    note(rights, before.days != config->retention.days, "keep-days");
    note(rights, before.bytes != config->retention.bytes, "keep-bytes");
    note(rights, before.free_bytes != config->retention.free_bytes, "keep-free");
    ls_retention_set_limits(rights->retention, &config->retention);
    if (config->has_log_level)
        note(rights, ls_log_set_level(rights->log, config->log_level) != config->log_level,
             "log-level");
    memcpy(rights->last.waiting, config->waiting, sizeof config->waiting);
}

/* Puts in effect what the job has read. Bans that exist only in this process stay: all of them
 * without --bans, and those that could not be written. */
static void apply(ls_service_rights *rights)
{
    const ls_service_options *options = rights->options;
    ls_admission_set_token_keys(rights->server, rights->read_keys, options->token_key_count);
    if (rights->has_new_bans) { /* the job may have read the file before them */
        rights->is_wanted = true;
    } else if (options->bans) {
        ls_bans before = rights->bans;
        rights->read_bans.is_unsaved = ls_bans_add_unsaved(&rights->read_bans, &before) > 0;
        rights->bans = rights->read_bans;
        rights->read_bans = before;
        note(rights, !ls_bans_are_equal(&before, &rights->bans), "bans");
    }
    if (rights->set_token)
        rights->set_token(rights->token_context, &rights->token);
    rights->last.token_keys = options->token_key_count;
    rights->last.bans = rights->bans.count;
    apply_config(rights);
}

/* Adds " NAME=NAMES", nothing for no names. */
static void add_names(ls_builder *line, const char *name, const char *names)
{
    char quoted[LS_EVENT_LOG_QUOTED_BYTES];
    if (names[0])
        ls_builder_add(line, " %s=%s", name, ls_event_log_quote(names, quoted));
}

static void finish(ls_service_rights *rights)
{
    ls_rights_reload *last = &rights->last;
    ls_builder line = {0};
    *last = (ls_rights_reload){
        .number = rights->submitted, .status = rights->status, .error = rights->error};
    if (last->status) {
        ls_builder_add(&line, "reload_failed");
        add_names(&line, "reason", last->error.text);
    } else {
        apply(rights);
        ls_builder_add(&line, "reloaded token_keys=%" PRIu32 " bans=%" PRIu32, last->token_keys,
                       last->bans);
        add_names(&line, "changed", last->changed);
        add_names(&line, "needs_restart", last->waiting);
    }
    ls_log_line(rights->log, line.data);
    ls_free(line.data);
    ls_bans_reset(&rights->read_bans);
    ls_service_keys_reset(rights->read_keys);
}

void ls_service_rights_maintain(ls_service_rights *rights)
{
    if (ls_job_is_busy(&rights->job)) {
        if (!ls_job_take(&rights->job))
            return;
        finish(rights);
    }
    if (!rights->is_wanted)
        return;
    rights->is_wanted = rights->has_new_bans = false;
    rights->submitted++;
    ls_job_submit(rights->jobs, &rights->job);
}
