/* cli/module/sim_imports.h for DLLs. mingw-w64 links most of its mathematics into a module, such as
 * sin() and exp(): of libm only what comes from the system's DLL is seen. */
#include "cli/module/sim_imports.h"

#include <stdio.h>
#include <string.h>
#include <windows.h>

/* Functions that the C library linked into each module imports are not listed, such as the
 * performance counter. */
static const char *const machine[] = {
    "rand",
    "rand_s",
    "srand",
    "time",
    "_time32",
    "_time64",
    "clock",
    "getenv",
    "_wgetenv",
    "getpid",
    "_getpid",
    "fopen",
    "_wfopen",
    "_open",
    "_ftime64",
    "_mkgmtime64",
    "GetTickCount64",
    "GetLocalTime",
    "GetSystemTime",
    "GetSystemTimePreciseAsFileTime",
    "SystemFunction036",
    "BCryptGenRandom",
};

/* Other functions of the system's C library, which may give another result elsewhere. */
static const char *const other[] = {"atof", "qsort", "qsort_s", "strtod", "strtof", "strtold"};
static const char *const inexact[] = {
    "acos", "asin", "atan", "atan2",  "cos", "cosh", "exp", "log", "log10", "pow", "sin",
    "sinh", "tan",  "tanh", "_hypot", "_j0", "_j1",  "_jn", "_y0", "_y1",   "_yn",
};

static bool is_among(const char *const *names, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(names[i], name) == 0)
            return true;
    }
    return false;
}

bool ls_sim_imports_is_machine(const char *name)
{
    return is_among(machine, LS_COUNT_OF(machine), name);
}

static void add(ls_sim_imports *imports, const char *name)
{
    bool is_machine = ls_sim_imports_is_machine(name);
    bool is_float = is_among(inexact, LS_COUNT_OF(inexact), name);
    if (!is_machine && !is_float && !is_among(other, LS_COUNT_OF(other), name))
        return;
    size_t used = strlen(imports->names);
    snprintf(imports->names + used, sizeof imports->names - used, "%s%s()", used ? ", " : "", name);
    imports->has_machine |= is_machine;
    imports->has_floats |= is_float;
}

/* Looks at the names that a module imports from one DLL. */
static void find_in(const uint8_t *base, const IMAGE_IMPORT_DESCRIPTOR *library,
                    ls_sim_imports *imports)
{
    const IMAGE_THUNK_DATA64 *entry = (const void *)(base + library->OriginalFirstThunk);
    for (; library->OriginalFirstThunk && entry->u1.AddressOfData; entry++) {
        if (IMAGE_SNAP_BY_ORDINAL64(entry->u1.Ordinal))
            continue;
        const IMAGE_IMPORT_BY_NAME *by_name = (const void *)(base + entry->u1.AddressOfData);
        add(imports, (const char *)by_name->Name);
    }
}

void ls_sim_imports_find(const ls_loaded_sim *loaded, ls_sim_imports *imports)
{
    *imports = (ls_sim_imports){0};
    const uint8_t *base = loaded->library;
    if (!base)
        return;
    const IMAGE_DOS_HEADER *begin = (const void *)base;
    const IMAGE_NT_HEADERS64 *headers = (const void *)(base + begin->e_lfanew);
    const IMAGE_DATA_DIRECTORY *directory =
        &headers->OptionalHeader.DataDirectory[IMAGE_DIRECTORY_ENTRY_IMPORT];
    if (directory->Size == 0)
        return;
    const IMAGE_IMPORT_DESCRIPTOR *library = (const void *)(base + directory->VirtualAddress);
    for (; library->Name; library++)
        find_in(base, library, imports);
}
