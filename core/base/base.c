#include <lockstep/base.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint32_t ls_library_abi(void)
{
    return LS_ABI;
}

ls_status ls_error_set(ls_error *error, ls_status status, const char *format, ...)
{
    if (error) {
        ls_error next; /* the arguments may be in *error */
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(next.text, sizeof next.text, format, arguments);
        va_end(arguments);
        memcpy(error->text, next.text, strlen(next.text) + 1);
    }
    return status;
}

void ls_assert_failed(const char *file, int line, const char *condition)
{
    fprintf(stderr, "%s:%d: assertion failed: %s\n", file, line, condition);
    abort();
}

/* Exits without abort(): a core dump would be as large as the memory, and explain nothing. */
void ls_memory_failed(size_t bytes)
{
    fprintf(stderr, "lockstep: out of memory (%zu bytes)\n", bytes);
    _Exit(LS_MEMORY_EXIT_CODE);
}

void *ls_alloc(size_t bytes)
{
    void *memory = calloc(1, bytes ? bytes : 1);
    if (!memory)
        ls_memory_failed(bytes);
    return memory;
}

void *ls_realloc(void *memory, size_t bytes)
{
    void *grown = realloc(memory, bytes ? bytes : 1);
    if (!grown)
        ls_memory_failed(bytes);
    return grown;
}

void ls_free(void *memory)
{
    free(memory);
}
