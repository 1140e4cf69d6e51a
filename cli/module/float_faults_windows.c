/* A DLL exports no weak functions, so its probes are found in their section. */
#include "cli/module/float_faults.h"

#include <lockstep/float_probe.h>

#include <string.h>
#include <windows.h>

static const char section_name[IMAGE_SIZEOF_SHORT_NAME] = "lsprobe"; /* as in float_probe.h */

bool ls_module_float_faults(void *library, uint32_t *faults)
{
    const uint8_t *base = library;
    const IMAGE_DOS_HEADER *begin = (const void *)base;
    const IMAGE_NT_HEADERS64 *headers = (const void *)(base + begin->e_lfanew);
    const IMAGE_SECTION_HEADER *section = IMAGE_FIRST_SECTION(headers);
    uint32_t found = 0;
    *faults = 0;
    for (uint32_t i = 0; i < headers->FileHeader.NumberOfSections; i++, section++) {
        if (memcmp(section->Name, section_name, sizeof section_name) != 0)
            continue;
        ls_float_probe_function *const *probes = (const void *)(base + section->VirtualAddress);
        for (size_t j = 0; j < section->Misc.VirtualSize / sizeof *probes; j++) {
            if (!probes[j])
                continue;
            *faults |= probes[j]();
            found++;
        }
    }
    return found > 0;
}
