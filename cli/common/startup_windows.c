#include "cli/common/startup.h"

#include <lockstep/base.h>

#include <fcntl.h>
#include <io.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <windows.h>

#include <shellapi.h>
#include <timeapi.h>

enum { ABORT_CODE = 134, TIMER_MS = 1 };

/* An assertion ends the process with the code that it has on other systems. */
static void on_abort(int number)
{
    (void)number;
    _exit(ABORT_CODE);
}

static char *encode(const wchar_t *text)
{
    int bytes = WideCharToMultiByte(CP_UTF8, 0, text, -1, NULL, 0, NULL, NULL);
    char *encoded = ls_alloc((size_t)bytes + 1);
    WideCharToMultiByte(CP_UTF8, 0, text, -1, encoded, bytes, NULL, NULL);
    return encoded;
}

/* The C library gives main() the arguments in the code page of the system, which lacks letters. */
static char **encode_arguments(int *count, char **arguments)
{
    int wide_count;
    wchar_t **wide = CommandLineToArgvW(GetCommandLineW(), &wide_count);
    if (!wide)
        return arguments;
    char **encoded = ls_alloc(((size_t)wide_count + 1) * sizeof *encoded);
    for (int i = 0; i < wide_count; i++)
        encoded[i] = encode(wide[i]);
    encoded[wide_count] = NULL;
    LocalFree(wide);
    *count = wide_count;
    return encoded;
}

/* Makes a stream that the process did not get, so that no file takes its number. */
static void keep_stream(FILE *stream, int file, const char *mode)
{
    if (_get_osfhandle(file) < 0)
        (void)freopen("NUL", mode, stream);
}

char **ls_startup_begin(int *count, char **arguments)
{
    keep_stream(stdin, 0, "r");
    keep_stream(stdout, 1, "w");
    keep_stream(stderr, 2, "w");
    _setmode(1, _O_BINARY); /* lines end as on other systems */
    _setmode(2, _O_BINARY);
    setvbuf(stderr, NULL, _IONBF, 0);
    SetConsoleOutputCP(CP_UTF8);
    /* Waits are otherwise rounded to 15.6 ms, and ticks come late. */
    timeBeginPeriod(TIMER_MS);
    signal(SIGABRT, on_abort);
    return encode_arguments(count, arguments);
}

/* A failed write does not tell a pipe without a reader from a full disk. An empty write does: it
 * fails only for the pipe. */
bool ls_startup_has_lost_reader(void)
{
    DWORD done;
    return GetFileType(GetStdHandle(STD_OUTPUT_HANDLE)) == FILE_TYPE_PIPE &&
           !WriteFile(GetStdHandle(STD_OUTPUT_HANDLE), "", 0, &done, NULL);
}
