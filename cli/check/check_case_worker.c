#include "cli/check/check_case_worker.h"

#include "cli/check/check_case_match.h"
#include "cli/check/check_case_runs.h"
#include "cli/common/clock.h"
#include "cli/module/sim_load.h"
#include "core/base/platform.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <unistd.h>

#define SECOND_NS      (LS_SECOND_NS + 100 * LS_NS_PER_MS)
#define VARIABLES_MORE 4
#define PADDING_MAX    20000
/* glibc fills memory from malloc with the complement of the byte `perturb`, except memory from the
 * thread's cache, which is therefore turned off. */
#define UNCACHED "GLIBC_TUNABLES=glibc.malloc.tcache_count=0"
#define TUNABLES UNCACHED ":glibc.malloc.perturb="
#define MIB      ((size_t)1 << 20)

struct surroundings {
    const char *fill; /* the setting, as NAME=VALUE, that fills memory from malloc */
    const char *locale, *zone;
    uint32_t padding; /* bytes added to the environment, which moves the stack */
    uint8_t stack_fill;
    uint8_t heap_noise;   /* not 0: memory from malloc holds this noise */
    bool keeps_addresses; /* address randomisation is off */
};

/* Selected by the number of a case; the last entry is for other builds. */
static const struct surroundings all_surroundings[] = {
    {TUNABLES "85", "LC_ALL=tr_TR.UTF-8", "TZ=Pacific/Chatham", PADDING_MAX, 0x55, 0, true},
    {TUNABLES "170", "LC_ALL=C", "TZ=UTC", 37, 0xaa, 0, false},
    {UNCACHED, "LC_ALL=C", "TZ=UTC", 11, 0xcc, 0xcc, false},
    {TUNABLES "51", "LC_ALL=C", "TZ=UTC", 5, 0x33, 0, false},
};
#define OTHER_NUMBER LS_COUNT_OF(all_surroundings)

static const struct surroundings *surroundings_of(uint64_t number)
{
    return &all_surroundings[(number - 1) % LS_COUNT_OF(all_surroundings)];
}

/* Returns the current environment, which may tell where libraries are, with some variables
 * added. */
static char **environment_of(const struct surroundings *around, char *padding)
{
    size_t count = 0;
    while (environ[count])
        count++;
    char **all = ls_alloc((count + VARIABLES_MORE + 1) * sizeof *all);
    memset(padding, 'x', around->padding);
    memcpy(padding, "LOCKSTEP_PADDING=", strlen("LOCKSTEP_PADDING="));
    const char *more[VARIABLES_MORE] = {around->fill, around->locale, around->zone, padding};
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        bool is_replaced = false;
        for (size_t j = 0; j < VARIABLES_MORE; j++) {
            size_t name = strcspn(more[j], "=") + 1;
            is_replaced |= strncmp(environ[i], more[j], name) == 0;
        }
        if (!is_replaced)
            all[used++] = environ[i];
    }
    for (size_t i = 0; i < VARIABLES_MORE; i++)
        all[used++] = (char *)(uintptr_t)more[i]; /* execve() writes to none of them */
    return all;
}

static ls_status become(const ls_check_case *self, ls_child *child, const char *sim,
                        uint64_t number, ls_error *error)
{
    const struct surroundings *around = surroundings_of(number);
    char digits[24];
    snprintf(digits, sizeof digits, "%" PRIu64, number);
    const char *arguments[] = {"lockstep", "check", "--sim", sim, "--worker", digits, NULL};
    char *padding = ls_alloc(PADDING_MAX + 32);
    char **environment = environment_of(around, padding);
    if (around->keeps_addresses) {
        int now = personality(0xffffffff);
        if (now < 0 || personality((unsigned long)now | ADDR_NO_RANDOMIZE) < 0)
            snprintf(child->report->note, sizeof child->report->note,
                     "address randomisation cannot be disabled");
    }
    return ls_child_become(child, self->match->list_file, (char *const *)(uintptr_t)arguments,
                           environment, error);
}

/* Runs the case in a new process. It starts at least a second after the first case ended, so that a
 * clock in seconds gives a different value. Matches that only try an option do not wait. */
ls_status ls_check_case_process(const ls_check_case *self, ls_child *child, ls_error *error)
{
    uint64_t later_ns = self->match->base_end_ns + (self->match->is_option_match ? 0 : SECOND_NS);
    while (ls_monotonic_ns() < later_ns)
        ls_clock_sleep_until(later_ns);
    return become(self, child, self->match->sim, self->number, error);
}

ls_status ls_check_case_other(const ls_check_case *self, ls_child *child, ls_error *error)
{
    return become(self, child, self->path, OTHER_NUMBER, error);
}

/* Maps a hole and moves the end of the heap, so that a library that is loaded later and the heap
 * get different addresses even without address randomisation. */
static void shift_addresses(uint64_t number)
{
    size_t bytes = (size_t)(number * 5 + 3) * MIB;
    void *hole = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    LS_ASSERT(hole != MAP_FAILED);
    LS_ASSERT(sbrk((intptr_t)(number * 3 * 4096)) != (void *)-1);
}

static ls_status work(ls_child *child, const char *sim, uint64_t number, ls_error *error)
{
    ls_check_case_handover handover;
    ls_status status = ls_check_case_take_over(child->extra_file, &handover, error);
    if (status)
        return status;
    shift_addresses(number);
    ls_loaded_sim loaded;
    status = ls_sim_load(sim, &loaded, error);
    if (!status && memcmp(ls_program_fingerprint(loaded.program), handover.fingerprint,
                          LS_FINGERPRINT_BYTES) != 0)
        status = ls_error_set(error, LS_ERROR_INCOMPATIBLE, LS_CHECK_CASE_OTHER_SOURCES, sim);
    const struct surroundings *around = surroundings_of(number);
    ls_tick_cursor cursor;
    const ls_rerun_config config = {
        .program = loaded.program,
        .match = &handover.match,
        .ticks = ls_ticks_of_list(&cursor, handover.list, 0),
        .variant = {.stack_fill = around->stack_fill, .heap_noise = around->heap_noise}};
    if (!status)
        status = ls_check_case_follow(child, &config, error);
    return status;
}

void ls_check_case_worker(const char *sim, uint64_t number)
{
    ls_child child;
    ls_error error = {0};
    ls_status status = ls_child_attach(&child, &error);
    if (status) {
        fprintf(stderr, "lockstep check: %s\n", error.text);
        exit(2);
    }
    status = work(&child, sim, number, &error);
    ls_child_exit(&child, status, &error);
}
