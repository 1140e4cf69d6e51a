#include "forked_run.h"

#include <lockstep/base.h>

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* Where a fork puts its result; NULL in a process that is not a fork. */
static run_result *shared;

static void listen_to(int from, char *output, size_t capacity)
{
    size_t used = 0;
    char rest[256];
    ssize_t count;
    while ((count = read(from, used < capacity ? output + used : rest,
                         used < capacity ? capacity - used : sizeof rest)) > 0)
        used += used < capacity ? (size_t)count : 0;
    output[used < capacity ? used : capacity] = 0;
}

static void be_twin(run_result *result, const int ends[2], bool is_heard)
{
    shared = result;
    close(ends[0]);
    if (!is_heard)
        dup2(ends[1], STDERR_FILENO);
    close(ends[1]);
    if (is_heard)
        return;
    signal(SIGABRT, SIG_DFL);
    signal(SIGSEGV, SIG_DFL);
}

forked_run_end *forked_run_begin(bool is_heard)
{
    int ends[2];
    run_result *result =
        mmap(NULL, sizeof *result, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    LS_ASSERT(result != MAP_FAILED && pipe(ends) == 0);
    fflush(NULL);
    pid_t child = fork();
    LS_ASSERT(child >= 0);
    if (child == 0) {
        be_twin(result, ends, is_heard);
        return NULL;
    }
    close(ends[1]);
    forked_run_end *end = ls_alloc(sizeof *end);
    listen_to(ends[0], end->output, sizeof end->output - 1);
    close(ends[0]);
    int status = 0;
    LS_ASSERT(waitpid(child, &status, 0) == child);
    end->code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    end->has_result = end->code == TWIN_ENDED;
    end->result = *result;
    munmap(result, sizeof *result);
    return end;
}

_Noreturn void forked_run_leave(const run_result *result)
{
    if (result)
        *shared = *result;
    fflush(NULL);
    _exit(result ? TWIN_ENDED : TWIN_LEFT);
}
