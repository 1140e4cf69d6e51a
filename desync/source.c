#include "desync/source.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#if LS_HAS_DW

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <link.h>

struct ls_sources {
    Dwfl *dwfl;
};

/* Looks for debug information in the files themselves and where the system keeps it; downloads
 * none. */
static const Dwfl_Callbacks callbacks = {.find_elf = dwfl_build_id_find_elf,
                                         .find_debuginfo = dwfl_standard_find_debuginfo};

/* Asks the loader where modules begin. The list of the process's mappings would mislead, because it
 * names a file twice that is also mapped for reading. */
static int report(struct dl_phdr_info *info, size_t bytes, void *argument)
{
    const char *path = info->dlpi_name[0] ? info->dlpi_name : "/proc/self/exe";
    (void)bytes;
    /* Fails for the kernel's vDSO, which has no file; that is harmless. */
    (void)dwfl_report_elf(argument, path, path, -1, info->dlpi_addr, true);
    return 0;
}

ls_sources *ls_sources_open(void)
{
    ls_sources *sources = ls_alloc(sizeof *sources);
    sources->dwfl = dwfl_begin(&callbacks);
    if (sources->dwfl) {
        dwfl_report_begin(sources->dwfl);
        (void)dl_iterate_phdr(report, sources->dwfl);
        (void)dwfl_report_end(sources->dwfl, NULL, NULL);
    }
    return sources;
}

void ls_sources_close(ls_sources *sources)
{
    if (sources && sources->dwfl)
        dwfl_end(sources->dwfl);
    ls_free(sources);
}

/* Returns the name of a function. An inlined instance has no name of its own, so the function's
 * attributes are integrated with its own. */
static const char *name_of(Dwarf_Die *die)
{
    Dwarf_Attribute attribute;
    return dwarf_formstring(dwarf_attr_integrate(die, DW_AT_name, &attribute));
}

static bool is_function(Dwarf_Die *die)
{
    return dwarf_tag(die) == DW_TAG_subprogram || dwarf_tag(die) == DW_TAG_inlined_subroutine;
}

static void set_call(Dwarf_Die *unit, Dwarf_Die *inlined, ls_source_place *place)
{
    Dwarf_Attribute attribute;
    Dwarf_Word file = 0, line = 0;
    Dwarf_Files *files;
    size_t count;
    (void)dwarf_formudata(dwarf_attr(inlined, DW_AT_call_file, &attribute), &file);
    (void)dwarf_formudata(dwarf_attr(inlined, DW_AT_call_line, &attribute), &line);
    place->line = (uint32_t)line;
    if (dwarf_getsrcfiles(unit, &files, &count) == 0)
        place->file = dwarf_filesrc(files, file, NULL, NULL);
}

/* Adds the functions around the address, the innermost first; places[0] already has file and
 * line. */
static uint32_t add_scopes(Dwarf_Die *unit, Dwarf_Addr address, ls_source_place *places,
                           uint32_t max)
{
    Dwarf_Die *scopes = NULL;
    int count = dwarf_getscopes(unit, address, &scopes);
    /* Look up the innermost scope again from itself: only that list has the inlined functions. */
    Dwarf_Die *outer = NULL;
    int outer_count = count > 0 ? dwarf_getscopes_die(&scopes[0], &outer) : 0;
    uint32_t found = 1;
    for (int i = 0; i < outer_count; i++) {
        if (!is_function(&outer[i]))
            continue;
        ls_source_place *place = &places[found - 1];
        const char *name = name_of(&outer[i]);
        place->function = name ? name : place->function;
        if (dwarf_tag(&outer[i]) == DW_TAG_subprogram || found == max)
            break;
        places[found] = *place;
        place->is_inlined = true;
        set_call(unit, &outer[i], &places[found++]);
    }
    free(outer);
    free(scopes);
    return found;
}

/* Finds the compilation unit of an address. Falls back to a search, because not all debug
 * information has a table from addresses to units: clang writes one only on request. */
static Dwarf_Die *find_unit(Dwfl_Module *module, Dwarf_Addr address, Dwarf_Addr *bias)
{
    Dwarf_Die *unit = dwfl_module_addrdie(module, address, bias);
    if (unit)
        return unit;
    while ((unit = dwfl_module_nextcu(module, unit, bias)))
        if (dwarf_haspc(unit, address - *bias) > 0)
            return unit;
    return NULL;
}

static uint32_t find_lines(ls_sources *sources, uintptr_t address, ls_source_place *places,
                           uint32_t max)
{
    Dwfl_Module *module = sources->dwfl ? dwfl_addrmodule(sources->dwfl, address) : NULL;
    if (!module)
        return 1;
    GElf_Off offset = 0;
    GElf_Sym symbol;
    const char *name = dwfl_module_addrinfo(module, address, &offset, &symbol, NULL, NULL, NULL);
    if (name) {
        places->function = name;
        places->offset = (uintptr_t)offset;
    }
    Dwarf_Addr bias = 0;
    Dwarf_Die *unit = find_unit(module, address, &bias);
    Dwarf_Line *line = unit ? dwarf_getsrc_die(unit, address - bias) : NULL;
    int number = 0;
    const char *file = line ? dwarf_linesrc(line, NULL, NULL) : NULL;
    if (!file || dwarf_lineno(line, &number))
        return 1;
    places->file = file;
    places->line = (uint32_t)number;
    return add_scopes(unit, address - bias, places, max);
}

static bool is_at(Dwarf_Die *variable, Dwarf_Addr address)
{
    Dwarf_Attribute attribute;
    Dwarf_Op *steps;
    size_t count;
    return dwarf_attr(variable, DW_AT_location, &attribute) &&
           dwarf_getlocation(&attribute, &steps, &count) == 0 && count == 1 &&
           steps[0].atom == DW_OP_addr && steps[0].number == address;
}

/* Finds the variable at the address. Searches nested entries too, because static variables of a
 * function are declared inside the function and its blocks. */
static bool find_declaration(Dwarf_Die *parent, Dwarf_Addr address, ls_source_place *place)
{
    Dwarf_Die die;
    if (dwarf_child(parent, &die) != 0)
        return false;
    do {
        int line = 0;
        if (dwarf_tag(&die) == DW_TAG_variable && is_at(&die, address)) {
            /* The symbol of a function's static variable is `calls.0`; this name is `calls`. */
            const char *name = dwarf_diename(&die);
            place->function = name ? name : place->function;
            place->file = dwarf_decl_file(&die);
            if (dwarf_decl_line(&die, &line) == 0)
                place->line = (uint32_t)line;
            return true;
        }
        if (find_declaration(&die, address, place))
            return true;
    } while (dwarf_siblingof(&die, &die) == 0);
    return false;
}

/* Searches all symbols of the module that `inside` points into. Zero-initialised variables follow
 * the module's file in memory, so libdw finds no module by their address. */
bool ls_sources_variable(ls_sources *sources, uintptr_t inside, uintptr_t address,
                         ls_source_place *place)
{
    Dwfl_Module *module = sources->dwfl ? dwfl_addrmodule(sources->dwfl, inside) : NULL;
    int count = module ? dwfl_module_getsymtab(module) : 0;
    *place = (ls_source_place){0};
    for (int i = 0; i < count; i++) {
        GElf_Sym symbol;
        GElf_Addr start;
        const char *name = dwfl_module_getsym_info(module, i, &symbol, &start, NULL, NULL, NULL);
        if (!name || GELF_ST_TYPE(symbol.st_info) != STT_OBJECT || address < start ||
            address - start >= symbol.st_size)
            continue;
        place->function = name;
        place->bytes = symbol.st_size;
        Dwarf_Addr bias = 0;
        for (Dwarf_Die *unit = NULL; (unit = dwfl_module_nextcu(module, unit, &bias)) != NULL;)
            if (find_declaration(unit, start - bias, place))
                break;
        return true;
    }
    return false;
}

#else

bool ls_sources_variable(ls_sources *sources, uintptr_t inside, uintptr_t address,
                         ls_source_place *place)
{
    (void)sources, (void)inside, (void)address;
    *place = (ls_source_place){0};
    return false;
}

struct ls_sources {
    char nothing;
};

ls_sources *ls_sources_open(void)
{
    return ls_alloc(sizeof(ls_sources));
}

void ls_sources_close(ls_sources *sources)
{
    ls_free(sources);
}

static uint32_t find_lines(ls_sources *sources, uintptr_t address, ls_source_place *places,
                           uint32_t max)
{
    (void)sources;
    (void)address;
    (void)places;
    (void)max;
    return 1;
}

#endif

uint32_t ls_sources_find(ls_sources *sources, uintptr_t address, ls_source_place *places,
                         uint32_t max)
{
    Dl_info info;
    LS_ASSERT(max > 0);
    *places = (ls_source_place){0};
    if (dladdr((const void *)address, &info)) {
        uintptr_t start = (uintptr_t)(info.dli_sname ? info.dli_saddr : info.dli_fbase);
        places->module = info.dli_fname;
        places->function = info.dli_sname;
        places->offset = address - start;
    }
    return find_lines(sources, address, places, max);
}

void ls_source_place_print(const ls_source_place *place, char *text, size_t bytes)
{
    const char *function = place->function ? place->function : "?";
    if (place->line)
        snprintf(text, bytes, "%s at %s:%" PRIu32, function, place->file, place->line);
    else if (place->module)
        snprintf(text, bytes, "%s+0x%" PRIxPTR " in %s", function, place->offset, place->module);
    else
        snprintf(text, bytes, "%s", function);
}

const char *ls_source_remedy(const ls_source_place *place)
{
    if (place->line)
        return NULL;
    if (!LS_HAS_DW)
        return "this lockstep was built without libdw; build it with libdw-dev for lines";
    return "build the simulation with -g for its lines";
}
