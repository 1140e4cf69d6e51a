#include "cli/check/check_cases.h"

#include "cli/check/check_case_kinds.h"
#include "cli/check/check_case_locate.h"
#include "cli/check/check_case_match.h"

#include "cli/common/clock.h"
#include "core/base/platform.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define POLL_NS     (5 * LS_NS_PER_MS)
#define PROGRESS_NS (200 * LS_NS_PER_MS)

struct team {
    const ls_check_cases_config *config;
    ls_check_case_match *match;
    const ls_check_case *cases;
    ls_verdict *verdicts;
    ls_child *children; /* one for each case */
    bool *is_running;
    uint32_t count, started, ended, running;
    uint64_t ticks_ended, progress_ns;
};

static void name_verdict(const ls_check_case *self, ls_verdict *verdict)
{
    *verdict = (ls_verdict){.kind = self->kind,
                            .path = self->path,
                            .match = self->match->match,
                            .mode = self->match->mode};
    if (self->number)
        snprintf(verdict->name, sizeof verdict->name, "%s-%" PRIu64, self->kind->name,
                 self->number);
    else
        snprintf(verdict->name, sizeof verdict->name, "%s", self->kind->name);
}

static void start(struct team *team, uint32_t index)
{
    ls_verdict *verdict = &team->verdicts[index];
    verdict->status =
        ls_check_case_start(&team->cases[index], &team->children[index], &verdict->text);
    team->is_running[index] = !verdict->status;
    team->running += !verdict->status;
    team->ended += verdict->status != LS_OK;
}

/* Returns how many ticks must run to show the failure again: up to the difference, or to where the
 * case ended. A late join is only repeated if its tick is reached. */
static uint64_t ticks_needed(const struct team *team, const ls_check_case *self,
                             const ls_child_report *report)
{
    uint64_t needed = report->has_state ? report->state_tick : report->tick + 1;
    if (self->kind == ls_check_case_kind_find("rejoin", 6) && needed < self->number)
        needed = self->number;
    return needed && needed < team->match->ticks ? needed : team->match->ticks;
}

static void end(struct team *team, uint32_t index)
{
    ls_child *child = &team->children[index];
    ls_verdict *verdict = &team->verdicts[index];
    verdict->status = ls_child_status(child, &verdict->text);
    verdict->ticks = child->report->ticks;
    verdict->ns = child->end_ns - child->start_ns;
    memcpy(verdict->note, child->report->note, sizeof verdict->note);
    verdict->note[sizeof verdict->note - 1] = 0;
    memcpy(verdict->keeps, child->report->keeps, sizeof verdict->keeps);
    verdict->keeps[sizeof verdict->keeps - 1] = 0;
    verdict->ticks_needed = team->match->ticks;
    if (index == 0 && !verdict->status)
        verdict->status = ls_check_case_match_adopt(team->match, child, &verdict->text);
    if (verdict->status && index && verdict->kind != ls_check_case_kind_find("validator", 9))
        verdict->ticks_needed = ticks_needed(team, &team->cases[index], child->report);
    if (verdict->status && child->report->has_state && index) {
        ls_error trouble;
        if (ls_check_case_locate(&team->cases[index], child, &verdict->text, &trouble))
            verdict->text = trouble;
    }
    ls_child_reset(child);
    team->is_running[index] = false;
    team->running--;
    team->ended++;
    team->ticks_ended += verdict->ticks;
}

static void show_progress(struct team *team)
{
    uint64_t now_ns = ls_monotonic_ns();
    if (!team->config->shows_progress || now_ns < team->progress_ns)
        return;
    team->progress_ns = now_ns + PROGRESS_NS;
    uint64_t ticks = team->ticks_ended;
    char names[80] = "";
    size_t used = 0;
    for (uint32_t i = 0; i < team->started; i++) {
        if (!team->is_running[i])
            continue;
        ticks += __atomic_load_n(&team->children[i].report->ticks, __ATOMIC_RELAXED);
        if (used < sizeof names)
            used +=
                (size_t)snprintf(names + used, sizeof names - used, " %s", team->verdicts[i].name);
    }
    char of[48];
    uint64_t deadline_ns = team->config->deadline_ns;
    if (deadline_ns)
        snprintf(of, sizeof of, "of %" PRIu64 " ticks, %" PRIu64 " s left", team->match->ticks,
                 deadline_ns > now_ns ? (deadline_ns - now_ns) / LS_SECOND_NS : 0);
    else
        snprintf(of, sizeof of, "of %u", team->config->match_count);
    fprintf(stderr, "\r\033[Kmatch %u %s: %u of %u trials, %" PRIu64 " ticks;%s",
            team->config->match_index + 1, of, team->ended, team->count, ticks, names);
}

/* Ends the running cases, and starts no more. The verdict of a case that has not ended gets no
 * kind, so that ls_check_cases_run() leaves it out. */
static void cut(struct team *team)
{
    for (uint32_t i = 0; i < team->count; i++) {
        if (i < team->started && !team->is_running[i])
            continue;
        if (i < team->started)
            ls_child_reset(&team->children[i]);
        team->is_running[i] = false;
        team->verdicts[i].kind = NULL;
    }
    team->started = team->ended = team->count;
    team->running = 0;
}

/* Runs cases until all of the first `until` have ended. */
static void run_until(struct team *team, uint32_t until)
{
    while (team->ended < until) {
        while (team->started < until && team->running < team->config->jobs)
            start(team, team->started++);
        for (uint32_t i = 0; i < team->started; i++) {
            if (team->is_running[i] && ls_child_poll(&team->children[i]))
                end(team, i);
        }
        show_progress(team);
        if (team->config->deadline_ns && team->ended < until &&
            ls_monotonic_ns() >= team->config->deadline_ns)
            cut(team);
        if (team->running)
            ls_clock_sleep_until(ls_monotonic_ns() + POLL_NS);
    }
}

static void skip_rest(struct team *team)
{
    for (uint32_t i = 1; i < team->count; i++) {
        team->verdicts[i].is_skipped = true;
        ls_error_set(&team->verdicts[i].text, LS_OK, "the first run failed");
    }
}

uint32_t ls_check_cases_run(const ls_check_cases_config *config, ls_check_case_match *match,
                            const ls_check_case *cases, uint32_t count, ls_verdict *verdicts)
{
    struct team team = {.config = config,
                        .match = match,
                        .cases = cases,
                        .verdicts = verdicts,
                        .children = ls_alloc(count * sizeof(ls_child)),
                        .is_running = ls_alloc(count * sizeof(bool)),
                        .count = count};
    for (uint32_t i = 0; i < count; i++)
        name_verdict(&cases[i], &verdicts[i]);
    run_until(&team, 1);
    if (verdicts[0].status)
        skip_rest(&team);
    else
        run_until(&team, count);
    if (config->shows_progress)
        fputs("\r\033[K", stderr);
    ls_free(team.children);
    ls_free(team.is_running);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (verdicts[i].kind)
            verdicts[kept++] = verdicts[i];
    }
    return kept;
}
