#include "cli/sim_imports.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

typedef enum import_kind { IMPORT_OTHER, IMPORT_MACHINE, IMPORT_FLOAT } import_kind;

static const struct {
    const char *name;
    import_kind kind;
} suspects[] = {
    {"acos", IMPORT_FLOAT},
    {"asin", IMPORT_FLOAT},
    {"atan", IMPORT_FLOAT},
    {"atan2", IMPORT_FLOAT},
    {"cbrt", IMPORT_FLOAT},
    {"clock", IMPORT_MACHINE},
    {"clock_gettime", IMPORT_MACHINE},
    {"cos", IMPORT_FLOAT},
    {"cosf", IMPORT_FLOAT},
    {"exp", IMPORT_FLOAT},
    {"exp2", IMPORT_FLOAT},
    {"expf", IMPORT_FLOAT},
    {"fesetround", IMPORT_OTHER},
    {"fma", IMPORT_FLOAT},
    {"getenv", IMPORT_MACHINE},
    {"getpid", IMPORT_MACHINE},
    {"getrandom", IMPORT_MACHINE},
    {"gettid", IMPORT_MACHINE},
    {"gettimeofday", IMPORT_MACHINE},
    {"hypot", IMPORT_FLOAT},
    {"localtime", IMPORT_MACHINE},
    {"localtime_r", IMPORT_MACHINE},
    {"log", IMPORT_FLOAT},
    {"log2", IMPORT_FLOAT},
    {"logf", IMPORT_FLOAT},
    {"pow", IMPORT_FLOAT},
    {"powf", IMPORT_FLOAT},
    {"pthread_self", IMPORT_MACHINE},
    {"qsort", IMPORT_OTHER},
    {"rand", IMPORT_MACHINE},
    {"rand_r", IMPORT_OTHER},
    {"random", IMPORT_MACHINE},
    {"secure_getenv", IMPORT_MACHINE},
    {"setlocale", IMPORT_MACHINE},
    {"sin", IMPORT_FLOAT},
    {"sincos", IMPORT_FLOAT},
    {"sincosf", IMPORT_FLOAT},
    {"sinf", IMPORT_FLOAT},
    {"strtod", IMPORT_OTHER},
    {"strtof", IMPORT_OTHER},
    {"sysconf", IMPORT_MACHINE},
    {"tan", IMPORT_FLOAT},
    {"tanf", IMPORT_FLOAT},
    {"tanh", IMPORT_FLOAT},
    {"time", IMPORT_MACHINE},
    {"timespec_get", IMPORT_MACHINE},
};

/* What the loader has of the module: it was checked when it was loaded. */
typedef struct dynamic {
    const ElfW(Sym) * symbols;
    const char *strings;
    const ElfW(Rela) * tables[2];
    size_t bytes[2];
} dynamic;

static void read_dynamic(const struct link_map *map, dynamic *found)
{
    for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; entry++) {
        const void *at = (const void *)entry->d_un.d_ptr; /* the loader made addresses of them */
        switch (entry->d_tag) {
        case DT_SYMTAB:
            found->symbols = at;
            break;
        case DT_STRTAB:
            found->strings = at;
            break;
        case DT_JMPREL:
            found->tables[0] = at;
            break;
        case DT_PLTRELSZ:
            found->bytes[0] = entry->d_un.d_val;
            break;
        case DT_RELA:
            found->tables[1] = at;
            break;
        case DT_RELASZ:
            found->bytes[1] = entry->d_un.d_val;
            break;
        default:
            break;
        }
    }
}

static bool calls(const dynamic *module, const char *name)
{
    for (int table = 0; table < 2; table++)
        for (size_t i = 0; module->tables[table] && i < module->bytes[table] / sizeof(ElfW(Rela));
             i++) {
            const ElfW(Sym) *symbol =
                &module->symbols[ELF64_R_SYM(module->tables[table][i].r_info)];
            if (symbol->st_shndx == SHN_UNDEF &&
                strcmp(module->strings + symbol->st_name, name) == 0)
                return true;
        }
    return false;
}

void ls_sim_imports_find(const ls_loaded_sim *loaded, ls_sim_imports *imports)
{
    *imports = (ls_sim_imports){0};
    struct link_map *map = NULL;
    dynamic module = {0};
    if (!loaded->library || dlinfo(loaded->library, RTLD_DI_LINKMAP, &map) != 0)
        return;
    read_dynamic(map, &module);
    if (!module.symbols || !module.strings)
        return;
    size_t used = 0;
    for (size_t i = 0; i < LS_COUNT_OF(suspects) && used < sizeof imports->names; i++) {
        if (!calls(&module, suspects[i].name))
            continue;
        used += (size_t)snprintf(imports->names + used, sizeof imports->names - used, "%s%s()",
                                 used ? ", " : "", suspects[i].name);
        imports->has_floats |= suspects[i].kind == IMPORT_FLOAT;
        imports->has_machine |= suspects[i].kind == IMPORT_MACHINE;
    }
}
