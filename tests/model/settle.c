/* Asks the engine for a schedule, and resolves its refusals. */
#include "tests/model/check.h"

#include "tests/model/on_engine.h"
#include <lockstep/program.h>

#include <string.h>

static uint32_t find_system(const struct program *program, const char *name, size_t length)
{
    for (uint32_t i = 0; i < program->system_count; i++) {
        if (strlen(program->systems[i].name) == length &&
            strncmp(program->systems[i].name, name, length) == 0)
            return i;
    }
    return UINT32_MAX;
}

/* The index of the system named between the next two quotes. */
static uint32_t next_system(const struct program *program, const char **text)
{
    const char *begin = strchr(*text, '"');
    const char *end = begin ? strchr(begin + 1, '"') : NULL;
    if (!end)
        return UINT32_MAX;
    *text = end + 1;
    return find_system(program, begin + 1, (size_t)(end - begin - 1));
}

/* The labels (components) that a system's mutations influence; new entities do not count. */
static uint32_t influence(const program_system *system)
{
    uint32_t labels = system->world == LS_ACCESS_STRUCTURE ? UINT32_MAX : 0;
    for (uint32_t i = 0; i < system->term_count; i++) {
        const program_term *term = &system->terms[i];
        bool changes = term->kind <= LS_OTHERS
                           ? term->access >= LS_ACCESS_WRITE
                           : term->kind == LS_ACCUMULATED || term->kind == LS_PARTNER;
        labels |= changes ? 1u << term->component : 0;
    }
    return labels;
}

/* Derives the reason of a conflict from the report's text. */
static check_refusal reason_of(const char *conflict)
{
    if (strstr(conflict, "both spawn into lane"))
        return REFUSED_LANE;
    if (strstr(conflict, "matches every living entity"))
        return REFUSED_LIVES;
    if (strstr(conflict, "before the first does"))
        return REFUSED_BIRTHS;
    if (strstr(conflict, " receives "))
        return REFUSED_EVENTS;
    return REFUSED_VALUES;
}

/* A finding lists all conflicts of its pair: "..., but X, Y, Z (settle it with ...)". Counts each
 * reason once per pair. */
static void count_reasons(checker *self, const ls_finding *finding, bool is_safe)
{
    char text[2048];
    bool is_counted[REFUSED_COUNT] = {false};
    const char *begin = strstr(finding->text, "but "), *end = strstr(finding->text, " (settle it");
    if (!begin || !end)
        return;
    snprintf(text, sizeof text, "%.*s", (int)(end - begin - 4), begin + 4);
    for (char *next = text, *conflict; (conflict = next);) {
        next = strstr(conflict, ", ");
        if (next) {
            *next = 0;
            next += 2;
        }
        check_refusal reason = reason_of(conflict);
        if (!is_counted[reason]) {
            self->counts.refused[reason]++;
            self->counts.refused_safe[reason] += is_safe;
        }
        is_counted[reason] = true;
    }
}

/* Adds an order between the first refused pair. */
static bool order_a_pair(checker *self, struct program *program, const ls_schedule_report *report)
{
    for (uint32_t i = 0; i < report->count; i++) {
        const ls_finding *finding = &report->findings[i];
        if (finding->kind != LS_FINDING_AMBIGUITY)
            continue;
        uint32_t a = find_system(program, finding->one, strlen(finding->one));
        uint32_t b = find_system(program, finding->other, strlen(finding->other));
        bool is_safe = !(influence(&program->systems[a]) & influence(&program->systems[b]));
        count_reasons(self, finding, is_safe);
        program->before[a][b] = true;
        return true;
    }
    return false;
}

static bool leave_out(checker *self, struct program *program, const char *text)
{
    const char *at = text;
    uint32_t index = strncmp(text, "system \"", 8) == 0 ? next_system(program, &at) : UINT32_MAX;
    if (index == UINT32_MAX)
        return false;
    self->counts.refused_systems++;
    snprintf(self->text, sizeof self->text, "%s", text);
    program_remove_system(program, index);
    return true;
}

bool check_settle(checker *self, struct program *program)
{
    for (;;) {
        on_engine engine;
        ls_schedule_report *report;
        ls_error error = {""};
        on_engine_make(&engine, program, 0);
        ls_status status = ls_program_check(&engine.sim, &report, &error);
        bool is_better = status != LS_OK && (order_a_pair(self, program, report) ||
                                             leave_out(self, program, error.text));
        ls_schedule_report_destroy(report);
        if (status == LS_OK)
            return true;
        if (!is_better) {
            snprintf(self->text, sizeof self->text, "refused: %s", error.text);
            return false;
        }
    }
}
