/* The check executor with systems that give another result in every run: the finding must say this,
 * and nothing else. */
#include "check_sim.h"

/* A counter whose value reaches the state only once in `period` calls, like a clock that rarely
 * moves. When it changes, the check has just rerun the system with other values in cells that it
 * may not read. */
static uint32_t period, calls_before;

static void count_seldom(ls_context *context, const ls_entity *entities)
{
    tally *cell = ls_singleton_write(context, 0);
    cell->sum = ++calls_before / period;
}

static void count_every(ls_context *context, const ls_entity *entities)
{
    tally *cell = ls_singleton_write(context, 0);
    cell->sum = ++calls_before % period == 0;
}

TEST(test_check_nondeterminism_is_not_reported_as_a_read)
{
    static ls_match_function *const functions[] = {count_seldom, count_every};
    for (uint32_t i = 0; i < LS_COUNT_OF(functions); i++) {
        const ls_system systems[] = {{.name = "hide",
                                      .mode = LS_SEQUENTIAL,
                                      .match = functions[i],
                                      .terms = LS_TERM_LIST(LS_OTHERS_WRITE(tallies))}};
        ls_sim sim = check_sim(systems, 1);
        uint32_t found = 0;
        /* Every phase, so that the first run with another result is of each kind. */
        for (period = 2; period <= 9; period++) {
            for (uint32_t phase = 0; phase < period; phase++) {
                harness self;
                ls_error error = {""};
                harness_begin(&self, &sim, 1);
                ls_executor *executor = harness_checker();
                calls_before = phase;
                ls_status status = LS_OK;
                for (ls_frame frame = {0}; status == LS_OK && frame.tick < 8; frame.tick++)
                    status = ls_world_advance(self.world, &frame, executor, &error);
                if (strstr(error.text, "may not read:"))
                    fail_msg("period %u, phase %u: %s", period, phase, error.text);
                found += strstr(error.text, "(a static variable, a clock)") != NULL;
                ls_executor_destroy(executor);
                harness_end(&self);
            }
        }
        assert_true(found >= 40); /* of 44 combinations */
    }
}
