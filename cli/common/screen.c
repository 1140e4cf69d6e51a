#include "cli/common/screen.h"

#include <curses.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

/* Global, because a signal handler has no argument to find state by. */
static volatile sig_atomic_t asked, resized;
static struct termios before;
static SCREEN *screen;
static bool is_gone;

/* Keys that were not read are dropped: they are not for the shell. TCSAFLUSH would wait for a
 * stopped terminal. */
static void restore_modes(void)
{
    tcflush(STDIN_FILENO, TCIFLUSH);
    tcsetattr(STDIN_FILENO, TCSANOW, &before);
}

/* Restores the terminal in a signal handler, where endwin() is not allowed: leaves the second
 * screen, shows the cursor, resets colours and keys. */
static void reset_terminal(void)
{
    static const char reset[] = "\033[?1049l\033[?25h\033[0m\r\n";
    ssize_t ignored = write(STDOUT_FILENO, reset, sizeof reset - 1);
    (void)ignored;
    restore_modes();
}

/* A second signal ends the process at once, because the simulation may hang and never check
 * `asked`. */
static void on_stop(int number)
{
    if (asked) {
        reset_terminal();
        _exit(128 + number); /* the exit code that a shell reports for this signal */
    }
    asked = 1;
}

/* Restores the terminal, then lets the signal end the process. */
static void on_crash(int number)
{
    reset_terminal();
    raise(number); /* SA_RESETHAND has restored the default action */
}

static void on_resize(int number)
{
    (void)number;
    resized = 1;
}

/* Draws all anew, because the terminal moves or cuts its content with each change of its size. The
 * handler of ncurses would not do so when the size, after several changes, is the old one. */
static void follow_size(void)
{
    struct winsize size;
    resized = 0;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row && size.ws_col)
        resizeterm(size.ws_row, size.ws_col);
    clearok(curscr, TRUE);
}

/* Called before ncurses starts: ncurses keeps handlers that are not the default. */
static void install_handlers(void)
{
    static const int stops[] = {SIGINT, SIGTERM, SIGHUP};
    static const int crashes[] = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGQUIT};
    struct sigaction action;
    memset(&action, 0, sizeof action);
    sigemptyset(&action.sa_mask);
    action.sa_handler = on_stop;
    for (size_t i = 0; i < LS_COUNT_OF(stops); i++)
        sigaction(stops[i], &action, NULL);
    action.sa_handler = on_crash;
    action.sa_flags = (int)SA_RESETHAND | SA_NODEFER;
    for (size_t i = 0; i < LS_COUNT_OF(crashes); i++)
        sigaction(crashes[i], &action, NULL);
    action.sa_handler = on_resize;
    action.sa_flags = 0;
    sigaction(SIGWINCH, &action, NULL);
    signal(SIGPIPE, SIG_IGN);
}

static void begin_colours(ls_screen_colours colours)
{
    const char *none = getenv("NO_COLOR"); /* source: no-color.org */
    bool is_plain = colours == LS_SCREEN_AUTO ? none && none[0] : colours == LS_SCREEN_NEVER;
    if (is_plain || !has_colors())
        return;
    start_color();
    use_default_colors();
    for (short i = 1; i <= 6; i++)
        init_pair(i, i, -1);
}

ls_status ls_screen_begin(const char *instead, ls_screen_colours colours, ls_error *error)
{
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) || tcgetattr(STDIN_FILENO, &before) != 0)
        return ls_error_set(error, LS_ERROR_USAGE, "this needs a terminal; %s does not", instead);
    install_handlers();
    screen = newterm(NULL, stdout, stdin);
    if (!screen)
        return ls_error_set(error, LS_ERROR_USAGE,
                            "this terminal is of a kind that is not known here: set TERM, for "
                            "instance to xterm");
    begin_colours(colours);
    cbreak();
    noecho();
    curs_set(0);
    keypad(stdscr, TRUE);
    set_escdelay(25);
    nodelay(stdscr, TRUE);
    return LS_OK;
}

void ls_screen_end(void)
{
    if (!screen)
        return;
    endwin();
    delscreen(screen);
    screen = NULL;
    restore_modes();
}

bool ls_screen_is_over(void)
{
    return asked || is_gone;
}

int ls_screen_key(uint32_t wait_ms)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    if (resized) {
        follow_size();
        return KEY_RESIZE;
    }
    int key = getch();
    if (key == ERR && poll(&input, 1, (int)wait_ms) > 0) {
        key = getch();
        is_gone |= key == ERR && (input.revents & (POLLHUP | POLLERR)) != 0;
    }
    return key == ERR ? -1 : key;
}
