/* desync/source.h on Windows: names the module of an address, and neither functions nor lines. */
#include "desync/source.h"

#include <inttypes.h>
#include <stdio.h>
#include <windows.h>

enum { MODULES_MAX = 8, PATH_UNITS = 512 };

/* The modules in which addresses were found, with their paths: each is asked for once. */
struct ls_sources {
    HMODULE modules[MODULES_MAX];
    char names[MODULES_MAX][PATH_UNITS];
    uint32_t count;
};

ls_sources *ls_sources_open(void)
{
    return ls_alloc(sizeof(ls_sources));
}

void ls_sources_close(ls_sources *sources)
{
    ls_free(sources);
}

static const char *name_of(ls_sources *sources, HMODULE module)
{
    uint32_t i = 0;
    while (i < sources->count && sources->modules[i] != module)
        i++;
    if (i == MODULES_MAX)
        return "a module";
    wchar_t wide[PATH_UNITS];
    if (i == sources->count) {
        DWORD units = GetModuleFileNameW(module, wide, PATH_UNITS);
        if (units == 0 || units == PATH_UNITS ||
            WideCharToMultiByte(CP_UTF8, 0, wide, -1, sources->names[i], PATH_UNITS, NULL, NULL) ==
                0)
            return "a module";
        sources->modules[i] = module;
        sources->count++;
    }
    return sources->names[i];
}

uint32_t ls_sources_find(ls_sources *sources, uintptr_t address, ls_source_place *places,
                         uint32_t max)
{
    HMODULE module;
    LS_ASSERT(max > 0);
    *places = (ls_source_place){0};
    DWORD flags =
        GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT;
    if (GetModuleHandleExW(flags, (const wchar_t *)address, &module)) {
        places->module = name_of(sources, module);
        places->offset = address - (uintptr_t)module;
    }
    return 1;
}

bool ls_sources_variable(ls_sources *sources, uintptr_t inside, uintptr_t address,
                         ls_source_place *place)
{
    (void)sources;
    (void)inside;
    (void)address;
    (void)place;
    return false;
}

void ls_source_place_print(const ls_source_place *place, char *text, size_t bytes)
{
    if (place->module)
        snprintf(text, bytes, "0x%" PRIxPTR " in %s", place->offset, place->module);
    else
        snprintf(text, bytes, "?");
}

const char *ls_source_remedy(const ls_source_place *place)
{
    (void)place;
    return "run this on Linux for functions and lines";
}
