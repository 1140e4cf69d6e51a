#include "cli/serve/admin_answer.h"

#include "cli/common/clock.h"
#include "cli/common/command.h"
#include "cli/common/number.h"
#include "cli/common/replay_file.h"
#include "cli/common/signals.h"
#include "cli/serve/admin_rows.h"
#include "cli/serve/http_answer.h"
#include "core/base/platform.h"
#include "server/event_log.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The time that the disk has for a checkpoint or for the files of `reload`. `lockstep admin` waits
 * longer for an answer. */
#define DISK_TIMEOUT_NS (8 * LS_SECOND_NS)
#define DISK_POLL_NS    (5 * LS_NS_PER_MS)

/* One request and what becomes of it. */
struct work {
    const ls_admin_facts *facts;
    ls_admin_request request;
    ls_admin_task task;
    ls_status status;
    ls_error error;
    bool is_table;
    ls_builder body;
    char done[LS_EVENT_LOG_QUOTED_BYTES]; /* for the log, if the body is a table */
};

static void ask_after(struct work *work, const char *done)
{
    if (!ls_admin_desk_ask(work->facts->desk, &work->task)) {
        work->status = ls_error_set(&work->error, LS_ERROR_FAILED,
                                    "the network thread hangs or has ended; %s", done);
        return;
    }
    work->status = work->task.status;
    work->error = work->task.error;
}

static void ask(struct work *work)
{
    ask_after(work, "nothing was done");
}

/* " in room 'NAME'"; nothing for the room without a name. */
static void say_room(struct work *work)
{
    if (work->task.name[0])
        ls_builder_add(&work->body, " in room '%s'", work->task.name);
}

static void do_kick(struct work *work)
{
    uint64_t peer;
    if (!ls_parse_u64(work->request.arguments[0], 0, LS_LINK_PEERS_MAX - 1, &peer)) {
        work->status = ls_error_set(&work->error, LS_ERROR_USAGE,
                                    "'%.40s' is no number of a session: give the `peer` of "
                                    "`lockstep admin players`",
                                    work->request.arguments[0]);
        return;
    }
    char reason[LS_REASON_BYTES];
    snprintf(reason, sizeof reason, "%s",
             work->request.count > 1 ? work->request.arguments[1]
                                     : "removed by the one who runs the server");
    work->task.peer = (uint32_t)peer;
    work->task.text = reason;
    ask(work);
    if (work->status)
        return;
    ls_builder_add(&work->body, "ended session %u of '%s'", work->task.peer, work->task.player);
    say_room(work);
}

static void do_say(struct work *work)
{
    const char *text = work->request.arguments[work->request.count - 1];
    if (strlen(text) >= LS_REASON_BYTES) {
        work->status = ls_error_set(&work->error, LS_ERROR_USAGE, "a text has at most %d bytes",
                                    LS_REASON_BYTES - 1);
        return;
    }
    work->task.room = work->request.count > 1 ? work->request.arguments[0] : NULL;
    work->task.text = text;
    ask(work);
    if (work->status)
        return;
    ls_builder_add(&work->body, "told %u client%s", work->task.told,
                   work->task.told == 1 ? "" : "s");
    say_room(work);
}

/* Changes a copy of the bans that are in effect, and keeps it in the file. The base of the change
 * is the file's content: another program may have changed the file since the server read it. A ban
 * whose file cannot be written holds nevertheless: then `changed` is unsaved, and `why` tells the
 * reason. A ban that the file has is not lifted if the file cannot be written: the ban would
 * return.
 *   owns  ls_bans_reset(changed) by the caller, also after an error */
static ls_status change_bans(struct work *work, const ls_ban *ban, ls_bans *changed, ls_error *why)
{
    const char *path = work->facts->bans;
    const ls_bans *held = &work->task.bans;
    bool is_ban = work->request.verb == LS_ADMIN_BAN, is_unsaved = held->is_unsaved;
    ls_bans kept = {0}, base;
    ls_status unread = path ? ls_bans_read(path, &kept, why) : LS_OK, unwritten = unread;
    ls_bans_copy(path && !unread ? &kept : held, &base);
    (void)ls_bans_add_unsaved(&base, held);
    ls_status status = (is_ban ? ls_bans_add : ls_bans_remove)(&base, ban, changed, &work->error);
    if (status == LS_ERROR_REFUSED && is_unsaved) /* there already: write it now */
        status = LS_OK;
    if (!status && path && !unread)
        unwritten = ls_bans_write(path, changed, why);
    bool may_return = unread ? !ls_bans_have_unsaved(held, ban) : ls_bans_have(&kept, ban);
    if (unwritten && !is_ban && may_return) {
        status = unwritten;
        work->error = *why;
    }
    if (unwritten && is_ban)
        ls_bans_mark_unsaved(changed, ban);
    else if (!unwritten)
        ls_bans_mark_saved(changed);
    changed->is_unsaved = unwritten != LS_OK;
    ls_bans_reset(&kept);
    ls_bans_reset(&base);
    return status;
}

static void do_ban(struct work *work)
{
    const char *path = work->facts->bans;
    ls_admin_verb verb = work->request.verb;
    ls_bans changed = {0};
    ls_ban ban;
    ls_error why;
    work->status = ls_ban_parse(work->request.arguments[0], &ban, &work->error);
    work->task.verb = LS_ADMIN_BANS;
    if (!work->status)
        ask(work);
    if (!work->status)
        work->status = change_bans(work, &ban, &changed, &why);
    if (work->status) {
        ls_bans_reset(&changed);
        return;
    }
    const char *unkept = changed.is_unsaved ? why.text
                         : path             ? ""
                                            : "the server has no --bans FILE";
    bool is_unsaved = changed.is_unsaved;
    ls_bans_reset(&work->task.bans);
    work->task.bans = changed;
    work->task.verb = verb;
    ask_after(work, path && !is_unsaved ? "the file has the change" : "nothing was done");
    if (work->status)
        return;
    work->is_table = true;
    ls_admin_rows_ban(&work->body, &ban, &work->task, unkept);
    snprintf(work->done, sizeof work->done, "sessions ended: %u%s%.400s", work->task.kicked,
             *unkept ? "; not kept: " : "", unkept);
}

static void do_match(struct work *work)
{
    static const char *const said[LS_ADMIN_VERBS] = {
        [LS_ADMIN_PAUSE] = "paused the match",
        [LS_ADMIN_RESUME] = "resumed the match",
        [LS_ADMIN_CLOSE] = "ending the match",
    };
    ask(work);
    if (work->status)
        return;
    ls_builder_add(&work->body, "%s", said[work->request.verb]);
    say_room(work);
}

static void do_open(struct work *work)
{
    const ls_service_options *options = work->facts->options;
    const char *room = work->request.arguments[0];
    const char *wishes = work->request.count > 1 ? work->request.arguments[1] : "";
    ls_agones_allocation texts;
    ls_room_allocation allocation;
    work->status = ls_room_allocation_split(room, wishes, &texts, &work->error);
    if (!work->status)
        work->status = ls_room_allocation_read(
            &texts, &options->match, options->token_key_count != 0, &allocation, &work->error);
    if (work->status)
        return;
    work->task.allocation = &allocation;
    ask(work);
    if (!work->status)
        ls_builder_add(&work->body, "opened room '%s'", room);
}

/* Begins a task that needs the disk, and asks again until the task has ended. */
static void ask_disk(struct work *work, const char *done)
{
    uint64_t end_ns = ls_monotonic_ns() + DISK_TIMEOUT_NS;
    ask(work);
    while (!work->status && work->task.is_pending) {
        ls_clock_sleep_until(ls_monotonic_ns() + DISK_POLL_NS);
        if (ls_monotonic_ns() > end_ns)
            work->status = ls_error_set(&work->error, LS_ERROR_IO,
                                        "the disk has not ended it for %d seconds, and may do so "
                                        "yet: ask again",
                                        (int)(DISK_TIMEOUT_NS / LS_SECOND_NS));
        else
            ask_after(work, done);
    }
}

static void do_checkpoint(struct work *work)
{
    const ls_room_checkpoint *checkpoint = &work->task.checkpoint;
    ask_disk(work, "the recording goes on");
    if (work->status)
        return;
    work->is_table = true;
    ls_admin_rows_checkpoint(&work->body, &work->task);
    snprintf(work->done, sizeof work->done, "%.400s: %" PRIu64 " ticks, %" PRIu64 " bytes",
             checkpoint->file, checkpoint->tick, checkpoint->bytes);
}

static void say_other_build(struct work *work, const char *address)
{
    const ls_program *own = work->facts->predecessor.program;
    ls_builder_add(&work->body,
                   "playing all matches to their ends, as %.400s serves another build of '%s' "
                   "(fingerprint ",
                   address, ls_program_sim(own)->name);
    ls_replay_add_hex(&work->body, work->task.successor.fingerprint, LS_FINGERPRINT_BYTES);
    ls_builder_add(&work->body, ", here ");
    ls_replay_add_hex(&work->body, ls_program_fingerprint(own), LS_FINGERPRINT_BYTES);
    ls_builder_add(&work->body, "); the server then ends");
}

/* Finds the successor, and has the matches handed over. */
static void hand_over(struct work *work)
{
    ls_successor *successor = &work->task.successor;
    const char *address = work->request.arguments[0];
    work->status = ls_successor_find(&work->facts->predecessor, address, successor, &work->error);
    if (work->status)
        return;
    ask(work);
    if (work->status == LS_ERROR_FAILED) /* the task did not run, so it has not taken the socket */
        ls_successor_close(&successor->socket);
    if (work->status)
        return;
    if (!successor->is_same_sim) {
        say_other_build(work, address);
        return;
    }
    ls_builder_add(&work->body,
                   LS_ADMIN_HANDING "all matches over to %.400s; the log and `lockstep admin "
                                    "server` have the result, and the server ends ten seconds "
                                    "after the last one",
                   address);
}

static void do_drain(struct work *work)
{
    if (work->request.count) {
        hand_over(work);
        return;
    }
    if (ls_signals_request_stop()) {
        ls_link_wake(work->facts->desk->link);
        ls_builder_add(&work->body, "ending all matches; the server then ends");
    } else {
        work->status = ls_error_set(&work->error, LS_ERROR_REFUSED, "the server is ending already");
    }
}

static void do_reload(struct work *work)
{
    const ls_rights_reload *reload = &work->task.reload;
    ask_disk(work, "the log tells the result");
    if (work->status)
        return;
    work->is_table = true;
    ls_admin_rows_reload(&work->body, reload);
    snprintf(work->done, sizeof work->done, "changed: %s; needs a restart: %s",
             reload->changed[0] ? reload->changed : "nothing",
             reload->waiting[0] ? reload->waiting : "nothing");
}

static void do_log_level(struct work *work)
{
    const char *name = work->request.arguments[0];
    ls_log_level level;
    if (!ls_log_level_parse(name, &level)) {
        work->status = ls_error_set(&work->error, LS_ERROR_USAGE,
                                    "log-level is all or problems, not '%.40s'", name);
        return;
    }
    ls_log_set_level(work->facts->log, level);
    ls_builder_add(&work->body, "the log has %s from now on",
                   level == LS_LOG_ALL ? "all lines" : "only problems");
}

static void do_metrics(struct work *work)
{
    ask(work);
    if (work->status)
        return;
    const ls_http_facts facts = {.sim = work->facts->sim,
                                 .start_unix_s = work->facts->start_unix_s,
                                 .now_ns = work->task.metrics.taken_ns,
                                 .metrics = &work->task.metrics};
    ls_http_answer answer;
    ls_http_answer_get(&facts, "/metrics", &answer);
    work->body = answer.body;
}

static void do_table(struct work *work)
{
    ask(work);
    work->is_table = true;
    if (work->status)
        return;
    const ls_admin_task *task = &work->task;
    if (task->verb == LS_ADMIN_SERVER)
        ls_admin_rows_server(&work->body, task, work->facts->sim, work->facts->start_unix_s);
    else if (task->verb == LS_ADMIN_PLAYERS)
        ls_admin_rows_players(&work->body, task);
    else if (task->verb == LS_ADMIN_BANS)
        ls_admin_rows_bans(&work->body, &task->bans);
    else if (task->verb == LS_ADMIN_ROOMS)
        ls_admin_rows_rooms(&work->body, &task->metrics);
    else
        ls_admin_rows_room(&work->body, &task->metrics, task->name);
}

static bool needs_roster(ls_admin_verb verb)
{
    return verb == LS_ADMIN_PLAYERS || verb == LS_ADMIN_KICK || verb == LS_ADMIN_BAN;
}

static void do_request(struct work *work)
{
    static void (*const doing[LS_ADMIN_VERBS])(struct work * work) = {
        [LS_ADMIN_SERVER] = do_table,
        [LS_ADMIN_ROOMS] = do_table,
        [LS_ADMIN_ROOM] = do_table,
        [LS_ADMIN_PLAYERS] = do_table,
        [LS_ADMIN_BANS] = do_table,
        [LS_ADMIN_METRICS] = do_metrics,
        [LS_ADMIN_KICK] = do_kick,
        [LS_ADMIN_BAN] = do_ban,
        [LS_ADMIN_UNBAN] = do_ban,
        [LS_ADMIN_PAUSE] = do_match,
        [LS_ADMIN_RESUME] = do_match,
        [LS_ADMIN_CLOSE] = do_match,
        [LS_ADMIN_DRAIN] = do_drain,
        [LS_ADMIN_RELOAD] = do_reload,
        [LS_ADMIN_LOG_LEVEL] = do_log_level,
        [LS_ADMIN_SAY] = do_say,
        [LS_ADMIN_CHECKPOINT] = do_checkpoint,
        [LS_ADMIN_OPEN] = do_open,
    };
    work->task.verb = work->request.verb;
    work->task.room = work->request.count ? work->request.arguments[0] : NULL;
    if (needs_roster(work->request.verb))
        work->task.roster = ls_alloc(work->facts->peers_max * sizeof *work->task.roster);
    doing[work->request.verb](work);
}

/* Logs an action as `lockstep admin` takes it, with who did it. */
static void log_action(const struct work *work, const ls_admin_caller *caller)
{
    char action[LS_ADMIN_LINE_BYTES_MAX + 16], quoted[2][LS_EVENT_LOG_QUOTED_BYTES];
    const char *texts[2];
    size_t used =
        (size_t)snprintf(action, sizeof action, "%s", ls_admin_verb_get(work->request.verb)->name);
    const char *option = work->request.verb == LS_ADMIN_DRAIN ? "--successor " : "";
    for (uint32_t i = 0; i < work->request.count; i++)
        used += (size_t)snprintf(action + used, sizeof action - used, " %s%s", option,
                                 work->request.arguments[i]);
    const char *result = work->status     ? work->error.text
                         : work->is_table ? work->done
                                          : work->body.data;
    texts[0] = ls_event_log_quote(action, quoted[0]);
    texts[1] = ls_event_log_quote(result, quoted[1]);
    if (caller->address)
        ls_log_print(work->facts->log, "admin address=%s action=%s result=%s", caller->address,
                     texts[0], texts[1]);
    else
        ls_log_print(work->facts->log, "admin user=%u process=%u action=%s result=%s", caller->user,
                     caller->process, texts[0], texts[1]);
}

void ls_admin_answer_error(ls_builder *answer, ls_status status, const char *text)
{
    ls_builder_add(answer, "error %d %zu\n%s", (int)ls_exit_of(status), strlen(text), text);
}

void ls_admin_answer_do(const ls_admin_facts *facts, const ls_admin_caller *caller,
                        const char *line, size_t bytes, ls_admin_result *result)
{
    struct work work = {.facts = facts};
    work.status = ls_admin_request_parse(&work.request, line, bytes, &work.error);
    if (!work.status) {
        ls_admin_desk_begin_turn(facts->desk);
        do_request(&work);
        if (work.status == LS_ERROR_LIMIT) /* the server is full: no fault of the request */
            work.status = LS_ERROR_REFUSED;
        ls_admin_desk_end_turn(facts->desk);
        if (ls_admin_verb_get(work.request.verb)->changes)
            log_action(&work, caller);
    }
    *result = (ls_admin_result){
        .status = work.status, .error = work.error, .is_table = work.is_table, .body = work.body};
    ls_free(work.task.roster);
    ls_bans_reset(&work.task.bans);
    ls_metrics_reset(&work.task.metrics);
}

void ls_admin_answer_line(const ls_admin_facts *facts, const ls_admin_caller *caller,
                          const char *line, size_t bytes, ls_builder *answer)
{
    ls_admin_result result;
    ls_admin_answer_do(facts, caller, line, bytes, &result);
    if (result.status) {
        ls_admin_answer_error(answer, result.status, result.error.text);
    } else {
        ls_builder_add(answer, "%s %zu\n", result.is_table ? "table" : "text", result.body.count);
        ls_builder_put(answer, result.body.data, result.body.count);
    }
    ls_free(result.body.data);
}
