/* Asking the engine for a schedule, and giving in where it refuses. */
#include "tests/model/check.h"

#include "core/program.h"
#include "tests/model/on_engine.h"

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

/* The system whose name stands between the next two quotes. */
static uint32_t next_system(const struct program *program, const char **text)
{
    const char *begin = strchr(*text, '"');
    const char *end = begin ? strchr(begin + 1, '"') : NULL;
    if (!end)
        return UINT32_MAX;
    *text = end + 1;
    return find_system(program, begin + 1, (size_t)(end - begin - 1));
}

/* The labels at which a system's mutations have an influence; that on newborns does not count. */
static uint32_t influence(const program_system *system)
{
    uint32_t labels = 0;
    for (uint32_t i = 0; i < system->term_count; i++) {
        const program_term *term = &system->terms[i];
        bool changes =
            term->kind <= LS_OTHERS ? term->access >= LS_WRITE : term->kind == LS_ACCUMULATED;
        labels |= changes ? 1u << term->component : 0;
    }
    return labels;
}

static check_refusal reason_of(const char *text)
{
    const char *end = strstr(text, "(settle it");
    size_t length = end ? (size_t)(end - text) : strlen(text);
    char one[512];
    snprintf(one, sizeof one, "%.*s", (int)length, text);
    if (strstr(one, "both spawn into lane"))
        return REFUSED_LANE;
    if (strstr(one, "matches every living entity"))
        return REFUSED_LIVES;
    if (strstr(one, "before the first does"))
        return REFUSED_BIRTHS;
    if (strstr(one, " receives "))
        return REFUSED_EVENTS;
    return REFUSED_VALUES;
}

static bool give_in(checker *self, struct program *program, const char *text)
{
    const char *pair = strncmp(text, "systems \"", 9) == 0 ? text : NULL;
    const char *single = strncmp(text, "system \"", 8) == 0 ? text : NULL;
    if (pair) {
        uint32_t a = next_system(program, &pair), b = next_system(program, &pair);
        if (a == UINT32_MAX || b == UINT32_MAX)
            return false;
        check_refusal reason = reason_of(text);
        bool is_safe = !(influence(&program->systems[a]) & influence(&program->systems[b]));
        self->counts.refused[reason]++;
        self->counts.refused_safe[reason] += is_safe;
        program->before[a][b] = true;
        return true;
    }
    uint32_t index = single ? next_system(program, &single) : UINT32_MAX;
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
        ls_program *made;
        ls_error error = {""};
        on_engine_make(&engine, program, 0);
        ls_status status = ls_program_create(&engine.sim, &made, &error);
        ls_program_destroy(made);
        if (status == LS_OK)
            return true;
        if (!give_in(self, program, error.text)) {
            snprintf(self->text, sizeof self->text, "refused: %s", error.text);
            return false;
        }
    }
}
