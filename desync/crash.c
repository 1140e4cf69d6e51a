/* The handler first notes what it can without asking anybody: then it looks for the line, which
 * takes memory and files, and which the thread may have died in the middle of. An alarm sees to it
 * that this costs the line alone. */
#include "desync/crash.h"

#include "core/program_internal.h"
#include "core/run.h"
#include "desync/source.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

enum { FRAMES_MAX = 48, PLACES_MAX = 8, SEARCH_S = 3, STACK_BYTES = 1 << 20 };

static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

/* Handlers get no argument of ours. */
static ls_crash *noted;
static const char *teller; /* NULL: nothing is printed */
static _Thread_local const char *at_what;
static _Thread_local uintptr_t at_function;
static struct sigaction old_actions[LS_COUNT_OF(signals)];

static const void *module_of(uintptr_t address)
{
    Dl_info about;
    return dladdr((void *)address, &about) ? about.dli_fbase : NULL;
}

static uintptr_t function_of(const ls_system *system)
{
    return system->span    ? (uintptr_t)system->span
           : system->block ? (uintptr_t)system->block
                           : (uintptr_t)system->match;
}

/* The engine may lie in the same module: it is not what somebody wrote wrongly. */
static bool is_of_engine(const ls_source_place *place)
{
    return !place->function || strncmp(place->function, "ls_", 3) == 0;
}

static void print_place(const ls_source_place *place, ls_crash *crash)
{
    if (place->line)
        snprintf(crash->line, sizeof crash->line, "%s at %s:%" PRIu32, place->function, place->file,
                 place->line);
    else
        snprintf(crash->line, sizeof crash->line, "%s", place->function);
}

/* The instruction that the signal came at; 0: the frames have to do. */
static uintptr_t interrupted(const void *machine)
{
#if defined(__x86_64__)
    return (uintptr_t)((const ucontext_t *)machine)->uc_mcontext.gregs[REG_RIP];
#else
    (void)machine;
    return 0;
#endif
}

/* The innermost frame of the simulation's module, behind those of the handler. A frame's address is
 * that to which a call returns, but for the one that was interrupted. */
static void find_line(uintptr_t function, uintptr_t at, ls_crash *crash)
{
    void *frames[FRAMES_MAX];
    int count = backtrace(frames, FRAMES_MAX), i = 0;
    const void *module = module_of(function);
    ls_sources *sources = ls_sources_open();
    while (at && i + 1 < count && (uintptr_t)frames[i] != at)
        i++;
    for (; i < count && !crash->line[0]; i++) {
        ls_source_place places[PLACES_MAX];
        uintptr_t address = (uintptr_t)frames[i];
        if (module_of(address) == module &&
            ls_sources_find(sources, address - (address != at), places, PLACES_MAX) &&
            !is_of_engine(&places[0]))
            print_place(&places[0], crash);
    }
    ls_sources_close(sources);
}

static const char *name_of(int signal)
{
    switch (signal) {
    case SIGSEGV:
        return "SIGSEGV";
    case SIGBUS:
        return "SIGBUS";
    case SIGFPE:
        return "SIGFPE";
    case SIGILL:
        return "SIGILL";
    default:
        return "SIGABRT";
    }
}

static void tell(const ls_crash *crash)
{
    char text[512], place[128] = "";
    if (crash->is_in_system)
        snprintf(place, sizeof place, " in system \"%s\", tick %" PRIu64, crash->system,
                 crash->tick);
    else if (at_what)
        snprintf(place, sizeof place, " in %.100s", at_what);
    int bytes =
        snprintf(text, sizeof text, "%.40s: %s%s%s%s%s%s\n", teller,
                 place[0] ? "the simulation crashed: " : "ended by ", name_of(crash->signal), place,
                 crash->line[0] ? " (" : "", crash->line, crash->line[0] ? ")" : "");
    (void)!write(STDERR_FILENO, text, (size_t)bytes);
}

/* An alarm sees to it that this ends. */
static void search_line(uintptr_t function, const void *machine, ls_crash *crash)
{
    (void)signal(SIGALRM, SIG_DFL);
    (void)alarm(SEARCH_S);
    find_line(function, interrupted(machine), crash);
    (void)alarm(0);
}

static void on_signal(int number, siginfo_t *info, void *machine)
{
    (void)info;
    ls_crash *crash = noted;
    const ls_context *context = ls_run_here();
    for (size_t i = 0; i < LS_COUNT_OF(signals); i++)
        (void)sigaction(signals[i], &old_actions[i], NULL);
    bool is_first = !crash->signal;
    if (is_first) {
        crash->signal = number;
        crash->is_in_system = context != NULL;
    }
    if (context && crash->is_in_system) {
        crash->tick = context->world->state.tick;
        snprintf(crash->system, sizeof crash->system, "%s", context->plan->system->name);
        search_line(function_of(context->plan->system), machine, crash);
    } else if (at_what && teller) {
        search_line(at_function, machine, crash);
    }
    if (teller && is_first)
        tell(crash);
    (void)raise(number); /* once more, when this returns */
}

/* A stack that overflowed is none to look for lines on. */
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
    void *frame;
    bool is_fork = noted != NULL;
    *crash = (ls_crash){0};
    noted = crash;
    teller = NULL;
    if (is_fork)
        return;
    (void)backtrace(&frame, 1); /* loads what it needs; not in a handler */
    use_own_stack();
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    for (size_t i = 0; i < LS_COUNT_OF(signals); i++)
        (void)sigaction(signals[i], &action, &old_actions[i]);
}

void ls_crash_tell(const char *who)
{
    static ls_crash crash;
    ls_crash_watch(&crash);
    teller = who;
}

void ls_crash_at(const char *what, uintptr_t function)
{
    at_what = what;
    at_function = function;
}
