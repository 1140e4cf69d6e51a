#include "cli/verify/verify_team.h"

#include "cli/common/clock.h"
#include "cli/common/progress_bar.h"
#include "core/base/platform.h"
#include "core/base/platform_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define POLL_NS     (5 * LS_NS_PER_MS)
#define PROGRESS_NS (200 * LS_NS_PER_MS)
/* Short work has no bar. */
#define FIRST_BAR_NS LS_SECOND_NS

struct member {
    ls_child child;
    bool is_running, has_ended;
    double weight; /* share of the file in the progress */
};

struct team {
    const ls_verify_team_config *config;
    ls_verify_result *results;
    struct member *members; /* one for each file */
    uint32_t started, ended, running, printed;
    double weight;
    uint64_t start_ns, progress_ns; /* progress_ns: of the next bar */
    bool has_bar;                   /* one is shown */
};

struct task {
    const struct team *team;
    uint32_t index;
};

static ls_status verify_in_child(ls_child *child, void *argument, ls_error *error)
{
    const struct task *task = argument;
    ls_verify_config config = *task->team->config->file;
    config.path = task->team->config->paths[task->index];
    config.child = child;
    ls_verify_result *result = &task->team->results[task->index];
    ls_builder all = {0};
    ls_builder_put(&all, (const char *)result, sizeof *result);
    config.events = task->team->config->prints_events ? &all : NULL;
    ls_verify_file(&config, result);
    memcpy(all.data, result, sizeof *result);
    ls_status status = ls_child_give(child, all.data, all.count, error);
    ls_free(all.data);
    return status;
}

static void start(struct team *team, uint32_t index)
{
    struct task task = {team, index};
    char words[LS_PATH_BYTES_MAX + 8]; /* cli/verify.c reads them */
    snprintf(words, sizeof words, "%d %s", team->config->prints_events, team->config->paths[index]);
    const ls_child_again again = {.timeout_ns = team->config->timeout_ns, .words = words};
    struct member *member = &team->members[index];
    ls_verify_result *result = &team->results[index];
    result->status =
        ls_child_start_again(&member->child, &again, verify_in_child, &task, &result->error);
    member->is_running = !result->status;
    member->has_ended = !member->is_running;
    team->running += member->is_running;
    team->ended += member->has_ended;
}

/* Makes the crash of a simulation the result of its file. */
static void take_crash(const struct team *team, uint32_t index, const ls_error *how)
{
    const ls_child_report *report = team->members[index].child.report;
    ls_verify_result *result = &team->results[index];
    *result = (ls_verify_result){.status = LS_ERROR_DIVERGED,
                                 .is_crash = true,
                                 .ns = team->members[index].child.end_ns -
                                       team->members[index].child.start_ns};
    char place[64] = "before the first tick";
    if (report->ticks)
        snprintf(place, sizeof place, "after %" PRIu64 " of %" PRIu64 " ticks", report->ticks,
                 report->ticks_total);
    (void)ls_error_set(&result->error, LS_ERROR_DIVERGED, "%s: %s: %.600s",
                       team->config->paths[index], place, how->text);
    ls_verify_config config = *team->config->file;
    config.path = team->config->paths[index];
    ls_verify_set_next(&config, result);
}

/* Takes the difference that the process had handed over before it died in the search for the
 * cause. */
static bool take_difference(const uint8_t *given, size_t count, const ls_error *how,
                            ls_verify_result *result)
{
    ls_verify_result known;
    if (count != sizeof known)
        return false;
    memcpy(&known, given, sizeof known);
    if (!known.has_divergence)
        return false;
    *result = known;
    snprintf(result->divergence.how, sizeof result->divergence.how, "%.300s", how->text);
    return true;
}

static void hide_progress(struct team *team)
{
    if (team->has_bar)
        ls_progress_bar_clear();
    team->has_bar = false;
}

static void print_lines(struct team *team, const uint8_t *lines, size_t count)
{
    if (count)
        hide_progress(team);
    fwrite(lines, 1, count, stdout);
}

static void take(struct team *team, uint32_t index)
{
    ls_child *child = &team->members[index].child;
    ls_verify_result *result = &team->results[index];
    ls_error how;
    uint8_t *bytes = NULL;
    size_t count = 0;
    ls_status status = ls_child_status(child, &how);
    bool is_done = child->report->is_done;
    if (!status || !is_done)
        status = ls_child_take(child, &bytes, &count, is_done ? &how : NULL);
    if (!is_done) {
        if (status || !take_difference(bytes, count, &how, result))
            take_crash(team, index, &how);
    } else if (!status && count >= sizeof *result) {
        memcpy(result, bytes, sizeof *result);
        print_lines(team, bytes + sizeof *result, count - sizeof *result);
    } else {
        result->status = LS_ERROR_IO;
        result->error = how;
    }
    ls_free(bytes);
}

static void end(struct team *team, uint32_t index)
{
    struct member *member = &team->members[index];
    take(team, index);
    ls_child_reset(&member->child);
    member->is_running = false;
    member->has_ended = true;
    team->running--;
    team->ended++;
}

static double weight_done(const struct team *team)
{
    double done = 0;
    for (uint32_t i = 0; i < team->started; i++) {
        const struct member *member = &team->members[i];
        if (!member->is_running) {
            done += member->weight;
            continue;
        }
        uint64_t ticks = __atomic_load_n(&member->child.report->ticks, __ATOMIC_RELAXED);
        uint64_t total = __atomic_load_n(&member->child.report->ticks_total, __ATOMIC_RELAXED);
        if (total)
            done += member->weight * (double)ticks / (double)total;
    }
    return done;
}

static uint64_t ticks_of_one(const struct team *team)
{
    const ls_child_report *report = team->members[0].child.report;
    return team->members[0].is_running ? __atomic_load_n(&report->ticks, __ATOMIC_RELAXED) : 0;
}

static void show_progress(struct team *team)
{
    uint64_t now_ns = ls_monotonic_ns();
    if (!team->config->shows_progress || !team->running || now_ns < team->progress_ns)
        return;
    team->progress_ns = now_ns + PROGRESS_NS;
    double done = team->weight > 0 ? weight_done(team) / team->weight : 0;
    double seconds = (double)(now_ns - team->start_ns) / (double)LS_SECOND_NS;
    char words[96];
    int used =
        team->config->count > 1
            ? snprintf(words, sizeof words, "%u of %u files", team->ended, team->config->count)
            : snprintf(words, sizeof words, "tick %" PRIu64, ticks_of_one(team));
    if (done > 0.01)
        snprintf(words + used, sizeof words - (size_t)used, ", %.0f s left",
                 seconds / done * (1 - done));
    ls_progress_bar_show(done, words);
    team->has_bar = true;
}

/* Replaces the file's path in a text by its name. */
static void rename_in(ls_error *text, const char *path, const char *name)
{
    ls_error new = {0};
    const char *at = strstr(text->text, path);
    if (at) {
        (void)ls_error_set(&new, LS_OK, "%.*s%s%s", (int)(at - text->text), text->text, name,
                           at + strlen(path));
        *text = new;
    }
}

static void print_result(struct team *team, uint32_t index)
{
    const char *path = team->config->paths[index], *name = team->config->names[index];
    ls_verify_result *result = &team->results[index];
    if (name != path) {
        rename_in(&result->error, path, name);
        rename_in(&result->end, path, name);
        rename_in(&result->vouched, path, name);
        rename_in(&result->warning, path, name);
    }
    hide_progress(team);
    team->config->print(name, result);
}

static void print_next(struct team *team)
{
    while (team->printed < team->started && team->members[team->printed].has_ended) {
        print_result(team, team->printed);
        team->printed++;
    }
}

static void run_all(struct team *team)
{
    while (team->printed < team->config->count) {
        while (team->started < team->config->count && team->running < team->config->jobs)
            start(team, team->started++);
        for (uint32_t i = team->printed; i < team->started; i++) {
            if (team->members[i].is_running && ls_child_poll(&team->members[i].child))
                end(team, i);
        }
        print_next(team);
        show_progress(team);
        if (team->running)
            ls_clock_sleep_until(ls_monotonic_ns() + POLL_NS);
    }
    hide_progress(team);
}

void ls_verify_team_run(const ls_verify_team_config *config, ls_verify_result *results)
{
    struct team team = {.config = config,
                        .results = results,
                        .members = ls_alloc(config->count * sizeof(struct member)),
                        .start_ns = ls_monotonic_ns()};
    team.progress_ns = team.start_ns + FIRST_BAR_NS;
    for (uint32_t i = 0; i < config->count; i++) {
        struct stat file;
        team.members[i] = (struct member){.weight = 1};
        if (stat(config->paths[i], &file) == 0)
            team.members[i].weight += (double)file.st_size;
        team.weight += team.members[i].weight;
    }
    run_all(&team);
    ls_free(team.members);
}
