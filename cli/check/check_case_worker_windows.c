/* Windows starts no second process with other memory: the case says so, and another build runs in
 * this one. */
#include "cli/check/check_case_worker.h"

#include "cli/check/check_case_match.h"
#include "cli/check/check_case_runs.h"
#include "cli/module/sim_load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

ls_status ls_check_case_process(const ls_check_case *self, ls_child *child, ls_error *error)
{
    (void)self;
    (void)error;
    snprintf(child->report->note, sizeof child->report->note,
             "left out on Windows; run `lockstep check` on Linux too");
    return LS_OK;
}

ls_status ls_check_case_other(const ls_check_case *self, ls_child *child, ls_error *error)
{
    ls_loaded_sim loaded;
    ls_status status = ls_sim_load(self->path, &loaded, error);
    if (status)
        return status;
    if (memcmp(ls_program_fingerprint(loaded.program), ls_program_fingerprint(self->match->program),
               LS_FINGERPRINT_BYTES) != 0)
        return ls_error_set(error, LS_ERROR_INCOMPATIBLE,
                            "%s is of other sources or has another schema: two builds are "
                            "compared only when their fingerprints are equal",
                            self->path);
    ls_tick_cursor cursor;
    const ls_rerun_config config = {.program = loaded.program,
                                    .match = &self->match->match,
                                    .ticks = ls_ticks_of_list(&cursor, self->match->list, 0)};
    return ls_check_case_follow(child, &config, error);
}

void ls_check_case_worker(const char *sim, uint64_t number)
{
    (void)sim;
    (void)number;
    fputs("lockstep check: --worker is for Linux\n", stderr);
    exit(2);
}
