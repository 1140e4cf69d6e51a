/* The handler first records what needs neither memory nor files. The source line needs both, and
 * the thread may have died inside either; then an alarm ends the process. *crash lacks only the
 * line in that case, but ls_crash_report() prints nothing. */
#include "desync/crash.h"

#include "core/base/platform_step.h"
#include "core/run/run.h"
#include "core/schedule/program_data.h"
#include "desync/call_stack.h"
#include "desync/source.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { FRAMES_MAX = 48, PLACES_MAX = 8, SEARCH_S = 3, STACK_BYTES = 256 << 10 };

static const struct {
    int number;
    const char *name;
} signals[] = {{SIGSEGV, "SIGSEGV"},
               {SIGBUS, "SIGBUS"},
               {SIGFPE, "SIGFPE"},
               {SIGILL, "SIGILL"},
               {SIGABRT, "SIGABRT"}};

/* Global, because signal handlers get no argument of ours. */
static ls_crash *current;
static const char *program_name; /* begins the printed line; NULL: nothing is printed */
static _Thread_local const char *current_step;
static _Thread_local uintptr_t current_function;
static struct sigaction old_actions[LS_COUNT_OF(signals)];

static const void *module_of(uintptr_t address)
{
    Dl_info about;
    return dladdr((void *)address, &about) ? about.dli_fbase : NULL;
}

/* Whether the frame is the engine's. The engine may be linked into the simulation's module, but its
 * frames are not lines of the simulation. */
static bool is_of_engine(const ls_source_place *place)
{
    return !place->function || strncmp(place->function, "ls_", 3) == 0;
}

/* The handler's request to the thread that looks for the line. */
struct search {
    uintptr_t function; /* any function of the simulation's module */
    uintptr_t at;       /* the interrupted instruction; 0: unknown, return addresses only */
    ls_crash *crash;
    uint32_t count;
    uintptr_t frames[FRAMES_MAX];
};

/* Finds the line of the innermost frame in the simulation's module, after the frames of the signal
 * handler. Frames hold return addresses, which follow the call; only the interrupted instruction's
 * address is exact. */
static void *find_line(void *data)
{
    const struct search *search = data;
    const void *module = module_of(search->function);
    ls_sources *sources = ls_sources_open();
    uint32_t i = 0;
    while (search->at && i + 1 < search->count && search->frames[i] != search->at)
        i++;
    for (; i < search->count && !search->crash->line[0]; i++) {
        ls_source_place places[PLACES_MAX];
        uintptr_t address = search->frames[i];
        if (module_of(address) == module &&
            ls_sources_find(sources, address - (address != search->at), places, PLACES_MAX) &&
            !is_of_engine(&places[0]))
            ls_source_place_print(&places[0], search->crash->line, sizeof search->crash->line);
    }
    ls_sources_close(sources);
    return NULL;
}

static const char *name_of(int number)
{
    size_t i = 0;
    while (i + 1 < LS_COUNT_OF(signals) && signals[i].number != number)
        i++;
    return signals[i].name;
}

const char *ls_crash_signal_text(int number)
{
    return strsignal(number);
}

void ls_crash_print_place(const ls_crash *crash, char *text, size_t bytes)
{
    snprintf(text, bytes, " in system \"%.63s\", tick %" PRIu64 "%s%.199s%s", crash->system,
             crash->tick, crash->line[0] ? " (" : "", crash->line, crash->line[0] ? ")" : "");
}

static void print_crash(const ls_crash *crash)
{
    char text[512], place[400] = "";
    if (crash->is_in_system)
        ls_crash_print_place(crash, place, sizeof place);
    else if (current_step)
        snprintf(place, sizeof place, " in %.100s%s%s%s", current_step, crash->line[0] ? " (" : "",
                 crash->line, crash->line[0] ? ")" : "");
    int bytes = snprintf(text, sizeof text, "%.40s: %s%s%s\n", program_name,
                         place[0] ? "the simulation crashed: " : "ended by ",
                         name_of(crash->signal), place);
    (void)!write(STDERR_FILENO, text, (size_t)bytes);
}

/* Searches on a thread of its own, because libdw needs more stack than a signal stack has:
 * sanitizers give each thread one of 64 KiB. An alarm ends a search that waits for a lock of the
 * thread that died. */
static void search_line(uintptr_t function, const void *machine, ls_crash *crash)
{
    struct search search = {
        .function = function, .at = ls_interrupted_instruction(machine), .crash = crash};
    pthread_t thread;
    (void)signal(SIGALRM, SIG_DFL);
    (void)alarm(SEARCH_S);
    search.count = ls_call_stack_take(search.frames, FRAMES_MAX);
    if (pthread_create(&thread, NULL, find_line, &search) == 0)
        (void)pthread_join(thread, NULL);
    (void)alarm(0);
}

static void on_signal(int number, siginfo_t *info, void *machine)
{
    (void)info;
    ls_crash *crash = current;
    const ls_context *context = ls_run_here();
    for (size_t i = 0; i < LS_COUNT_OF(signals); i++)
        (void)sigaction(signals[i].number, &old_actions[i], NULL);
    bool is_first = !crash->signal;
    if (is_first) {
        crash->signal = number;
        crash->is_in_system = context != NULL;
    }
    if (context && crash->is_in_system) {
        crash->tick = context->world->state.tick;
        snprintf(crash->system, sizeof crash->system, "%s", context->plan->system->name);
        search_line(ls_run_function(context->plan->system), machine, crash);
    } else if (current_step && program_name) {
        search_line(current_function, machine, crash);
    }
    if (program_name && is_first)
        print_crash(crash);
    (void)raise(number); /* delivered again when the handler returns, to the previous action */
}

/* Gives the handler a stack of its own, because the thread's stack may have overflowed. */
static void use_own_stack(void)
{
    void *memory =
        mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    stack_t stack = {.ss_sp = memory, .ss_size = STACK_BYTES};
    if (memory != MAP_FAILED)
        (void)sigaltstack(&stack, NULL);
}

void ls_crash_watch(ls_crash *crash)
{
    bool is_fork = current != NULL;
    *crash = (ls_crash){0};
    current = crash;
    program_name = NULL;
    if (is_fork)
        return;
    use_own_stack();
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    for (size_t i = 0; i < LS_COUNT_OF(signals); i++)
        (void)sigaction(signals[i].number, &action, &old_actions[i]);
}

void ls_crash_report(const char *name)
{
    static ls_crash crash;
    ls_crash_watch(&crash);
    program_name = name;
}

void ls_crash_at(const char *what, uintptr_t function)
{
    current_step = what;
    current_function = function;
}
