/* desync/crash.h on Windows: a handler of exceptions notes where a thread failed, and ends that
 * thread, or after ls_crash_report() the process. The line in the simulation's code is not looked
 * for. */
#include "desync/crash.h"

#include "core/run/run.h"
#include "core/schedule/program_data.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

/* The numbers that these faults have as signals on Linux. Windows has no SIGBUS, and another number
 * for SIGABRT. */
enum { SIGNAL_ILL = 4, SIGNAL_ABRT = 6, SIGNAL_FPE = 8, SIGNAL_SEGV = 11, ABORT_CODE = 134 };

static ls_crash *current;
static const char *program_name; /* begins the printed line; NULL: nothing is printed */
static _Thread_local const char *current_step;

static int signal_of(DWORD code)
{
    switch (code) {
    case EXCEPTION_ACCESS_VIOLATION:
    case EXCEPTION_STACK_OVERFLOW:
    case EXCEPTION_IN_PAGE_ERROR:
    case EXCEPTION_DATATYPE_MISALIGNMENT:
    case EXCEPTION_ARRAY_BOUNDS_EXCEEDED:
        return SIGNAL_SEGV;
    case EXCEPTION_ILLEGAL_INSTRUCTION:
    case EXCEPTION_PRIV_INSTRUCTION:
        return SIGNAL_ILL;
    case EXCEPTION_INT_DIVIDE_BY_ZERO:
    case EXCEPTION_INT_OVERFLOW:
    case EXCEPTION_FLT_DIVIDE_BY_ZERO:
    case EXCEPTION_FLT_INVALID_OPERATION:
        return SIGNAL_FPE;
    default:
        return 0; /* meant for a debugger, or handled by the library that raised it */
    }
}

const char *ls_crash_signal_text(int number)
{
    return number == SIGNAL_ILL    ? "Illegal instruction"
           : number == SIGNAL_ABRT ? "Aborted"
           : number == SIGNAL_FPE  ? "Floating point exception"
                                   : "Segmentation fault";
}

void ls_crash_print_place(const ls_crash *crash, char *text, size_t bytes)
{
    snprintf(text, bytes, " in system \"%.63s\", tick %" PRIu64, crash->system, crash->tick);
}

static void print_crash(const ls_crash *crash)
{
    char place[400] = "";
    if (crash->is_in_system)
        ls_crash_print_place(crash, place, sizeof place);
    else if (current_step)
        snprintf(place, sizeof place, " in %.100s", current_step);
    fprintf(stderr, "%.40s: %s%s%s\n", program_name,
            place[0] ? "the simulation crashed: " : "ended by ",
            ls_crash_signal_text(crash->signal), place);
}

/* Notes the failure of this thread, and does not return. */
static void note(int number)
{
    ls_crash *crash = current;
    const ls_context *context = ls_run_here();
    if (context && !crash->signal) {
        crash->tick = context->world->state.tick;
        snprintf(crash->system, sizeof crash->system, "%s", context->plan->system->name);
        crash->is_in_system = true;
    }
    /* Relaxed: the parent ends this process, and reads the rest after that end. */
    __atomic_store_n(&crash->signal, number, __ATOMIC_RELAXED);
    if (program_name) {
        print_crash(crash);
        _exit(ABORT_CODE);
    }
    ExitThread(1);
}

static LONG WINAPI on_exception(EXCEPTION_POINTERS *facts)
{
    int number = signal_of(facts->ExceptionRecord->ExceptionCode);
    if (number && current)
        note(number);
    return EXCEPTION_CONTINUE_SEARCH;
}

static void on_abort(int number)
{
    (void)number;
    if (current)
        note(SIGNAL_ABRT);
    _exit(ABORT_CODE);
}

void ls_crash_watch(ls_crash *crash)
{
    static bool is_installed;
    *crash = (ls_crash){0};
    current = crash;
    program_name = NULL;
    signal(SIGABRT, on_abort); /* again, because each SIGABRT resets the handler */
    if (!is_installed)
        is_installed = AddVectoredExceptionHandler(1, on_exception) != NULL;
}

void ls_crash_report(const char *name)
{
    static ls_crash crash;
    ls_crash_watch(&crash);
    program_name = name;
}

void ls_crash_at(const char *what, uintptr_t function)
{
    (void)function;
    current_step = what;
}
