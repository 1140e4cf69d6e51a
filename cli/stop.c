#include "cli/stop.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

/* The one variable of the program that belongs to nobody: a signal handler has no other way to
 * speak. */
static volatile sig_atomic_t asked;

static void on_stop(int number)
{
    if (asked)
        _exit(128 + number); /* as a shell reports a death by this signal */
    asked = 1;
}

void ls_stop_install(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    sigemptyset(&action.sa_mask);
    /* Without SA_RESTART: the signal shall end the wait for packets. */
    action.sa_handler = on_stop;
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGINT, &action, NULL);
    action.sa_handler = SIG_IGN;
    sigaction(SIGHUP, &action, NULL);
    sigaction(SIGPIPE, &action, NULL);
    /* A recording at the limit of its size fails as one on a full disk does. */
    sigaction(SIGXFSZ, &action, NULL);
}

bool ls_stop_is_asked(void)
{
    return asked != 0;
}
