#include "cli/check/check_case_kinds.h"

#include "cli/check/check_case_match.h"
#include "cli/check/check_case_runs.h"
#include "cli/check/check_case_validator.h"
#include "cli/check/check_case_worker.h"

#include <string.h>

static const ls_check_case_kind kinds[] = {
    {"base", "once, serially: the inputs and roots for all others", ls_check_case_base},
    {"repeat", "twice in one process", ls_check_case_repeat},
    {"validator", "equal bytes get equal answers; no bytes crash it", ls_check_case_validator},
    {"describe", "describe() of each tick; calling it changes nothing", ls_check_case_describe},
    {"declared", "systems do only what they declared", ls_check_case_declared},
    {"shuffle", "systems and pages in random legal orders", ls_check_case_shuffle},
    {"threads", "on several threads", ls_check_case_threads},
    {"interleave", "on several threads, started in random legal orders", ls_check_case_interleave},
    {"roundtrip", "each tick on a new world, through the state's bytes", ls_check_case_roundtrip},
    {"rejoin", "a late joiner, in a separate process", ls_check_case_rejoin},
    {"rollback", "ticks with other inputs are rolled back", ls_check_case_rollback},
    {"process", "other addresses, garbage in memory, time, locale", ls_check_case_process},
    {"other", "another build of the simulation", ls_check_case_other},
};

const ls_check_case_kind *ls_check_case_kind_at(uint32_t index)
{
    return index < LS_COUNT_OF(kinds) ? &kinds[index] : NULL;
}

const ls_check_case_kind *ls_check_case_kind_find(const char *name, size_t count)
{
    for (uint32_t i = 0; i < LS_COUNT_OF(kinds); i++) {
        if (strlen(kinds[i].name) == count && memcmp(kinds[i].name, name, count) == 0)
            return &kinds[i];
    }
    return NULL;
}

ls_status ls_check_case_start(const ls_check_case *self, ls_child *child, ls_error *error)
{
    return ls_check_case_begin(self, self->kind->run, child, error);
}
